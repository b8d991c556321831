"""Write blockfeat/lang/density.json: the share of stop words in running prose of every language.

Command: python tools/measure_density.py ../shared/corpora

Sources, in this order: gold texts of the corpora where a language has at least three pages, or one with 300
tokens; else prose written for this project (prose.toml); else spaCy's example sentences. The last two
differ from news in density and are scaled by the median of what the languages with gold show. With fewer
than 40 tokens in all the median of the measured values stands in. Only numbers are written.
"""

from __future__ import annotations

import json
import lzma
import statistics
import sys
import tomllib
import unicodedata
from collections import defaultdict
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.lang.characters import character_classes  # noqa: E402
from blockfeat.lang.measures import code_points, keys_of_text, lower, word_spans  # noqa: E402
from blockfeat.lang.stopwords import UNSPACED_LANGUAGES, StopWordIndex  # noqa: E402

FEWEST_PAGES = 3
FEWEST_TOKENS = 40
ENOUGH_TOKENS = 300
MOST_PAGES = 800
SPACY_CODES = {"no": "nb"}
Record = dict[str, float | int | str]


def gold_texts(folder: Path) -> dict[str, list[str]]:
    """Return the gold texts of all corpora by language, at most 800 a language."""
    texts: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                page = json.loads(line)
                if page.get("text") and len(texts[page["lang"]]) < MOST_PAGES:
                    texts[page["lang"]].append(unicodedata.normalize("NFC", page["text"]))
    return texts


def example_sentences(lang: str) -> list[str]:
    """Return spaCy's example sentences of a language; none where it has no such module."""
    try:
        module = import_module(f"spacy.lang.{SPACY_CODES.get(lang, lang)}.examples")
    except ImportError:
        return []
    return [unicodedata.normalize("NFC", sentence) for sentence in module.sentences]


def count(index: StopWordIndex, column: int, text: str) -> tuple[int, int]:
    """Return the number of stop words and of tokens of one text."""
    if index.languages[column] not in UNSPACED_LANGUAGES:
        keys, _ = keys_of_text(text)
        return int(index.counts(index.masks_of(keys))[column]), keys.size
    codes = code_points(lower(text))
    starts, _ = word_spans(character_classes().take(codes))
    return int(index.cover(codes, column)[starts].sum()), len(starts)


def share(index: StopWordIndex, column: int, texts: list[str]) -> tuple[float, int]:
    """Return the stop-word density of some texts and their number of tokens; 0 where they are too short."""
    pairs = [count(index, column, text) for text in texts]
    hits, tokens = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    return (hits / tokens if tokens >= FEWEST_TOKENS else 0.0), tokens


def scaled(
    index: StopWordIndex, texts: dict[str, list[str]], source: str, gold: dict[str, Record]
) -> dict[str, Record]:
    """Measure other texts, scaled so that the languages with gold come out right in the median."""
    shares = {lang: share(index, column, texts.get(lang, [])) for column, lang in enumerate(index.languages)}
    factors = [float(gold[lang]["value"]) / value for lang, (value, _) in shares.items() if value and lang in gold]
    factor = statistics.median(factors)
    return {
        lang: {"value": round(value * factor, 3), "source": f"{source} x {factor:.2f}", "pages": 0, "tokens": tokens}
        for lang, (value, tokens) in shares.items()
        if value
    }


def measure(index: StopWordIndex, gold: dict[str, list[str]], prose: dict[str, str]) -> dict[str, Record]:
    """Measure all languages for which there is text."""
    measured: dict[str, Record] = {}
    for column, lang in enumerate(index.languages):
        value, tokens = share(index, column, gold[lang])
        pages = len(gold[lang])
        if value and (pages >= FEWEST_PAGES or tokens >= ENOUGH_TOKENS):
            measured[lang] = {"value": round(value, 3), "source": "gold", "pages": pages, "tokens": tokens}
    own = scaled(index, {lang: [text] for lang, text in prose.items()}, "own prose", measured)
    examples = scaled(index, {lang: example_sentences(lang) for lang in index.languages}, "examples", measured)
    return examples | own | measured


def main() -> None:
    """Measure all languages and write the file."""
    prose = tomllib.loads((ROOT / "tools" / "prose.toml").read_text(encoding="utf-8"))
    index = StopWordIndex.build()
    records = measure(index, gold_texts(Path(sys.argv[1])), prose)
    median = statistics.median(float(record["value"]) for record in records.values())
    default: Record = {"value": round(median, 3), "source": "default", "pages": 0, "tokens": 0}
    document = {
        "command": "python tools/measure_density.py ../shared/corpora",
        "languages": {lang: records.get(lang, default) for lang in index.languages},
    }
    lines = json.dumps(document, ensure_ascii=False, indent=1)
    (ROOT / "blockfeat" / "lang" / "density.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
