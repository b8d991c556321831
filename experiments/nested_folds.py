"""Score a sequence model on pages that neither its weights nor its cut have seen, beside other extractors.

Usage::

    python -m experiments.nested_folds --by host --report folds.jsonl
    python -m experiments.nested_folds --by corpus --only daniel dragnet

``--by host`` splits the hosts of all corpora into folds, ``--by corpus`` takes each corpus as a fold. For each fold,
the model is trained on the others as ``blockfeat train --kind sequence`` does, the choice of the cut included, and
extracts the fold's pages. The two corpora of CleanEval are one fold.

"With the headline" is the same model with ``headline=True``, for corpora whose gold mostly has the headline.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.split import folds_by_host
from blockfeat.errors import CorpusError
from blockfeat.evaluation.bootstrap import paired_difference
from blockfeat.evaluation.evaluate import score_page
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.evaluation.peers import Peer, peers_named
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.model import Model
from blockfeat.training import make_trainer
from experiments.corpora import CLEANEVAL, DEVELOPMENT, HEADLINE_IN_GOLD, SNIPPETS, Corpora

__all__ = ["Fold", "Score", "folds_of", "main", "table"]

_FOLDS = 4
_OURS, _WITH_HEADLINE = "sequence", "with the headline"
_LEAST_PAGES = 10
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fold:
    """Pages to train on and pages to score."""

    name: str
    training: list[LabelledPage]
    test: list[LabelledPage]


@dataclass(frozen=True)
class Score:
    """The scores of all systems on a page: word F1, or snippet F1 where it has no gold text."""

    corpus: str
    id: str
    lang: str | None
    page_type: str | None
    by_system: dict[str, float]


def folds_of(pages: Sequence[LabelledPage], by: str, only: Sequence[str] = ()) -> list[Fold]:
    """Return the folds: by host, or by corpus, of which some may be chosen.

    Raises
    ------
    CorpusError
        There are too few hosts, or no corpus is chosen.
    """
    if by == "host":
        parts = folds_by_host(pages, _FOLDS)
        return [Fold(f"hosts {number}", train, test) for number, (train, test) in enumerate(parts, start=1)]
    names = list(dict.fromkeys(page.corpus for page in pages if not only or page.corpus in only))
    groups = list(dict.fromkeys(CLEANEVAL if name in CLEANEVAL else (name,) for name in names))
    if not groups:
        raise CorpusError(f"none of the corpora {', '.join(only)} is there")
    return [
        Fold(
            ", ".join(group),
            [page for page in pages if page.corpus not in group],
            [page for page in pages if page.corpus in group],
        )
        for group in groups
    ]


def score_fold(model: Model, pages: Iterable[LabelledPage], peers: Sequence[Peer]) -> Iterator[Score]:
    """Extract pages with the model and the peers."""
    extractor = Extractor.of(model)
    with_headline = extractor.with_options(headline=True)
    loaded = {peer.name: peer.load() for peer in peers}
    for page in pages:
        texts = {_OURS: extractor.extract(page.html, url=page.url).text}
        if page.corpus in HEADLINE_IN_GOLD:
            texts[_WITH_HEADLINE] = with_headline.extract(page.html, url=page.url).text
        for name, extract in loaded.items():
            try:
                texts[name] = extract(page.html, page.lang, page.url)
            except Exception as error:  # a peer that fails on a page has no text for it
                _logger.info("%s on %s: %s", name, page.id, error)
                texts[name] = ""
        scores = {name: _score(text, page) for name, text in texts.items()}
        yield Score(page.corpus, page.id, page.lang, page.page_type, scores)


def _score(text: str, page: LabelledPage) -> float:
    found = score_page(text, page)
    if found.f1 is not None:
        return found.f1
    return found.snippets.f1 if found.snippets is not None else 0.0


def table(scores: Sequence[Score], peers: Sequence[str], part: str = "") -> str:
    """Return a Markdown table: a row for each corpus, with the difference to each peer and its 95 % interval.

    Parameters
    ----------
    scores : sequence of Score
        Of all folds.
    peers : sequence of str
        Names of the peers.
    part : str
        ``"lang"`` or ``"page_type"`` for a row for each of those of a corpus that has several, of ten pages or more.
    """
    groups: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        value = getattr(score, part) if part else ""
        if value is not None:
            groups[f"{score.corpus} {value}".strip()].append(score)
    if part:
        groups = {name: found for name, found in sorted(groups.items()) if len(found) >= _LEAST_PAGES}
        corpora = [found[0].corpus for found in groups.values()]
        groups = {name: found for name, found in groups.items() if corpora.count(found[0].corpus) > 1}
    rows = [[name, *_cells(found, peers)] for name, found in groups.items()]
    differences = [f"difference to {peer}, 95 % interval" for peer in peers]
    return markdown_table(("corpus", "pages", _OURS, _WITH_HEADLINE, *peers, *differences), rows)


def _cells(scores: Sequence[Score], peers: Sequence[str]) -> list[str]:
    """Return the pages, the mean of each system and the differences of one row."""

    def values(name: str) -> list[float]:
        return [score.by_system[name] for score in scores if name in score.by_system]

    means = [f"{fmean(values(name)):.3f}" if values(name) else "" for name in (_OURS, _WITH_HEADLINE, *peers)]
    differences = [paired_difference(values(_OURS), values(peer)) for peer in peers]
    return [str(len(scores)), *means, *(f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f})" for one in differences)]


def _measured(options: argparse.Namespace, peers: Sequence[Peer]) -> list[Score]:
    """Train for each fold and score its pages."""
    corpora = Corpora.of_options(options)
    names = (*DEVELOPMENT, CLEANEVAL[1], SNIPPETS)
    pages = [page for name in names for page in read_corpus(corpora.folder / f"{name}.jsonl.xz")]
    scores: list[Score] = []
    for fold in folds_of(pages, options.by, options.only):
        # CleanEval's test part is never trained on.
        training = [page for page in fold.training if page.corpus != CLEANEVAL[1]]
        model = make_trainer("sequence", seed=options.seed).fit(training)
        _logger.info("fold %s: trained on %d pages", fold.name, len(training))
        scores += score_fold(model, corpora.sample(fold.test), peers)
    return scores


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.nested_folds", description=(__doc__ or "").split("\n")[0]
    )
    Corpora.add_options(parser)
    parser.add_argument("--by", choices=["host", "corpus"], required=True, help="what the folds are")
    parser.add_argument("--only", nargs="+", default=[], help="corpora to leave out in turn and to score")
    parser.add_argument("--peers", nargs="*", default=["trafilatura", "resiliparse"], help="extractors to compare with")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, help="JSON Lines file of the scores; read instead of measured if there")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    peers = peers_named(options.peers)
    if options.report is not None and options.report.exists():
        lines = options.report.read_text(encoding="utf-8").splitlines()
        scores = [Score(**json.loads(line)) for line in lines]
    else:
        scores = _measured(options, peers)
        if options.report is not None:
            text = "".join(json.dumps(asdict(score), ensure_ascii=False) + "\n" for score in scores)
            options.report.write_text(text, encoding="utf-8")
    names = [peer.name for peer in peers]
    sys.stdout.write("\n".join(table(scores, names, part) for part in ("", "lang", "page_type")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
