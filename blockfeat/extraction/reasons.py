"""Why blocks are kept or dropped: observable facts, in sentences, and counterfactual changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat._files import bundled_table
from blockfeat.blocks.table import Blocks, Mask
from blockfeat.errors import LanguageError
from blockfeat.extraction.block_classes import BoxNames
from blockfeat.features.measuring import PageFeatures, features_named
from blockfeat.features.phrases import FORMS
from blockfeat.features.schema import Feature
from blockfeat.models.model import Model, Prediction

Fact = tuple[str, str | int]
"""A key of ``sentences.toml``, and the value in its sentence."""

MOST = 3
_ALL, _MOST, _FEW = 0.95, 0.5, 0.15
_SHORT, _LONG = 5, 25
_SENTENCE_WORDS = 4.0


class PageFacts:
    """The facts of the blocks of a page.

    Parameters
    ----------
    blocks : Blocks
        The page's n blocks.
    kept : bool array, n
        The blocks that are content.
    boxes : BoxNames
        The names around them.
    """

    def __init__(self, blocks: Blocks, kept: Mask, boxes: BoxNames) -> None:
        measures, places = blocks.measures, kept.nonzero()[0]
        self.boxes = boxes
        # Read one by one, as Python's numbers.
        self._kept, self._words, self._sentences = kept.data, measures.words.data, measures.sentences.data
        self._linked = (measures.anchor_words / np.maximum(measures.words, 1)).data
        self._span = (int(places[0]), int(places[-1])) if places.size else (len(blocks), -1)

    def of(self, block: int, part: str, kind: str) -> tuple[Fact, ...]:
        """Return up to three facts that argue for the decision about a block, those that say most first."""
        return tuple((self._for(block, kind) if self._kept[block] else self._against(block, part, kind))[:MOST])

    def _against(self, block: int, part: str, kind: str) -> list[Fact]:
        linked, words, found = self._linked[block], self._words[block], list[Fact]()
        if words and linked >= _ALL:
            found.append(("link", words) if words <= _SHORT else ("all links", words))
        elif words > 1 and linked >= _MOST:
            found.append(("most links", round(10 * linked)))
        elif 0 < words <= _SHORT and kind != "heading":
            found.append(("short", words))
        first, last = self._span
        if last >= 0 and block < first:
            found.append(("before", 0))
        elif last >= 0 and block > last:
            found.append(("behind", 0))
        if name := self.boxes.naming(block, part):
            found.append(("box", name))
        if 0 < block < len(self._linked) - 1 and min(self._linked[block - 1], self._linked[block + 1]) >= _ALL:
            found.append(("among links", 0))
        if last < 0:
            found.append(("no text", 0))
        return found

    def _for(self, block: int, kind: str) -> list[Fact]:
        words, found = self._words[block], list[Fact]()
        if kind == "heading":
            found.append(("heading", 0))
        elif self._sentences[block] >= 2 and words >= _SENTENCE_WORDS * self._sentences[block]:
            found.append(("sentences", self._sentences[block]))
        if words >= _LONG:
            found.append(("words", words))
        first, last = self._span
        beside = [place for place in (block - 1, block + 1) if first <= place <= last]
        if beside and all(self._kept[place] for place in beside):
            found.append(("among text", 0) if len(beside) == 2 else ("beside text", 0))
        if words >= _LONG and self._linked[block] <= _FEW:
            found.append(("few links", 0))
        if kind in ("list_item", "table_cell", "preformatted", "quote"):
            found.append((kind, 0))
        return found


_DROPPED = "dropped: "


@cache
def _bundled() -> dict[str, Any]:
    """Return the sentences by language, a constant that is read at its first use."""
    return bundled_table("blockfeat.extraction", "sentences.toml")


def part_in(part: str, lang: str = "en", *, kept: bool) -> str:
    """Return the name of a part of a page in a language: ``"a menu"``."""
    words = _words(lang)
    name: str = words["parts"].get(part, part)
    return name if kept else str(words["dropped_parts"].get(part, name))


def reason(part: str, facts: Sequence[Fact], *, kept: bool, lang: str = "en") -> str:
    """Return why a block is kept or dropped, in one sentence.

    Parameters
    ----------
    part : str
        A role of what is kept, or a class of what is dropped.
    facts : sequence of (str, str or int)
        What argues for the decision (`PageFacts`).
    kept : bool
        The decision.
    lang : str
        ``"en"``, ``"de"`` or ``"fr"``.

    Raises
    ------
    LanguageError
        There are no sentences in the language; the message names those that there are.
    """
    words = _words(lang)
    said = said_facts(facts, lang=lang)
    state = "kept" if kept else "unclear" if part in ("other", "headline") else "dropped"
    begun = words[state].format(part=part_in(part, lang, kept=kept))
    return f"{begun}: {said or words['none']['kept' if kept else 'dropped']}"


def said_facts(facts: Sequence[Fact], *, lang: str = "en") -> str:
    """Return facts as one phrase; empty for none."""
    words = _words(lang)
    return str(words["join"].join(_fact(words["facts"], key, value) for key, value in facts))


def with_part(part: str, said: str) -> str:
    """Return a reason of a model that drops a block, in English, with the class of the block."""
    if part in ("other", "headline") or not said.startswith(_DROPPED):
        return said
    return f"{_DROPPED}looks like {part_in(part, kept=False)}: {said.removeprefix(_DROPPED)}"


def _words(lang: str) -> dict[str, Any]:
    found = _bundled().get(lang)
    if not isinstance(found, dict):
        raise LanguageError(f"no reasons in language {lang!r}; there are {', '.join(_bundled())}")
    return found


def _fact(words: dict[str, str], key: str, value: str | int) -> str:
    single = words.get(f"1 {key}") if value == 1 else None
    return single or words[key].format(f"'{value}'" if isinstance(value, str) else value)


MOST_CHANGES = 4
"""Maximum number of features that are changed together one by one."""
_QUANTILES = (0.1, 0.5, 0.9)
_REACHES = (1, 2, 4, 8)


@dataclass(frozen=True, slots=True)
class Change:
    """One changed feature.

    Attributes
    ----------
    feature : Feature
        The feature.
    before, after : float
        Its value on the page, and the one that would do.
    """

    feature: Feature
    before: float
    after: float

    def __str__(self) -> str:
        """Return the change for people: ``links: all → 2 of 10``."""
        written = FORMS[self.feature.form]
        return f"{self.feature.title}: {written(self.before)} → {written(self.after)}"


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A change that reverses the decision about a block.

    Attributes
    ----------
    changes : tuple of Change
        Changes of its features, the largest first; empty where its neighbours decide.
    like : int or None
        A block of the other decision: with the features of it, and of the ``reach`` blocks on each side of it, in
        place of those around the block, the decision would be the other one.
    reach : int
        How many neighbours on each side.
    """

    changes: tuple[Change, ...] = ()
    like: int | None = None
    reach: int = 0


def what_would_change(
    model: Model, measured: PageFeatures, prediction: Prediction, block: int
) -> Counterfactual | None:
    """Return the smallest change that reverses the model's decision about a block.

    Values are tried that blocks of the other decision have on the page (their quantiles .1, .5 and .9), one feature at
    a time; of those that turn it around the one that differs least, in standard deviations on the page. Where none
    does, the change that moves the score most is kept, and another is tried with it, four at the most. Where these
    are not enough, the values of the block of the other decision that is most alike are taken, all that are needed;
    and where these are not either, since models read what stands around a block, those of its neighbours too.

    Parameters
    ----------
    model, measured, prediction
        The model, the page as it measured it, and what it predicted.
    block : int
        The block.

    Returns
    -------
    Counterfactual or None
        None where the values of eight neighbours on each side are not enough, or no block of the page has the other
        decision.
    """
    kept = prediction.kept
    others = measured.matrix[kept != kept[block]]
    if not len(others):
        return None
    features = features_named(model.feature_names)
    tried = np.quantile(others, _QUANTILES, axis=0)
    spread = measured.matrix.std(axis=0) + 1e-6
    row = measured.matrix[block].astype(np.float64)
    chosen: dict[int, float] = {}
    for _ in range(MOST_CHANGES):
        best: tuple[bool, float, int, float] | None = None
        for column in range(row.size):
            for value in np.unique(tried[:, column]).tolist():
                if column in chosen or value == row[column]:
                    continue
                found = _with(model, measured, block, {**chosen, column: value})
                turns = bool(found.kept[block]) != bool(kept[block])
                distance = abs(value - row[column]) / float(spread[column])
                gain = float(found.scores[block] - prediction.scores[block]) * (-1 if kept[block] else 1)
                # Of those that turn it around the nearest; else what moves the score most.
                rank = (turns, -distance if turns else gain, column, value)
                best = rank if best is None or rank[:2] > best[:2] else best
        if best is None:
            return None
        chosen[best[2]] = best[3]
        if best[0]:
            return Counterfactual(
                tuple(Change(features[column], float(row[column]), value) for column, value in chosen.items())
            )
    return _copied(model, measured, prediction, block, spread)


def _among_others(
    model: Model, measured: PageFeatures, prediction: Prediction, block: int, like: int
) -> Counterfactual | None:
    """Return how many neighbours of another block it takes around a block for the decision about that one."""
    matrix, kept = measured.matrix, prediction.kept
    for reach in _REACHES:
        offsets = np.arange(-reach, reach + 1)
        inside = (np.minimum(block, like) + offsets >= 0) & (np.maximum(block, like) + offsets < len(matrix))
        changed: NDArray[np.floating[Any]] = matrix.copy()
        changed[block + offsets[inside]] = matrix[like + offsets[inside]]
        if bool(model.predict(replace(measured, rows=changed)).kept[block]) != bool(kept[block]):
            return Counterfactual(like=like, reach=reach)
    return None


def _copied(
    model: Model, measured: PageFeatures, prediction: Prediction, block: int, spread: NDArray[np.floating[Any]]
) -> Counterfactual | None:
    """Return the values of the most alike block of the other decision that are needed, the largest change first."""
    kept, matrix = prediction.kept, measured.matrix
    others = (kept != kept[block]).nonzero()[0]
    distances = np.abs(matrix[others] - matrix[block]) / spread
    nearest = int(others[distances.sum(axis=1).argmin()])
    steps = np.abs(matrix[nearest] - matrix[block]) / spread
    needed = {column: float(matrix[nearest, column]) for column in np.argsort(-steps).tolist() if steps[column] > 0}
    if bool(_with(model, measured, block, needed).kept[block]) == bool(kept[block]):
        return _among_others(model, measured, prediction, block, nearest)
    for column in np.argsort(steps, kind="stable").tolist():
        fewer = {place: value for place, value in needed.items() if place != column}
        if fewer and bool(_with(model, measured, block, fewer).kept[block]) != bool(kept[block]):
            needed = fewer
    features = features_named(model.feature_names)
    row = matrix[block].tolist()
    return Counterfactual(tuple(Change(features[column], row[column], value) for column, value in needed.items()))


def _with(model: Model, measured: PageFeatures, block: int, values: dict[int, float]) -> Prediction:
    """Return what a model predicts of a page on which a block has other values."""
    matrix: NDArray[np.floating[Any]] = measured.matrix.copy()
    matrix[block, list(values)] = list(values.values())
    return model.predict(replace(measured, rows=matrix))


def strongest(features: Sequence[Feature], contributions: Sequence[float], *, most: int = 5) -> list[tuple[str, float]]:
    """Return the titles of the features that moved a score most, each with how far."""
    order = np.argsort(-np.abs(np.asarray(contributions)), kind="stable")[:most].tolist()
    return [(features[place].title, float(contributions[place])) for place in order if contributions[place]]
