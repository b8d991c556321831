"""Write experiments/results/ziegler.md: Ziegler & Skubacz (2007) on news in five languages.

Usage::

    python -m experiments.ziegler --output experiments/results/ziegler.md
    python -m experiments.ziegler --only figure3 --output experiments/results/ziegler.md

Pages with gold text are split by host, 70 to 30, with a seed for each repetition. The mean over the test pages of a
split is cosine × length ratio; tables have the mean of these over the splits, and intervals of 95 % (t distribution),
of differences paired by split. Each feature alone has the threshold that is best on the training part, of 41.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import load_table
from blockfeat.data import LabelledPage, read_corpus
from blockfeat.data.split import split_by_host
from blockfeat.extraction.extractor import measurer_for
from blockfeat.features.measuring import PageFeatures, features_named
from blockfeat.features.schema import CANONICAL_NAMES, Feature
from blockfeat.models.decoding import Decoder
from blockfeat.models.threshold import JOINT, ThresholdModel
from blockfeat.page.page import Page
from blockfeat.pso.fitness import Chunk
from blockfeat.pso.search import SearchResult, SearchSpace, search
from blockfeat.training.config import load_config, no_progress
from blockfeat.training.evaluation.metrics import cosine_length_ratio, markdown_table
from blockfeat.training.examples import measured_pages
from blockfeat.training.run_masks import run_masks, smallest_margins
from blockfeat.training.swarm_search import Gold, Preparer, chunk_of
from blockfeat.training.thresholds import PreparedPage, ThresholdConfig
from experiments.documents import add_page_options, write_page
from experiments.needs import check_needs
from experiments.searches import interval

Array = NDArray[np.float64]
_TEMPLATE = Path(__file__).with_name("ziegler_page.md")
_NEWS = ("fundus", "newspaper4k", "htmltotext", "cleanportaleval", "l3s-gn1")
_PAPER_PAGES = {"en": 265, "de": 195, "es": 50, "fr": 50, "it": 50}
_MOST = 265
_LANGS = ("en", "de", "es", "fr", "tr")
_SHARE, _NEARLY, _POINTS, _FEW = 0.7, 0.99, 41, 3
_PAPER = load_config("paper")[1]
_SYSTEMS: dict[str, ThresholdConfig] = {
    "FE, to the letter (`paper.toml`)": _PAPER,
    "FE, `ziegler2007`, conjunction": ThresholdConfig(table="ziegler2007", decoder="conjunction"),
    "FE, `ziegler2007`, best run": ThresholdConfig(table="ziegler2007"),
    "FE, `html5`, conjunction": ThresholdConfig(decoder="conjunction"),
    "FE, `html5`, best run": ThresholdConfig(),
}
_LETTER, _MODERN = "FE, to the letter (`paper.toml`)", "FE, `html5`, conjunction"
_PR, _TB, _ALONE = "PR, all blocks", "TB, all text", "alone"
_FIGURES = {_LETTER: "0.857", f"{_PR}, `ziegler2007`": "0.601", _TB: "0.424"}
_MOVES = (
    (2.5, 1.5, 0.98, None),
    (2.0, 2.0, 0.98, None),
    (2.0, 2.0, 0.7, None),
    (1.5, 1.5, 0.7, None),
    (1.0, 1.0, 0.7, None),
    (1.0, 1.0, 0.98, None),
    (0.2, 0.2, 0.98, None),
    (2.5, 1.5, 0.98, 0.5),
    (2.0, 2.0, 0.7, 0.5),
)
"""Cognition, social, inertia and limit of the velocity: Fig. 3's two, then one thing changed after another."""
_GENERATIONS = (1, 5, 10, 20, 50, 100)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prepared:
    """Pages side by side, measured as a configuration asks for; they give the scores of each page."""

    config: ThresholdConfig
    pages: Sequence[PreparedPage]

    @cached_property
    def space(self) -> SearchSpace:
        """What the swarm looks for."""
        return SearchSpace(features_named(self.config.features), with_margins=self.config.decoder == "mss")

    def fitness(self, positions: Array) -> Array:
        """Return the score of each page for each position: pages × positions."""
        limits = np.ascontiguousarray(self.space.oriented_thresholds(positions).T)
        if self.config.decoder == "conjunction":
            masks = (smallest_margins(self._values, limits) >= 0).astype(np.float32)
        else:
            margins = [self.space.margins_of(position) for position in positions]
            softness = np.array([margin.softness for margin in margins], dtype=np.float32)
            penalty = np.array([margin.penalty for margin in margins], dtype=np.float32)
            masks = run_masks(self._values, self._words, self._starts, limits, softness, penalty)
        return self._chunk.fitness(masks)

    def curve(self, feature: Feature) -> Array:
        """Return the score of each page if one feature alone decides, at 41 thresholds: pages × thresholds."""
        tried = np.tile(replace(self.space, with_margins=False).keep_all, (_POINTS, 1))
        tried[:, self.space.features.index(feature)] = np.linspace(0, 1, _POINTS)
        conjunction = replace(self, config=replace(self.config, decoder="conjunction"))
        return conjunction.fitness(tried)

    def search(self, config: ThresholdConfig, seed: int) -> SearchResult:
        """Return what the swarm of a configuration finds."""
        known = self.space.keep_all if config.start_open else None
        swarm = replace(config.swarm, seed=seed)
        return search(
            lambda at: self.fitness(at).mean(axis=0), self.space.dimensions, swarm, config.polish, known=known
        )

    @cached_property
    def _values(self) -> NDArray[np.float32]:
        return self.space.oriented(np.concatenate([page.matrix for page in self.pages]))

    @cached_property
    def _words(self) -> NDArray[np.float32]:
        return np.concatenate([page.words for page in self.pages]).astype(np.float32)

    @cached_property
    def _starts(self) -> NDArray[np.int32]:
        return np.cumsum([0, *(page.words.size for page in self.pages)], dtype=np.int32)

    @cached_property
    def _chunk(self) -> Chunk:
        return chunk_of(self.pages, self.config.fitness)


def _prepare(measured: PageFeatures, gold: Gold) -> PreparedPage:
    matrix = np.asarray(measured.matrix, dtype=np.float64)
    return PreparedPage(matrix, measured.lang, words=measured.blocks.measures.words, gold=gold)


@dataclass(frozen=True, eq=False)
class Study:
    """The pages, and what is computed of them once."""

    labelled: Sequence[LabelledPage]
    repeat: int

    @cached_property
    def pages(self) -> list[LabelledPage]:
        """The pages that have text in every table."""
        known = [self.prepared(_measured_alike(_SYSTEMS[name])) for name in (_LETTER, _MODERN)]
        return [page for page in self.labelled if all(_key(page) in own for own in known)]

    @cache  # noqa: B019 - there is one study
    def prepared(self, config: ThresholdConfig) -> dict[tuple[str, str], PreparedPage]:
        """Return the pages as a configuration measures them, by corpus and id."""
        features = features_named(config.features)
        blank = ThresholdModel(
            name="blank",
            table=load_table(config.table),
            features=features,
            thresholds={JOINT: np.array([-feature.sign * np.inf for feature in features])},
            decoder=Decoder(config.decoder),
            stop_word_scope=config.stop_word_scope,
            segmenter=config.segmenter,
        )
        work = Preparer(measurer_for(blank), "cosine", blank.table.reads_drawings, _prepare)
        found, skipped = measured_pages(work, self.labelled, jobs=1, on_progress=no_progress)
        _logger.info("%s, %s: %d pages, %d skipped", config.table, config.stop_word_scope, len(found), len(skipped))
        return {_key(page): own for page, own in found}

    def part(self, config: ThresholdConfig, pages: Sequence[LabelledPage]) -> Prepared:
        """Return some of the pages, side by side."""
        known = self.prepared(_measured_alike(config))
        return Prepared(config, [known[_key(page)] for page in pages])

    @cached_property
    def splits(self) -> list[tuple[list[LabelledPage], list[LabelledPage]]]:
        """The training and the test part of each repetition."""
        return [split_by_host(self.pages, _SHARE, seed) for seed in range(1, self.repeat + 1)]

    @cached_property
    def scores(self) -> dict[str, list[float]]:
        """The mean score of each system on the test part, by split."""
        return {name: [fmean(score for _, score in own) for own in pages] for name, pages in self.by_page.items()}

    @cached_property
    def by_page(self) -> dict[str, list[list[tuple[str, float]]]]:
        """For each system and split, the language and the score of each test page."""
        found: dict[str, list[list[tuple[str, float]]]] = defaultdict(list)
        for seed, (training, test) in enumerate(self.splits, start=1):
            for name, scores in self._scores_of_split(training, test, seed):
                found[name].append(scores)
            _logger.info("split %d", seed)
        return found

    def _scores_of_split(
        self, training: Sequence[LabelledPage], test: Sequence[LabelledPage], seed: int
    ) -> Iterator[tuple[str, list[tuple[str, float]]]]:
        def of_pages(scores: Array) -> list[tuple[str, float]]:
            return [(page.lang or "", float(score)) for page, score in zip(test, scores, strict=True)]

        for name, config in _SYSTEMS.items():
            learnt, unseen = self.part(config, training), self.part(config, test)
            position = learnt.search(config, seed).position
            yield name, of_pages(unseen.fitness(position[None])[:, 0])
            if name not in (_LETTER, _MODERN):
                continue
            keep_all = replace(learnt.space, with_margins=False).keep_all
            yield f"{_PR}, `{config.table}`", of_pages(unseen.fitness(keep_all[None])[:, 0])
            for feature in learnt.space.features:
                best = int(learnt.curve(feature).mean(axis=0).argmax())
                yield f"{feature.title} {_ALONE}, `{config.table}`", of_pages(unseen.curve(feature)[:, best])
        yield _TB, of_pages(np.array([_score_of_all_text(page) for page in test]))


def _measured_alike(config: ThresholdConfig) -> ThresholdConfig:
    """Return what a page is measured by, whatever the swarm and the decoder."""
    return ThresholdConfig(
        table=config.table, features=config.features, stop_word_scope=config.stop_word_scope, segmenter=config.segmenter
    )


@cache
def _score_of_all_text(page: LabelledPage) -> float:
    return cosine_length_ratio(Page.parse(page.html, keep_raw_text=True).all_text(), page.text or "")


def _key(page: LabelledPage) -> tuple[str, str]:
    return page.corpus, page.id


def read_news(folder: Path) -> list[LabelledPage]:
    """Return the news with gold text in five languages; of English as many as the paper has, the oldest corpus last."""
    found = [page for name in _NEWS for page in read_corpus(folder / f"{name}.jsonl.xz") if page.text]
    kept, counts = [], Counter[str]()
    for page in found:
        if page.lang in _LANGS and counts[page.lang] < _MOST:
            counts[page.lang] += 1
            kept.append(page)
    return kept


def pages_table(study: Study) -> str:
    """Return how many pages there are by language and corpus."""
    counts = Counter((page.lang, page.corpus) for page in study.pages)
    corpora = [name for name in _NEWS if any(corpus == name for _, corpus in counts)]
    rows = [
        [
            lang,
            *(str(counts[lang, name] or "") for name in corpora),
            str(sum(counts[lang, name] for name in corpora)),
            str(_PAPER_PAGES.get(lang, "")),
        ]
        for lang in dict.fromkeys((*_LANGS, *_PAPER_PAGES))
    ]
    return markdown_table(["language", *corpora, "all", "paper"], rows)


def table1(study: Study) -> str:
    """Return the systems, beside the paper's where table and decoder are the same, and by language."""
    rows = []
    for name, scores in study.scores.items():
        if f" {_ALONE}," in name:
            continue
        by_lang: dict[str, list[float]] = defaultdict(list)
        for split in study.by_page[name]:
            for lang, score in split:
                by_lang[lang].append(score)
        low, high = interval(scores)
        langs = [f"{fmean(by_lang[lang]):.3f}" if by_lang[lang] else "" for lang in _LANGS]
        rows.append([name, f"{fmean(scores):.3f}", f"{low:.3f} to {high:.3f}", _FIGURES.get(name, ""), *langs])
    rows.append(["HL, a second labeller", "no page has two", "", "0.909", *("" for _ in _LANGS)])
    pairs = [
        (_MODERN, _LETTER),
        ("FE, `html5`, best run", _MODERN),
        ("FE, `html5`, best run", _LETTER),
        ("FE, `ziegler2007`, conjunction", _LETTER),
        ("FE, `ziegler2007`, best run", "FE, `ziegler2007`, conjunction"),
    ]
    ahead = [[f"{one} − {other}", *_ahead(study, one, other)] for one, other in pairs]
    heads = ["system", "mean", "interval of 95 %", "paper", *_LANGS]
    return f"{markdown_table(heads, rows)}\n\n{markdown_table(['difference', 'mean', 'interval of 95 %'], ahead)}"


def single_table(study: Study) -> str:
    """Return each feature alone, and what the eight together are ahead of it."""
    rows = []
    for whole in (_LETTER, _MODERN):
        config = _SYSTEMS[whole]
        for feature in features_named(config.features):
            name = f"{feature.title} {_ALONE}, `{config.table}`"
            rows.append([name, f"{fmean(study.scores[name]):.3f}", *_ahead(study, whole, name)])
    return markdown_table(["feature", "mean", "FE minus it", "interval of 95 %"], rows)


def _ahead(study: Study, one: str, other: str) -> tuple[str, str]:
    differences = [a - b for a, b in zip(study.scores[one], study.scores[other], strict=True)]
    low, high = interval(differences)
    return f"{fmean(differences):+.3f}", f"{low:+.3f} to {high:+.3f}"


def _table_that_prunes(names: Sequence[str], folder: str) -> str:
    """Write the paper's table with some elements pruned that it removes; return its path."""
    text = files("blockfeat.blocks").joinpath("tables", "ziegler2007.toml").read_text(encoding="utf-8")
    for name in names:
        text = text.replace(f'"{name}",', "", 1)
    text = text.replace("prune = [", "prune = [" + "".join(f'"{name}", ' for name in names))
    path = Path(folder, "ziegler2007-pruned.toml")
    path.write_text(text, encoding="utf-8")
    return str(path)


def changes_table(study: Study) -> str:
    """Return what each difference to the paper gains or costs alone, over the first splits."""
    with TemporaryDirectory() as folder:
        changed = {
            "nothing": _PAPER,
            "`CITE`, `SAMP`, `FRAMESET` pruned, not removed": replace(
                _PAPER, table=_table_that_prunes(("cite", "samp", "frameset"), folder)
            ),
            "stop words of the page's language": replace(_PAPER, features=CANONICAL_NAMES, stop_word_scope="page"),
            "words and sentences of spaCy": replace(_PAPER, segmenter="spacy"),
            "fitness: word F1 (training: that)": replace(_PAPER, fitness="f1"),
            "one particle starts open": replace(_PAPER, start_open=True),
            "leader: the best ever": replace(_PAPER, swarm=replace(_PAPER.swarm, leader="ever")),
            "cognition and social 2": replace(_PAPER, swarm=replace(_PAPER.swarm, cognitive=2.0, social=2.0)),
            "inertia .7, at most half of the range a step": replace(
                _PAPER, swarm=replace(_PAPER.swarm, inertia=0.7, velocity_limit=0.5)
            ),
        }
        found: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for name, config in changed.items():
            for seed, (training, test) in enumerate(study.splits[:_FEW], start=1):
                result = study.part(config, training).search(config, seed)
                unseen = study.part(replace(config, fitness="cosine"), test).fitness(result.position[None]).mean()
                found[name].append((result.fitness, float(unseen)))
            _logger.info("changed: %s: %s", name, found[name])
    rows = []
    for name, scores in found.items():
        gains = [own[1] - usual[1] for own, usual in zip(scores, found["nothing"], strict=True)]
        gained = (
            [f"{fmean(gains):+.3f}", "{:+.3f} to {:+.3f}".format(*interval(gains))] if name != "nothing" else ["", ""]
        )
        rows.append([name, *(f"{fmean(part):.3f}" for part in zip(*scores, strict=True)), *gained])
    return markdown_table(["changed", "training", "test", "gain on test", "interval of 95 %"], rows)


def figure3(study: Study) -> str:
    """Return the convergence of the paper's two swarms, whole, and what holds the population together."""
    found: list[tuple[tuple[float, float, float, float | None], list[SearchResult]]] = []
    for move in _MOVES:
        cognitive, social, inertia, limit = move
        moves = replace(
            _PAPER.swarm, cognitive=cognitive, social=social, inertia=inertia, velocity_limit=limit or float("inf")
        )
        config = replace(_PAPER, swarm=moves)
        parts = [study.part(config, training) for training, _ in study.splits[:2]]
        found.append((move, [part.search(config, seed) for seed, part in enumerate(parts, start=1)]))
        _logger.info("swarm %s", move)
    first, second = (results[0].history for _, results in found[:2])
    whole = [
        [str(one.number), *(f"{value:.3f}" for run in (one, other) for value in (run.best, run.mean))]
        for one, other in zip(first, second, strict=True)
    ]
    rows = []
    for (cognitive, social, inertia, limit), results in found:
        final = [result.history[-1].best_so_far for result in results]
        soon = [
            next(one.number for one in result.history if one.best_so_far >= _NEARLY * end)
            for result, end in zip(results, final, strict=True)
        ]
        means = [fmean(result.history[number - 1].mean for result in results) for number in _GENERATIONS]
        cells = [
            f"{cognitive}, {social}",
            str(inertia),
            str(limit or "none"),
            f"{fmean(final):.3f}",
            f"{fmean(soon):.0f}",
        ]
        rows.append(cells + [f"{mean:.3f}" for mean in means])
    heads = ["cognition, social", "inertia", "limit", "best", "99 % in generation", *map(str, _GENERATIONS)]
    runs = ["generation", *(f"{name}, {part}" for name in ("2.5 and 1.5", "2 and 2") for part in ("best", "mean"))]
    return f"{markdown_table(heads, rows)}\n\n{markdown_table(runs, whole)}"


def figure4(study: Study) -> str:
    """Return the score of each feature alone by threshold, over all pages."""
    everything = study.part(_PAPER, study.pages)
    rows = []
    for feature in everything.space.features:
        curve = everything.curve(feature).mean(axis=0)
        best = int(curve.argmax())
        at = feature.low + best / (_POINTS - 1) * (feature.high - feature.low)
        limits = f"{feature.bound}, {feature.low:g} to {feature.high:g}"
        rows.append(
            [feature.title, limits, f"{at:.3g}", f"{curve[best]:.3f}", *(f"{value:.2f}" for value in curve[::5])]
        )
    shares = [f"{share:.0%}" for share in np.linspace(0, 1, _POINTS)[::5]]
    return markdown_table(["feature", "bound and range", "best at", "score", *shares], rows)


_SECTIONS: dict[str, Callable[[Study], str]] = {
    "pages": pages_table,
    "table1": table1,
    "single": single_table,
    "changes": changes_table,
    "figure3": figure3,
    "figure4": figure4,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.ziegler", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpora", type=Path, default=Path("../shared/corpora"), help="folder of the corpora")
    parser.add_argument("--repeat", type=int, default=10, help="splits by host, at least two")
    add_page_options(parser, tuple(_SECTIONS))
    options = parser.parse_args(arguments)
    needs_spacy = not options.only or "changes" in options.only
    check_needs(modules=["spacy"] if needs_spacy else [], folder=options.corpora, corpora=_NEWS)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    study = Study(read_news(options.corpora), options.repeat)
    write_page(options, _TEMPLATE, {name: partial(section, study) for name, section in _SECTIONS.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
