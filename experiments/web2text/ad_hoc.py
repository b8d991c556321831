"""Does extraction help a search engine (4.5)? Stories that several papers report, by query likelihood and RM3."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.tagtable import load_table
from blockfeat.training.evaluation.metrics import markdown_table, paired_difference
from experiments.web2text.ranking import Index, Measures, measures_of
from experiments.web2text.retrieval import RAW, extracted_by_systems
from experiments.web2text.study import Study

__all__ = ["Topic", "ad_hoc_section", "topics_of"]

_CORPORA = ("l3s-gn1", "dragnet")
_LIKE, _VERY_LIKE = 0.2, 0.4
_FEWEST_RELEVANT, _MOST_RELEVANT = 3, 60
_FEWEST_WORDS, _MOST_WORDS = 4, 20
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Topic:
    """A headline, the text that it stands over, and the grades of the texts on the same story: 1 or 2."""

    headline: str
    source: int
    grades: dict[int, int]


def topics_of(golds: Sequence[str]) -> list[Topic]:
    """Return the stories that four texts or more report.

    Two texts are on the same story where the cosine of their words, weighted by idf, is .2 or more (grade 1), .4 or
    more (grade 2). A text is relevant to one topic only, or is the source of one.

    Parameters
    ----------
    golds : sequence of str
        Gold texts whose first line is the headline.
    """
    counts = Index.of(golds).counts
    idf = np.log(len(golds) / np.maximum((counts > 0).sum(axis=0), 1))
    damped = counts.copy()
    damped.data = 1 + np.log(damped.data)  # or long texts are like all others
    weighted = damped.multiply(idf[None, :]).tocsr()
    norms = np.sqrt(np.maximum(weighted.multiply(weighted).sum(axis=1), 1e-12))
    alike = (weighted @ weighted.T).toarray() / norms[:, None] / norms[None, :]
    np.fill_diagonal(alike, 0.0)
    topics: list[Topic] = []
    taken: set[int] = set()
    for source in np.argsort(-(alike >= _LIKE).sum(axis=1), kind="stable").tolist():
        found = [place for place in (alike[source] >= _LIKE).nonzero()[0].tolist() if place not in taken]
        headline = golds[source].strip().split("\n")[0]
        if source in taken or not _FEWEST_RELEVANT <= len(found) <= _MOST_RELEVANT:
            continue
        if _FEWEST_WORDS <= sum(map(str.isalpha, headline.split())) <= _MOST_WORDS:
            grades = {place: 1 + int(alike[source, place] >= _VERY_LIKE) for place in found}
            topics.append(Topic(headline, source, grades))
            taken |= {source, *found}
    return topics


def ad_hoc_section(study: Study) -> str:
    """Return P@10, R@10, MAP and nDCG of both models by indexed text, against the raw pages."""
    pages = [page for name in _CORPORA for page in study.corpora.pages(name)]
    topics = topics_of([page.text or "" for page in pages])
    relevant = sum(len(topic.grades) for topic in topics)
    found: dict[tuple[str, str], list[Measures]] = {}
    for name, texts in extracted_by_systems(pages, Blockifier.of(load_table("html5"))):
        index = Index.of(texts)
        for model, rank in (("QL", index.query_likelihood), ("RM", index.relevance_model)):
            found[model, name] = [measures_of(rank(topic.headline), topic.grades, topic.source) for topic in topics]
        _logger.info("ad hoc: %s", name)
    head = f"{len(topics)} topics with {relevant} relevant texts over {len(pages)} pages of L3S-GN1 and Dragnet.\n\n"
    columns = ("model", "indexed text", "P@10", "R@10", "MAP", "nDCG@10", f"MAP, difference to {RAW}, 95 % interval")
    rows = [_row(model, name, own, found[model, RAW]) for (model, name), own in sorted(found.items(), key=_by_model)]
    return head + markdown_table(columns, rows)


def _by_model(entry: tuple[tuple[str, str], list[Measures]]) -> str:
    return entry[0][0]


def _row(model: str, name: str, own: Sequence[Measures], raw: Sequence[Measures]) -> list[str]:
    means = [
        float(np.mean([getattr(one, field) for one in own]))
        for field in ("precision", "recall", "average_precision", "ndcg")
    ]
    cells = [model, name, *(f"{mean:.3f}" for mean in means)]
    if name == RAW:
        return [*cells, ""]
    difference = paired_difference([one.average_precision for one in own], [one.average_precision for one in raw])
    return [*cells, f"{difference.mean:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})"]
