"""Models that score tokens and extract one contiguous run of them (Pasternack & Roth 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import Count, Ranged, number, stored
from blockfeat._numeric import Floats
from blockfeat.blocks.table import Mask
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import PageFeatures
from blockfeat.features.schema import Feature
from blockfeat.models.model import Arrays, BlockReason, FeatureModel, Prediction, ReadFile
from blockfeat.page.tags import Indices, Tags, name_keys
from blockfeat.papers.mss.classifier import TokenClassifier
from blockfeat.papers.mss.page_tokens import PageTokens, covered_shares, inside, kept_blocks, sums_by_block

PENALTY = 3.25
"""Penalty of a tag, where a word scores 1: the value that the paper's optimisation found (6.2.2)."""

_CELLS = ("td", "th", "div")
_ALWAYS_CUT = ("iframe", "table")
_CUT_WHERE_THEY_HOLD = ("a", "iframe", "table", "img", "embed", "applet", "object")


def longest_block(tags: Tags, tokens: PageTokens) -> tuple[int, int]:
    """Return first token and end (exclusive) of the table cell or DIV with the most text, the first baseline (6.2.1).

    Of elements with the same text the innermost is taken; (0, 0) where the page has neither cells nor DIVs with text.
    """
    elements = np.flatnonzero(np.isin(tags.key, name_keys(_CELLS)) & (tags.closed > tags.opened))
    if not elements.size:
        return 0, 0
    characters = np.where(tokens.is_tag, 0, tokens.end_character - tokens.first_character)
    upto = np.concatenate(([0], np.cumsum(characters)))
    first = np.searchsorted(tokens.first_byte, tags.stop[tags.opened[elements]])
    end = np.searchsorted(tokens.first_byte, tags.start[tags.closed[elements]])
    length = upto[end] - upto[first]
    best = length.size - 1 - int(np.argmax(length[::-1]))
    return (int(first[best]), int(end[best])) if length[best] else (0, 0)


def cleaned(tags: Tags, tokens: PageTokens, run: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the tokens of a run that remain after the paper's two rules for embedded content (4.2): bool array, n.

    IFRAME and TABLE elements are removed, and so is every DIV that contains a link, an image or another embedded
    element; only elements with both tags inside of the run are considered.
    """
    is_taken = inside(run, len(tokens))
    if run[1] <= run[0]:
        return is_taken
    first_byte, end_byte = tokens.first_byte[run[0]], tokens.end_byte[run[1] - 1]
    is_whole = (tags.start[tags.opened] >= first_byte) & (tags.stop[tags.closed] <= end_byte)
    divs = np.flatnonzero(is_whole & np.isin(tags.key, name_keys(["div"])))
    held = tags.opened[np.isin(tags.key, name_keys(_CUT_WHERE_THEY_HOLD))]
    holds = np.searchsorted(held, tags.closed[divs]) > np.searchsorted(held, tags.opened[divs])
    always = np.flatnonzero(is_whole & np.isin(tags.key, name_keys(_ALWAYS_CUT)))
    cut = np.concatenate((always, divs[holds]))
    edges = np.zeros(len(tokens) + 1, dtype=np.int64)
    np.add.at(edges, np.searchsorted(tokens.first_byte, tags.start[tags.opened[cut]]), 1)
    np.add.at(edges, np.searchsorted(tokens.first_byte, tags.stop[tags.closed[cut]]), -1)
    return np.asarray(is_taken & (np.cumsum(edges[:-1]) == 0))


def best_run_of_length(scores: NDArray[np.float64], least: int) -> tuple[int, int]:
    """Return start and end (exclusive) of the run of at least ``least`` scores with the highest sum.

    Of equal sums the run with the earliest end wins, then the shortest; (0, 0) where no run has a sum above 0. With
    ``least`` 1, the result is that of `blockfeat.models.decoding.best_run`.

    Parameters
    ----------
    scores : float array, n
        Finite scores.
    least : int
        Least number of scores in the run, at least 1.
    """
    if scores.size < least:
        return 0, 0
    total = np.concatenate(([0.0], np.cumsum(scores, dtype=np.float64)))
    before = total[:-least]
    is_lowest = before <= np.minimum.accumulate(before)
    start = np.maximum.accumulate(np.where(is_lowest, np.arange(before.size), 0))
    sums = total[least:] - before[start]
    best = int(np.argmax(sums))
    return (int(start[best]), best + least) if sums[best] > 0 else (0, 0)


def truncate_run(run: tuple[int, int], stops: Indices) -> tuple[int, int]:
    """Cut a run short at the first stop inside it (Pasternack & Roth 2009, 6.2.3: "everything after the first HR").

    Parameters
    ----------
    run : tuple of int
        Start and end (exclusive).
    stops : int array
        Positions in ascending order; the run ends before the first of them that lies inside it.
    """
    start, end = run
    place = int(np.searchsorted(stops, start))
    return (start, min(end, int(stops[place]))) if place < stops.size and stops[place] < end else run


SYSTEMS = ("longest-block", "simple", "classifier")

_FAVOUR_FACTOR = 1.5
_FAVOUR_BIAS = {"log odds": 0.5, "probability": 0.1}


@dataclass(frozen=True)
class Constraints(Ranged):
    """Constraints on the extracted run, and its post-processing.

    Attributes
    ----------
    stop_at_rule : bool
        Cut off everything after the first HR inside of the run (6.2.3).
    least_tokens : int
        Least length of a run.
    clean : bool
        Remove embedded content from the run by the paper's two rules (4.2).
    """

    error = ModelError

    stop_at_rule: bool = False
    least_tokens: Count = 1
    clean: bool = False


@dataclass(frozen=True, eq=False)
class TokenRun:
    """The run of tokens that a token model extracts from a page.

    Attributes
    ----------
    tokens : PageTokens
        The page's tokens.
    scores : float array
        The score of each token.
    run : tuple of int
        First token and end (exclusive) of the extraction.
    is_taken : bool array
        The tokens of the run that were not removed from it.
    """

    tokens: PageTokens
    scores: Floats
    run: tuple[int, int]
    is_taken: Mask


@dataclass(frozen=True, slots=True, eq=False)
class RunPrediction(Prediction):
    """A prediction of blocks, with the run of tokens that it is derived from."""

    run: TokenRun


@dataclass(frozen=True, eq=False)
class TokenModel(FeatureModel):
    """A model that scores the tokens of a page, and extracts one contiguous run of them.

    Attributes
    ----------
    name : str
        Name of the model.
    system : str
        ``"longest-block"``: the longest table cell or DIV; ``"simple"``: the maximum subsequence of scores of 1 for a
        word and ``-penalty`` for a tag; ``"classifier"``: that of the classifier's scores.
    table : TagTable
        Tag table that cuts pages into the blocks of the result.
    penalty : float
        Penalty of a tag for ``"simple"``; above 0.
    classifier : TokenClassifier, optional
        The classifier.
    constraints : Constraints
        Constraints on the run.
    languages, record
        As for every model.
    """

    kind: ClassVar[str] = "tokens"
    measured_by: ClassVar[tuple[str, ...]] = ()

    name: str
    system: str
    table: TagTable = field(default_factory=lambda: load_table("html5"))
    penalty: float = PENALTY
    classifier: TokenClassifier | None = None
    constraints: Constraints = field(default_factory=Constraints)
    features: ClassVar[tuple[Feature, ...]] = ()
    feature_names: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Check the values."""
        if self.system not in SYSTEMS:
            raise ModelError(f"model {self.name!r}: unknown system {self.system!r}; known are {', '.join(SYSTEMS)}")
        if (self.classifier is not None) != (self.system == "classifier"):
            raise ModelError(f"model {self.name!r}: only a system 'classifier' has a classifier, and it needs one")
        if not self.penalty > 0:
            raise ModelError(f"model {self.name!r}: the penalty of a tag must be above 0, not {self.penalty}")

    @property
    def decoding(self) -> str:
        """Name of the part of a page that is kept."""
        return "longest block" if self.system == "longest-block" else "run of tokens"

    def find(self, tags: Tags | None) -> TokenRun:
        """Find the run of a page; linear in its size."""
        tokens = PageTokens.of(tags)
        if self.system == "longest-block":
            run = longest_block(tags, tokens) if tags is not None else (0, 0)
            scores = np.where(tokens.is_tag, 0.0, -1.0)
            scores[slice(*run)] *= -1.0
        else:
            simple = np.where(tokens.is_tag, -self.penalty, 1.0)  # the second baseline (6.2.2)
            scores = simple if self.classifier is None else self.classifier.scores(tokens)
            run = best_run_of_length(scores, self.constraints.least_tokens)
        if self.constraints.stop_at_rule:
            run = truncate_run(run, tokens.element_starts(("hr",)))
        if tags is not None and self.constraints.clean:
            return TokenRun(tokens, scores, run, cleaned(tags, tokens, run))
        return TokenRun(tokens, scores, run, inside(run, len(tokens)))

    def predict(self, measured: PageFeatures) -> RunPrediction:
        """Score blocks by the sum of their tokens' scores; keep those with at least half of their words in the run."""
        found = self.find(measured.blocks.tags)
        scores = sums_by_block(found.tokens, found.scores, measured.blocks)
        return RunPrediction(scores, kept_blocks(found.tokens, found.is_taken, measured.blocks), found)

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return the reason for each block: its share of words in the run, and the label that its own scores favour."""
        found = prediction.run if isinstance(prediction, RunPrediction) else self.find(measured.blocks.tags)
        words = np.maximum(measured.blocks.measures.words, 1)
        covered = covered_shares(found.tokens, found.is_taken, measured.blocks)
        what = "the longest cell or DIV" if self.system == "longest-block" else "the best run of tokens"
        reasons = []
        columns = (prediction.scores.tolist(), prediction.kept.tolist(), covered.tolist(), words.tolist())
        for score, kept, share, count in zip(*columns, strict=True):
            reason = f"{'kept' if kept else 'dropped'}: {100 * share:.0f} % of its words are in {what}"
            if self.system != "longest-block" and (score > 0) != kept:
                reason += f", though its own tokens favour {'inside' if score > 0 else 'outside'}"
            features = {"share_in_run": share, "score_by_word": score / count}
            reasons.append(BlockReason(reason, features))
        return tuple(reasons)

    def favouring(self, side: str) -> TokenModel:
        """Return a copy that favours ``"precision"`` or ``"recall"`` by another penalty of tags or bias of the scores.

        Raises
        ------
        ModelError
            The model always takes the longest cell or DIV.
        """
        if self.system == "longest-block":
            raise ModelError(f"model {self.name!r} can favour neither precision nor recall")
        sign = -1.0 if side == "precision" else 1.0
        if self.classifier is None:
            return replace(self, penalty=self.penalty * _FAVOUR_FACTOR**-sign)
        scale = self.classifier.scale
        moved = replace(scale, bias=scale.bias + sign * _FAVOUR_BIAS[scale.name])
        return replace(self, classifier=replace(self.classifier, scale=moved))

    def own_values(self) -> dict[str, Any]:
        """Return the system and its constraints, and the values of its classifier."""
        own = {"system": self.system, "penalty": self.penalty, "constraints": asdict(self.constraints)}
        return own if self.classifier is None else own | self.classifier.to_values()

    def own_arrays(self) -> Arrays:
        """Return the arrays of the classifier."""
        return {} if self.classifier is None else self.classifier.to_arrays()

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes of a stored model; ``"counts"`` may name another model's file that has its counts."""
        return {
            "system": document["system"],
            "penalty": number(document, "penalty"),
            "classifier": _classifier(document, arrays, read),
            "constraints": stored(Constraints(), document["constraints"], "constraints"),
        }


def _classifier(document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> TokenClassifier | None:
    """Return the classifier of a stored model: its own, that of the file that it refers to, or None."""
    counts = document.get("counts")
    if counts is None:
        return TokenClassifier.from_document(document, arrays) if arrays else None
    if read is None:
        raise ModelError(f"its counts are in {counts!r}, which cannot be read from here")
    return TokenClassifier.from_document(*read(str(counts)))
