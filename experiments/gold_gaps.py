"""List pages whose gold text seems cut short: three other extractors agree on text that the gold lacks.

Usage::

    python -m experiments.gold_gaps --output gaps.jsonl
    python -m experiments.gold_gaps --only dragnet wcxb-dev --least-share 0.3

It prints how many pages of each corpus are suspects, and of how many a person found that the gold is wrong. The three
systems are none of ours, so that a page is not suspected because our models get it wrong. What they agree on is counted
in runs of five words. Suspects are for a person to look through: agreement alone proves nothing, for all three may keep
comments, or a second article. What was found wrong, of these and others, stands in ``experiments/wrong_gold.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from blockfeat._pool import in_order
from blockfeat.data import LabelledPage
from blockfeat.lang import tokenize
from blockfeat.training.evaluation.metrics import markdown_table
from blockfeat.training.evaluation.peers import Peer, peers_named
from experiments.corpora import CLEANEVAL, NEWS, WRONG_GOLD, Corpora
from experiments.needs import check_needs

__all__ = ["Gap", "gap_of", "main"]

SYSTEMS = ("trafilatura", "resiliparse", "readability-lxml")
"""Those that have to agree."""
_RUN = 5
_FEWEST_AGREED = 40
_SHOWN = 80


@dataclass(frozen=True)
class Gap:
    """What a gold text lacks.

    Attributes
    ----------
    corpus, id : str
        The page.
    agreed : int
        Runs of words that all systems have.
    missing : float
        Share of these that the gold lacks.
    sample : str
        The longest stretch of what it lacks, its beginning and end.
    gold_end : str
        The last words of the gold.
    """

    corpus: str
    id: str
    agreed: int
    missing: float
    sample: str
    gold_end: str


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[first : first + _RUN]) for first in range(len(words) - _RUN + 1)]


def gap_of(page: LabelledPage, texts: Sequence[str]) -> Gap:
    """Return what the gold of a page lacks of what all texts have."""
    gold = tokenize(page.text or "")
    words = tokenize(texts[0])
    common = set.intersection(*(set(_runs(tokenize(text))) for text in texts))
    lacking = common - set(_runs(gold))
    stretch = _longest([run in lacking for run in _runs(words)])
    missed = words[stretch.start : stretch.stop + _RUN - 1] if stretch else []
    return Gap(
        page.corpus,
        page.id,
        len(common),
        len(lacking) / max(len(common), 1),
        " ".join((*missed[:_SHOWN], "[…]", *missed[-_SHOWN // 4 :])),
        " ".join(gold[-_SHOWN // 4 :]),
    )


def _longest(marked: Sequence[bool]) -> range:
    """Return the longest stretch of true values."""
    best, first = range(0), 0
    for place, is_marked in enumerate((*marked, False)):
        if not is_marked:
            best = max(best, range(first, place), key=len)
            first = place + 1
    return best


def _extracted(page: LabelledPage, systems: Sequence[Peer]) -> list[str]:
    """Return what each system extracts; nothing where one of them fails."""
    try:
        return [system.load()(page.html, page.lang, page.url) or "" for system in systems]
    except Exception:  # other people's code raises what it likes
        return []


def _gaps(pages: Sequence[LabelledPage], jobs: int) -> Iterator[Gap]:
    """Yield what the gold of each page lacks; pages on which a system fails are left out."""
    run = partial(_extracted, systems=peers_named(list(SYSTEMS)))
    for page, texts in in_order(run, list(pages), jobs=jobs, failure=lambda page, reason: list[str]()):
        if texts:
            yield gap_of(page, texts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, write the suspects, the worst first; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    Corpora.add_options(parser)
    parser.add_argument("--only", nargs="*", default=[*NEWS, CLEANEVAL[0], "htmltotext", "goose3"], metavar="CORPUS")
    parser.add_argument("--least-share", type=float, default=0.3, help="share of what is agreed on that the gold lacks")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, help="the suspects, as JSON Lines")
    options = parser.parse_args(arguments)
    check_needs(modules=SYSTEMS, folder=options.corpora, corpora=options.only)
    corpora = Corpora.of_options(options)
    wrong = Counter(json.loads(line)["corpus"] for line in WRONG_GOLD.read_text(encoding="utf-8").splitlines())
    found: list[Gap] = []
    rows = []
    for name in options.only:
        pages = corpora.sample(corpora.pages(name))
        gaps = [gap for gap in _gaps(pages, options.jobs) if gap.agreed >= _FEWEST_AGREED]
        suspects = [gap for gap in gaps if gap.missing >= options.least_share]
        rows.append([name, len(pages), len(suspects), wrong[name]])
        found += suspects
    rows.append(["all", *(sum(int(row[place]) for row in rows) for place in (1, 2, 3))])
    if options.output:
        found.sort(key=lambda gap: -gap.missing)
        lines = (json.dumps(asdict(gap), ensure_ascii=False) + "\n" for gap in found)
        options.output.write_text("".join(lines), encoding="utf-8")
    head = ("corpus", "pages", "suspects", "cut short or wrong")
    sys.stdout.write(markdown_table(head, [[str(cell) for cell in row] for row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
