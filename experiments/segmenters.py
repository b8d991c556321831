"""Do words and sentences by spaCy make better thresholds than the fast ones? Word F1 by language, hosts left out.

Command: python -m experiments.segmenters --lang ja zh --output experiments/results/segmenters.md

Needs the extras `ja` and `train` (`blockfeat[ja,train]`). All pages with a gold text in a language are split by host,
70 to 30, with a seed for each repetition; `thresholds` is trained with either segmenter. Gains are paired by page,
a page being its mean over the splits.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from time import process_time

from blockfeat.data import LabelledPage
from blockfeat.data.split import split_by_host
from blockfeat.extraction.extractor import Extractor
from blockfeat.lang.spacy_segmenter import SEGMENTERS
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.thresholds import ThresholdConfig, ThresholdTrainer
from experiments.corpora import DEVELOPMENT, Corpora
from experiments.documents import write_output
from experiments.needs import check_needs
from experiments.searches import interval

__all__ = ["main"]

_SHARE = 0.7
_logger = logging.getLogger(__name__)


def row_of(lang: str, pages: Sequence[LabelledPage], repeat: int) -> list[str]:
    """Return the mean word F1 by segmenter, what spaCy gains, and how many times as long it takes."""
    scores: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in SEGMENTERS}
    seconds = dict.fromkeys(SEGMENTERS, 0.0)
    for seed in range(1, repeat + 1):
        training, test = split_by_host(pages, _SHARE, seed)
        for name in SEGMENTERS:
            begun = process_time()
            trainer = ThresholdTrainer(config=ThresholdConfig(segmenter=name), seed=seed, languages=(lang,))
            extractor = Extractor.of(trainer.fit(training))
            texts = [extractor.extract(page.html, url=page.url).text for page in test]
            seconds[name] += process_time() - begun
            for text, page in zip(texts, test, strict=True):
                scores[name][f"{page.corpus} {page.id}"].append(score_page(text, page).f1 or 0.0)
        _logger.info("%s, seed %d", lang, seed)
    fast, by_spacy = ([fmean(own) for own in scores[name].values()] for name in SEGMENTERS)
    low, high = interval([one - other for one, other in zip(by_spacy, fast, strict=True)])
    slower = seconds["spacy"] / seconds["fast"]
    cells = [f"{fmean(fast):.3f}", f"{fmean(by_spacy):.3f}", f"{low:+.3f} to {high:+.3f}", f"{slower:.1f}"]
    return [lang, str(len(pages)), *cells]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.segmenters", description=(__doc__ or "").split("\n")[0]
    )
    Corpora.add_options(parser)
    parser.add_argument("--lang", nargs="+", default=["ja", "zh"], help="languages")
    parser.add_argument("--repeat", type=int, default=3, help="splits by host")
    parser.add_argument("--output", type=Path, help="file to write; standard output by default")
    options = parser.parse_args(arguments)
    check_needs(
        modules=["spacy", "sudachipy"] if "ja" in options.lang else ["spacy"],
        folder=options.corpora,
        corpora=DEVELOPMENT,
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    corpora = Corpora.of_options(options)
    found = [page for name in DEVELOPMENT for page in corpora.pages(name)]
    rows = [row_of(lang, [page for page in found if page.lang == lang], options.repeat) for lang in options.lang]
    table = markdown_table(["language", "pages", "fast", "spaCy", "gain, 95 %", "× the time"], rows)
    page = f"# Words and sentences by spaCy\n\n{(__doc__ or '').partition('Needs')[0].strip()}\n\n{table}"
    write_output(page, options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
