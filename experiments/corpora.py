"""The labelled corpora that the experiments read: where they are, what their gold holds, folds by host."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.split import folds_by_host
from blockfeat.page.document import guess_host

__all__ = [
    "BESIDE_ARTICLES",
    "CLEANEVAL",
    "CUT_SHORT",
    "DEVELOPMENT",
    "FAMILIES",
    "HEADLINE_IN_GOLD",
    "NEWS",
    "SNIPPETS",
    "STRUCTURED",
    "WRONG_GOLD",
    "Corpora",
    "by_host",
    "fold_numbers",
    "host_of",
]

NEWS = ("cleanportaleval", "daniel", "dragnet", "fundus", "l3s-gn1", "newspaper4k", "wcxb-dev")
"""Corpora with a gold text that is not CleanEval's: news, blogs, and the page types of WCXB."""
BESIDE_ARTICLES = ("harvest", "lists")
"""Threads of forums; listings, products and events."""
STRUCTURED = "structured-dev"
"""Pages of documentation generators, blogs, wikis and books, with the structure of their text."""
CLEANEVAL = ("cleaneval-dev", "cleaneval-test")
"""Development and test pages of CleanEval."""
DEVELOPMENT = (CLEANEVAL[0], *NEWS, "goose3", "htmltotext", STRUCTURED, "andy", "xmu", *BESIDE_ARTICLES)
"""Corpora with a gold text that models may be trained on."""
SNIPPETS = "trafilatura"
"""The corpus with snippets in place of gold texts."""
CUT_SHORT = "goose3"
"""The corpus whose gold texts were cut short by machine: no model of blocks is trained on it."""
FAMILIES = (
    ("fundus", "cleanportaleval", "newspaper4k", "htmltotext", SNIPPETS),
    ("daniel",),
    ("dragnet",),
    ("l3s-gn1",),
    ("wcxb-dev",),
    CLEANEVAL,
    (STRUCTURED,),
    ("andy",),
    ("xmu",),
    BESIDE_ARTICLES,
)
"""Corpora that are left out together: those of one kind and time have pages of the same publishers."""
WRONG_GOLD = Path(__file__).with_name("wrong_gold.jsonl")
"""Pages whose gold text is cut short or wrong, each with the reason; see `experiments.gold_gaps`."""
HEADLINE_IN_GOLD = frozenset({*CLEANEVAL, "daniel", "dragnet", "l3s-gn1"})
"""Corpora whose gold mostly begins with the headline."""


@dataclass(frozen=True)
class Corpora:
    """A folder of corpora, of which every page or each n-th is read.

    Attributes
    ----------
    folder : Path
        Holds ``NAME.jsonl.xz``.
    every : int
        Each n-th page of a corpus is scored; 1 for all.
    """

    folder: Path
    every: int = 1

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add ``--corpora`` and ``--every``."""
        parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
        parser.add_argument("--every", type=int, default=1, metavar="N", help="score each n-th page of a corpus")

    @classmethod
    def of_options(cls, options: Namespace) -> Corpora:
        """Return what the options name."""
        return cls(options.corpora, options.every)

    def pages(self, name: str) -> list[LabelledPage]:
        """Return all pages of a corpus that have a gold text."""
        return [page for page in read_corpus(self.folder / f"{name}.jsonl.xz") if page.text]

    def sample(self, pages: Iterable[LabelledPage]) -> list[LabelledPage]:
        """Return each n-th of some pages."""
        return list(pages)[:: self.every]

    @property
    def share(self) -> str:
        """Words for the share of pages that is scored, such as "every second page"."""
        ordinals = {1: "every", 2: "every second", 3: "every third", 4: "every fourth"}
        return f"{ordinals.get(self.every, f'every {self.every}th')} page"


def fold_numbers(pages: Iterable[LabelledPage], folds: int = 3) -> dict[tuple[str, str], int]:
    """Return the fold of each page by corpus and id; all pages of a host are in one fold."""
    parts = folds_by_host(pages, folds)
    return {(page.corpus, page.id): number for number, (_, part) in enumerate(parts) for page in part}


def host_of(page: LabelledPage) -> str | None:
    """Return the host of a page's address, or the site that the page names where its corpus gives no address."""
    if page.url is None:
        return guess_host(page.html)
    return (urlsplit(page.url).hostname or "").removeprefix("www.") or None


def by_host(pages: Iterable[LabelledPage]) -> dict[str, list[LabelledPage]]:
    """Return the hosts that have several pages."""
    found: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        host = host_of(page)
        if host is not None and page.text:
            found[host].append(page)
    return {host: own for host, own in found.items() if len(own) > 1}
