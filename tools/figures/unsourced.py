"""Figures in sentences that nobody can measure anew: they come from no results, and no command stands beside them.

``tools/figures/given.toml`` names what is no measurement, by document and with the words around it: settings, what
others say, mathematics. A figure that is none of these gets a command, a place in ``prose.toml``, or goes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tools.figures.prose import pattern, templates
from tools.figures.render import BLOCK, INLINE

_GIVEN = Path("tools", "figures", "given.toml")
_GENERATED = "docs/models.md"  # from the model files, by tools/model_cards.py
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\A---\n.*?\n---\n|<!--.*?-->", re.DOTALL)
_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=[-|] ?)")
_COMMAND = re.compile(
    r"python -m (?:experiments|benchmarks|tools)|blockfeat (?:bench|evaluate|train|monitor report|corpus)"
    r"|(?:experiments/results|tools)/[\w./]+|experiments/\w+\.jsonl|make \w+"
)
_CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
_NO_FIGURE = re.compile(r"(?:Python|Spark|libxml2|section) \d[\d.]*(?: to \d[\d.]*)?|95 % interval|interval of 95 %")
_FIGURE = re.compile(
    r"(?<![\w.-])[-+]?\d*\.\d+(?![.\d])"
    r"|(?<![\w.])\d[\d,]* ?(?:%|[kKMGT]B|ms|s|hours)(?!\w)"
    r"|(?<![\w.])\d[\d,]*\d\d (?=(?:(?!of|on)\w+ )?(?:pages|mentions|paragraphs|threads|texts|names)\b)"
)


def unsourced(text: str, name: str, root: Path) -> Iterator[str]:
    """Yield the figures of a document that have no source, with the words before them."""
    sourced = [
        found.span(place)
        for piece in templates(root).get(name, [])
        for found in pattern(piece).finditer(text)
        for place in range(1, len(found.groups()) + 1)
    ]
    for piece in given_pieces(root).get(name, []):
        spans = [found.span() for found in pattern(piece).finditer(text)]
        sourced += spans
        if not spans:
            yield f"{_GIVEN} names what stands there no more: {piece}"
    for start, end in sourced:
        text = text[:start] + re.sub(r"[\d.]", "#", text[start:end]) + text[end:]
    text = _COMMENT.sub(_blank, INLINE.sub(_blank, BLOCK.sub(_blank, text)))
    text = _FENCE.sub(lambda found: "`beside`" if _COMMAND.search(found[0]) else "", text)
    paragraphs = ["", *(part.strip() for part in _PARAGRAPH.split(text) if part.strip()), ""]
    measured = False
    for before, paragraph, after in zip(paragraphs, paragraphs[1:], paragraphs[2:], strict=False):
        in_table = measured and paragraph.startswith("|")
        measured = in_table or bool(_COMMAND.search(paragraph)) or "`beside`" in (before, after)
        if not measured and name != _GENERATED:
            words = _NO_FIGURE.sub("#", _CODE.sub("#", paragraph))
            for figure in _FIGURE.finditer(words):
                yield " ".join(words[max(0, figure.start() - 50) : figure.end()].split())


def given_pieces(root: Path) -> dict[str, list[str]]:
    """Return the pieces of text whose figures are no measurements, by document."""
    path = root / _GIVEN
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])
