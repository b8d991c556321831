"""Score a sequence model on pages that its weights have not seen, beside other extractors.

Usage::

    python -m experiments.nested_folds --by family --seeds 1 2 3 --report folds.jsonl
    python -m experiments.nested_folds --by corpus --only daniel dragnet
    python -m experiments.nested_folds --by family --peers --save tools/left_out
    python -m experiments.nested_folds --by family --saved tools/left_out

``--by family`` leaves out corpora of one kind and time together, ``--by corpus`` each corpus, ``--by host`` splits the
hosts of all corpora. For each fold, the model is trained on the others by the recipe of the bundled default
(``blockfeat train --config default``) and extracts the fold's pages. Publishers that a fold shares with other corpora
are not trained on, and neither are pages whose gold is known to be wrong. CleanEval's test part is never trained on.
``--saved`` scores the models of an earlier ``--save``, in minutes.

The column "sequence" is the mean over the seeds. "With the headline" is the same with ``headline=True``, for corpora
whose gold mostly has the headline.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

from blockfeat.data import LabelledPage, read_corpus, read_page_list, without_listed
from blockfeat.data.split import folds_by_host
from blockfeat.errors import CorpusError
from blockfeat.evaluation.bootstrap import paired_difference
from blockfeat.evaluation.evaluate import score_page
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.evaluation.peers import Peer, PeerExtract, peers_named
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.model import Model
from blockfeat.models.store import save_model
from blockfeat.training.pages import PageLabeller, TrainingPage, context_measurer, label_pages
from blockfeat.training.registry import load_config
from blockfeat.training.sequence import SequenceTrainer
from experiments.corpora import (
    CLEANEVAL,
    CUT_SHORT,
    DEVELOPMENT,
    FAMILIES,
    HEADLINE_IN_GOLD,
    SNIPPETS,
    WRONG_GOLD,
    Corpora,
)
from experiments.left_out import left_out_models

__all__ = ["Fold", "Score", "folds_of", "main", "table"]

_FOLDS = 4
_OURS, _WITH_HEADLINE, _SEED = "sequence", "with the headline", "seed"
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
    """Return the folds: by host, by corpus or by family of corpora, of which those with some corpora may be chosen.

    Raises
    ------
    CorpusError
        There are too few hosts, or no corpus is chosen.
    """
    if by == "host":
        parts = folds_by_host(pages, _FOLDS)
        return [Fold(f"hosts {number}", train, test) for number, (train, test) in enumerate(parts, start=1)]
    names = list(dict.fromkeys(page.corpus for page in pages))
    joined = FAMILIES if by == "family" else (CLEANEVAL,)
    group_of = {name: group for group in joined for name in group}
    groups = dict.fromkeys(group_of.get(name, (name,)) for name in names if not only or name in only)
    if not groups:
        raise CorpusError(f"none of the corpora {', '.join(only)} is there")
    return [_fold(pages, group) for group in groups]


def _fold(pages: Sequence[LabelledPage], group: Sequence[str]) -> Fold:
    """Return the fold of some corpora; pages of their publishers are not trained on."""
    test = [page for page in pages if page.corpus in group]
    hosts = {page.host for page in test}
    name = ", ".join(dict.fromkeys(page.corpus for page in test))
    return Fold(name, [page for page in pages if page.corpus not in group and page.host not in hosts], test)


def score_fold(models: Sequence[Model], pages: Iterable[LabelledPage], peers: Sequence[Peer]) -> Iterator[Score]:
    """Extract pages with models, one for each seed, and with the peers."""
    extractors = [Extractor.of(model) for model in models]
    loaded = {peer.name: peer.load() for peer in peers}
    for page in pages:
        seeds = [_score(extractor.extract(page.html, url=page.url).text, page) for extractor in extractors]
        found = {_OURS: fmean(seeds)}
        if len(seeds) > 1:
            found |= {f"{_SEED} {number}": score for number, score in enumerate(seeds, start=1)}
        if page.corpus in HEADLINE_IN_GOLD:
            titled = (one.with_options(headline=True).extract(page.html, url=page.url) for one in extractors)
            found[_WITH_HEADLINE] = fmean(_score(extraction.text, page) for extraction in titled)
        for name, extract in loaded.items():
            found[name] = _score(_text_of_peer(name, extract, page), page)
        yield Score(page.corpus, page.id, page.lang, page.page_type, found)


def _text_of_peer(name: str, extract: PeerExtract, page: LabelledPage) -> str:
    """Return what a peer extracts; one that fails on a page has no text for it."""
    try:
        return extract(page.html, page.lang, page.url)
    except Exception as error:  # other people's code raises what it likes
        _logger.info("%s on %s: %s", name, page.id, error)
        return ""


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


def means(scores: Sequence[Score], peers: Sequence[str], wrong: frozenset[tuple[str, str]]) -> str:
    """Return a Markdown table of the mean of the corpora, of each seed too, with and without pages of wrong gold."""
    seeds = sorted({name for score in scores for name in score.by_system if name.startswith(_SEED)})
    rows = []
    for label, kept in (
        ("all pages", list(scores)),
        ("without wrong gold", [score for score in scores if (score.corpus, score.id) not in wrong]),
    ):
        corpora: dict[str, list[Score]] = defaultdict(list)
        for score in kept:
            corpora[score.corpus].append(score)
        row = [label, str(len(kept))]
        for name in (_OURS, *seeds, *peers):
            row.append(f"{fmean(fmean(one.by_system[name] for one in found) for found in corpora.values()):.4f}")
        rows.append(row)
    return markdown_table(("mean of the corpora", "pages", _OURS, *seeds, *peers), rows)


def _labelled(pages: Sequence[LabelledPage], jobs: int) -> list[TrainingPage]:
    """Measure and label what may be trained on: no pages with wrong gold, none of CleanEval's test part."""
    right = without_listed(pages, read_page_list(WRONG_GOLD))
    usable = [page for page in right if page.corpus != CLEANEVAL[1]]
    _, config = load_config("default", "sequence")
    labeller = PageLabeller(context_measurer(config.table), config.labels, config.emptied_weight)
    found, skipped = label_pages(usable, labeller, emptied_every=config.emptied_every, jobs=jobs)
    _logger.info("%d pages to train on, %d cannot be used", len(found), len(skipped))
    return found


def _trained(fold: Fold, labelled: Sequence[TrainingPage], seeds: Sequence[int], save: Path | None) -> list[Model]:
    """Train a model for each seed on a fold; save the first under the name of the fold's first corpus."""
    _, config = load_config("default", "sequence")
    used = {(page.corpus, page.id) for page in fold.training}
    pages = [page for page in labelled if page.source and (page.source.corpus, page.source.id) in used]
    models = []
    for seed in seeds:
        name = f"without-{fold.name.split(', ')[0].replace(' ', '-')}"
        model = SequenceTrainer(config=config, seed=seed, name=name).fit_labelled(pages)
        _logger.info("fold %s: trained on %d pages, seed %d, cut %s", fold.name, len(pages), seed, model.cut)
        models.append(model)
    if save is not None:
        save.mkdir(parents=True, exist_ok=True)
        left_out = sorted({page.corpus for page in fold.test})
        record = {"left out": left_out, "pages": len(pages), "seed": seeds[0]}
        save_model(replace(models[0], record=record), save / f"{models[0].name}.npz")
    return list(models)


def _measured(options: argparse.Namespace, peers: Sequence[Peer]) -> list[Score]:
    """Train for each fold and score its pages."""
    corpora = Corpora.of_options(options)
    names = [name for name in (*DEVELOPMENT, CLEANEVAL[1], SNIPPETS) if name != CUT_SHORT]
    pages = [page for name in names for page in read_corpus(corpora.folder / f"{name}.jsonl.xz")]
    saved = left_out_models(options.saved) if options.saved else None
    labelled = [] if saved else _labelled(pages, options.jobs)
    scores: list[Score] = []
    for fold in folds_of(pages, options.by, options.only):
        models = [saved[fold.test[0].corpus]] if saved else _trained(fold, labelled, options.seeds, options.save)
        scores += score_fold(models, corpora.sample(fold.test), peers)
    return scores


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.nested_folds", description=(__doc__ or "").split("\n")[0]
    )
    Corpora.add_options(parser)
    parser.add_argument("--by", choices=["host", "corpus", "family"], required=True, help="what the folds are")
    parser.add_argument("--only", nargs="+", default=[], help="corpora to leave out in turn and to score")
    parser.add_argument("--peers", nargs="*", default=["trafilatura", "resiliparse"], help="extractors to compare with")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="a model for each; scores are their means")
    parser.add_argument("--save", type=Path, help="folder for the model of the first seed of each fold")
    parser.add_argument("--saved", type=Path, help="folder of saved models to score; none is trained")
    parser.add_argument("--report", type=Path, help="JSON Lines file of the scores; read instead of measured if there")
    parser.add_argument("--jobs", type=int, default=1, help="processes that measure and label")
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
    tables = [table(scores, names, part) for part in ("", "lang", "page_type")]
    sys.stdout.write("\n".join((*tables, means(scores, names, read_page_list(WRONG_GOLD)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
