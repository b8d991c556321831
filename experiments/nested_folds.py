"""Score models on pages that they were not trained on, beside other extractors.

Usage::

    python -m experiments.nested_folds --by family --recipes default margin --report folds.jsonl
    python -m experiments.nested_folds --by corpus --only daniel dragnet
    python -m experiments.nested_folds --by family --seeds 1 2 3 --peers --save tools/left_out
    python -m experiments.nested_folds --by family --seeds 1 2 3 --saved tools/left_out

``--by family`` leaves out corpora of one kind and time together, ``--by corpus`` each corpus, ``--by host`` splits the
hosts of all corpora. For each fold, models are trained on the others by the recipes of bundled models
(``blockfeat train --config NAME``) and extract the fold's pages. Publishers that a fold shares with other corpora
are not trained on, and neither are pages whose gold is known to be wrong. CleanEval's test part is never trained on.
``--saved`` scores the models of an earlier ``--save``, in minutes.

The column of a recipe is the mean over the seeds. "With the headline" is the first recipe's with ``headline=True``, for
corpora whose gold mostly has the headline. Differences are those of the first recipe to all others.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

from blockfeat.data import LabelledPage, read_corpus, read_page_list, without_listed
from blockfeat.data.split import folds_by_host
from blockfeat.errors import CorpusError
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.model import Model
from blockfeat.models.store import save_model
from blockfeat.training.config import load_config, make_trainer
from blockfeat.training.evaluation.evaluate import score_page
from blockfeat.training.evaluation.metrics import markdown_table, paired_difference
from blockfeat.training.evaluation.peers import Peer, PeerExtract, peers_named
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
from experiments.needs import check_needs

__all__ = ["Fold", "Score", "folds_of", "main", "table"]

_FOLDS = 4
_READ = tuple(name for name in (*DEVELOPMENT, CLEANEVAL[1], SNIPPETS) if name != CUT_SHORT)
_WITH_HEADLINE, _SEED = "with the headline", "seed"
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


def score_fold(
    models: Mapping[str, Sequence[Model]], pages: Iterable[LabelledPage], peers: Sequence[Peer]
) -> Iterator[Score]:
    """Extract pages with the models of some recipes, one for each seed, and with the peers."""
    extractors = {name: [Extractor.of(model) for model in own] for name, own in models.items()}
    first = next(iter(extractors))
    loaded = {peer.name: peer.load() for peer in peers}
    for page in pages:
        found: dict[str, float] = {}
        for name, own in extractors.items():
            seeds = [_score(extractor.extract(page.html, url=page.url).text, page) for extractor in own]
            found[name] = fmean(seeds)
            if name == first and len(seeds) > 1:
                found |= {f"{_SEED} {number}": score for number, score in enumerate(seeds, start=1)}
        if page.corpus in HEADLINE_IN_GOLD:
            titled = (one.with_options(headline=True).extract(page.html, url=page.url) for one in extractors[first])
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


def table(scores: Sequence[Score], ours: str, others: Sequence[str], part: str = "") -> str:
    """Return a Markdown table: a row for each corpus, with the difference to each other and its 95 % interval.

    Parameters
    ----------
    scores : sequence of Score
        Of all folds.
    ours : str
        The recipe whose differences are wanted.
    others : sequence of str
        Names of the other recipes and of the peers.
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
    rows = [[name, *_cells(found, ours, others)] for name, found in groups.items()]
    differences = [f"difference to {name}, 95 % interval" for name in others]
    return markdown_table(("corpus", "pages", ours, _WITH_HEADLINE, *others, *differences), rows)


def _cells(scores: Sequence[Score], ours: str, others: Sequence[str]) -> list[str]:
    """Return the pages, the mean of each system and the differences of one row."""

    def values(name: str) -> list[float]:
        return [score.by_system[name] for score in scores if name in score.by_system]

    means = [f"{fmean(values(name)):.3f}" if values(name) else "" for name in (ours, _WITH_HEADLINE, *others)]
    differences = [paired_difference(values(ours), values(other)) for other in others]
    return [str(len(scores)), *means, *(f"{one.mean:+.3f} ({one.low:+.3f} to {one.high:+.3f})" for one in differences)]


def means(scores: Sequence[Score], ours: str, others: Sequence[str], wrong: frozenset[tuple[str, str]]) -> str:
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
        for name in (ours, *seeds, *others):
            row.append(f"{fmean(fmean(one.by_system[name] for one in found) for found in corpora.values()):.4f}")
        rows.append(row)
    return markdown_table(("mean of the corpora", "pages", ours, *seeds, *others), rows)


def _trained(fold: Fold, recipe: str, seeds: Sequence[int], save: Path | None, jobs: int) -> list[Model]:
    """Train a model for each seed by a recipe on what a fold may be trained on; save it if wanted."""
    right = without_listed(fold.training, read_page_list(WRONG_GOLD))
    pages = [page for page in right if page.corpus != CLEANEVAL[1]]
    left_out = sorted({page.corpus for page in fold.test})
    kind, config = load_config(recipe)
    models: list[Model] = []
    for seed in seeds:
        trainer = make_trainer(kind, config, seed=seed, jobs=jobs, name=recipe)
        model = trainer.fit(pages)
        models.append(model)
        _logger.info("fold %s: %s trained on %d pages, seed %d", fold.name, recipe, len(pages), seed)
        if save is not None:
            record = {"recipe": recipe, "seed": seed, "left out": left_out, "pages": len(pages)}
            path = save / f"{recipe}-{seed}-without-{fold.name.split(', ')[0]}{trainer.suffix}"
            save.mkdir(parents=True, exist_ok=True)
            save_model(replace(model, name=path.stem, record=record), path)  # type: ignore[type-var]
    return models


def _saved(folder: Path, fold: Fold, recipe: str, seed: int) -> Model:
    """Return the model of a folder that was trained without the corpora of a fold."""
    models = left_out_models(folder, recipe=recipe, seed=seed)
    missing = [page.corpus for page in fold.test if page.corpus not in models]
    if missing:
        raise CorpusError(f"{folder}: no model by the recipe {recipe!r} was trained without {missing[0]}")
    return models[fold.test[0].corpus]


def _measured(options: argparse.Namespace, peers: Sequence[Peer]) -> list[Score]:
    """Train for each fold, or take the models that were saved, and score its pages."""
    corpora = Corpora.of_options(options)
    pages = [page for name in _READ for page in read_corpus(corpora.folder / f"{name}.jsonl.xz")]
    scores: list[Score] = []
    for fold in folds_of(pages, options.by, options.only):
        models: dict[str, list[Model]] = {}
        for recipe in options.recipes:
            if options.saved is None:
                models[recipe] = _trained(fold, recipe, options.seeds, options.save, options.jobs)
            else:
                models[recipe] = [_saved(options.saved, fold, recipe, seed) for seed in options.seeds]
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
    parser.add_argument("--recipes", nargs="+", default=["default"], help="configurations of bundled models")
    parser.add_argument("--peers", nargs="*", default=["trafilatura", "resiliparse"], help="extractors to compare with")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="a model for each; scores are their means")
    parser.add_argument("--save", type=Path, help="folder for the models")
    parser.add_argument("--saved", type=Path, help="folder of saved models to score; none is trained")
    parser.add_argument("--report", type=Path, help="JSON Lines file of the scores; read instead of measured if there")
    parser.add_argument("--jobs", type=int, default=1, help="processes that measure pages")
    options = parser.parse_args(arguments)
    if options.by == "host" and (options.save or options.saved):
        parser.error("models are saved by the corpora that they left out; --by host leaves out none")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    peers = peers_named(options.peers)
    is_measured = options.report is None or not options.report.exists()
    if is_measured:
        trained = ["torch", "lightgbm"] if options.saved is None and "default" in options.recipes else []
        check_needs(modules=trained, folder=options.corpora, corpora=_READ)
    if options.report is not None and options.report.exists():
        lines = options.report.read_text(encoding="utf-8").splitlines()
        scores = [Score(**json.loads(line)) for line in lines]
    else:
        scores = _measured(options, peers)
        if options.report is not None:
            text = "".join(json.dumps(asdict(score), ensure_ascii=False) + "\n" for score in scores)
            options.report.write_text(text, encoding="utf-8")
    names = [*options.recipes, *(peer.name for peer in peers)]
    ours, others = names[0], names[1:]
    tables = [table(scores, ours, others, part) for part in ("", "lang", "page_type")]
    sys.stdout.write("\n".join((*tables, means(scores, ours, others, read_page_list(WRONG_GOLD)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
