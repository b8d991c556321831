"""Does extraction help a search engine (4.5)? Headlines that other pages carry as teasers, searched with BM25."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from blockfeat import Extractor
from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.tagtable import load_table
from blockfeat.data import LabelledPage
from blockfeat.lang import tokenize
from blockfeat.page.page import Page
from blockfeat.training.evaluation.metrics import markdown_table, paired_difference
from blockfeat.training.evaluation.peers import PeerExtract, installed_peers
from experiments.left_out import left_out_models
from experiments.web2text.bte import BodyTextExtractor
from experiments.web2text.known_items import known_item_ranks
from experiments.web2text.leaf_pages import BTE
from experiments.web2text.study import Study, extracted

__all__ = ["RAW", "TeaserQuery", "extracted_by_systems", "retrieval_section", "teaser_queries"]

_CORPORA = ("daniel", "dragnet")
_PEERS = ("boilerpy3-default", "trafilatura", "readability-lxml", "resiliparse")
RAW = "raw page"
_FEWEST_WORDS, _MOST_WORDS = 4, 25
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TeaserQuery:
    """A headline and the place of its article among the pages, which other pages of the site carry as a teaser."""

    headline: str
    place: int
    teasers: int


def retrieval_section(study: Study) -> str:
    """Return mean reciprocal rank and the share found first by indexed text, against the raw pages."""
    everything = [page for name in _CORPORA for page in study.corpora.pages(name)]
    cutter = Blockifier.of(load_table("html5"))
    pages = [page for found in _large_sites(everything) for page in found]
    blocks = ["\n".join(cutter.cut(Page.parse(page.html)).texts()) for page in pages]
    queries = teaser_queries(pages, blocks)
    hosts = {pages[query.place].host for query in queries}
    indexed = [place for place, page in enumerate(pages) if page.host in hosts]
    at = {place: number for number, place in enumerate(indexed)}
    wanted = [at[query.place] for query in queries]
    ranks = {}
    for name, texts in extracted_by_systems([pages[place] for place in indexed], cutter):
        ranks[name] = known_item_ranks(texts, [query.headline for query in queries], wanted)
        _logger.info("retrieval: %s", name)
    head = (
        f"{len(queries)} queries over {len(indexed)} pages of {len(hosts)} sites of DAnIEL and Dragnet; each headline "
        f"stands in {np.mean([query.teasers for query in queries]):.1f} other pages outside of their gold.\n\n"
    )
    columns = ("indexed text", "mean reciprocal rank", "found first", f"difference to {RAW}, 95 % interval", "p")
    return head + markdown_table(columns, [_row(name, found, ranks[RAW]) for name, found in ranks.items()])


def _large_sites(pages: Iterable[LabelledPage]) -> list[list[LabelledPage]]:
    by_host: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in pages:
        by_host[page.host].append(page)
    return [found for found in by_host.values() if len(found) > 1]


def teaser_queries(pages: Sequence[LabelledPage], texts: Sequence[str]) -> list[TeaserQuery]:
    """Return the headlines that stand on other pages of their site too, there outside of the gold.

    Parameters
    ----------
    pages : sequence of LabelledPage
        With gold texts whose first line is the headline.
    texts : sequence of str
        All text of each page, clutter included.
    """
    words = [_words(text) for text in texts]
    golds = [_words(page.text or "") for page in pages]
    by_host: dict[str, list[int]] = defaultdict(list)
    for place, page in enumerate(pages):
        by_host[page.host].append(place)
    queries = []
    for place, page in enumerate(pages):
        headline = (page.text or "").strip().split("\n")[0]
        phrase = _words(headline)
        if not _FEWEST_WORDS <= len(phrase.split()) <= _MOST_WORDS:
            continue
        others = [other for other in by_host[page.host] if other != place]
        teasers = sum(phrase in words[other] and phrase not in golds[other] for other in others)
        if teasers and not any(phrase in golds[other] for other in others):
            queries.append(TeaserQuery(headline, place, teasers))
    return queries


def _words(text: str) -> str:
    """Return the words of a text, each between spaces."""
    return f" {' '.join(tokenize(text))} "


def extracted_by_systems(pages: Sequence[LabelledPage], cutter: Blockifier) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts to index of all pages, by each system."""
    for name, text_of in _systems(cutter).items():
        yield name, [extracted(text_of, page) for page in pages]


def _systems(cutter: Blockifier) -> Mapping[str, Callable[[LabelledPage], str]]:
    """Return what makes the text to index of a page, by name; our models keep headlines, as the gold does."""
    ours = {name: Extractor.load(name).with_options(headline=True) for name in ("default", "web2text")}
    unseen = left_out_models()
    by_corpus = {name: Extractor.of(model).with_options(headline=True) for name, model in unseen.items()}
    return {
        RAW: lambda page: Page.parse(page.html, keep_raw_text=True).all_text(),
        "all blocks": lambda page: "\n".join(cutter.cut(Page.parse(page.html)).texts()),
        "gold": lambda page: page.text or "",
        **{f"blockfeat {name}": _of_extractor(extractor) for name, extractor in ours.items()},
        "blockfeat default, trained without the corpus": lambda page: by_corpus[page.corpus].extract(page.html).text,
        BTE: _of_peer(BodyTextExtractor.make()),
        **{peer.name: _of_peer(peer.load()) for peer in installed_peers() if peer.name in _PEERS},
    }


def _of_extractor(extractor: Extractor) -> Callable[[LabelledPage], str]:
    return lambda page: extractor.extract(page.html).text


def _of_peer(function: PeerExtract) -> Callable[[LabelledPage], str]:
    return lambda page: function(page.html, page.lang, page.url)


def _row(name: str, ranks: np.ndarray, raw: np.ndarray) -> list[str]:
    reciprocal = 1 / ranks
    cells = [name, f"{reciprocal.mean():.4f}", f"{np.mean(ranks == 1):.4f}"]
    if name == RAW:
        return [*cells, "", ""]
    found = paired_difference(reciprocal, 1 / raw)
    return [*cells, f"{found.mean:+.4f} ({found.low:+.4f} to {found.high:+.4f})", f"{found.p:.3f}"]
