"""Models that label tokens and take one contiguous run of them (Pasternack & Roth 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import MeasuredPage
from blockfeat.features.schema import Feature
from blockfeat.models.decoding import best_run
from blockfeat.models.model import Arrays, BlockReason, FeatureModel, Prediction, ReadFile
from blockfeat.page.tags import Tags
from blockfeat.papers.tokens.classifier import (
    TokenClassifier,
    classifier_arrays,
    classifier_from_document,
    classifier_values,
)
from blockfeat.papers.tokens.page_tokens import PageTokens, covered_shares, kept_blocks, sums_by_block
from blockfeat.papers.tokens.runs import (
    PENALTY,
    best_run_of_length,
    cleaned,
    longest_block,
    simple_scores,
    truncate_run,
)

SYSTEMS = ("longest-block", "simple", "classifier")

_FAVOUR_FACTOR = 1.5
_FAVOUR_BIAS = {"log odds": 0.5, "probability": 0.1}

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Constraints:
    """What a run must keep to, and what is done with it.

    Attributes
    ----------
    stop_at_rule : bool
        Everything after the first HR inside of the run is cut off (6.2.3).
    least_tokens : int
        Least length of a run.
    clean : bool
        Cut out what is embedded in the run, by the paper's two rules (4.2).
    """

    stop_at_rule: bool = False
    least_tokens: int = 1
    clean: bool = False

    def __post_init__(self) -> None:
        """Check the values."""
        if self.least_tokens < 1:
            raise ModelError(f"a run has at least 1 token, not {self.least_tokens}")


@dataclass(frozen=True, eq=False)
class TokenRun:
    """What a token model found on a page.

    Attributes
    ----------
    tokens : PageTokens
        The page's tokens.
    scores : float array
        The score of each.
    run : tuple of int
        First token and end (exclusive) of the extraction.
    is_taken : bool array
        The tokens of the run that were not cut out of it.
    """

    tokens: PageTokens
    scores: Floats
    run: tuple[int, int]
    is_taken: Mask


@dataclass(frozen=True, slots=True, eq=False)
class RunPrediction(Prediction):
    """A prediction of blocks with the run of tokens that it rests on."""

    run: TokenRun


@dataclass(frozen=True, eq=False)
class TokenModel(FeatureModel):
    """A model over tokens and all that is needed to use it.

    Attributes
    ----------
    name : str
        Name of the model.
    system : str
        ``"longest-block"``: the longest table cell or DIV; ``"simple"``: the maximum subsequence of 1 for a word and
        ``-penalty`` for a tag; ``"classifier"``: that of the classifier's scores.
    table : TagTable
        Tag table that cuts pages into the blocks of the result.
    penalty : float
        What a tag costs for ``"simple"``; above 0.
    classifier : TokenClassifier, optional
        The classifier.
    constraints : Constraints
        What a run must keep to.
    languages, record
        As for every model.
    """

    kind: ClassVar[str] = "tokens"

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
        """What of a page is kept."""
        return "longest block" if self.system == "longest-block" else "run of tokens"

    def find(self, tags: Tags | None) -> TokenRun:
        """Find the run of a page; linear in its size."""
        tokens = PageTokens.of(tags)
        scores = self._scores(tags, tokens)
        run = self._run(tags, tokens, scores)
        if self.constraints.clean and tags is not None:
            return TokenRun(tokens, scores, run, cleaned(tags, tokens, run))
        is_taken = np.zeros(len(tokens), dtype=bool)
        is_taken[run[0] : run[1]] = True
        return TokenRun(tokens, scores, run, is_taken)

    def predict(self, measured: MeasuredPage) -> RunPrediction:
        """Score blocks by the sum of their tokens' scores; keep those of whose words at least half are in the run."""
        found = self.find(measured.blocks.tags)
        scores = sums_by_block(found.tokens, found.scores, measured.blocks)
        return RunPrediction(scores, kept_blocks(found.tokens, found.is_taken, measured.blocks), found)

    def explain(self, measured: MeasuredPage, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block how much of it is in the run, and which side its own tokens favour."""
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
        """Return a copy that favours ``"precision"`` or ``"recall"``: tags cost more or less, or scores move.

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
        return own if self.classifier is None else own | classifier_values(self.classifier)

    def own_arrays(self) -> Arrays:
        """Return the counts of the classifier."""
        return {} if self.classifier is None else classifier_arrays(self.classifier)

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes; ``"counts"`` may name another model's file whose counts this one shares."""
        return {
            "system": document["system"],
            "penalty": float(document["penalty"]),
            "classifier": _classifier(document, arrays, read),
            "constraints": Constraints(**document["constraints"]),
        }

    def _scores(self, tags: Tags | None, tokens: PageTokens) -> Floats:
        if self.classifier is not None:
            return self.classifier.scores(tokens)
        if self.system == "simple" or tags is None:
            return simple_scores(tokens, self.penalty)
        first, end = longest_block(tags, tokens)
        scores = np.where(tokens.is_tag, 0.0, -1.0)
        scores[first:end] *= -1.0
        return scores

    def _run(self, tags: Tags | None, tokens: PageTokens, scores: Floats) -> tuple[int, int]:
        if self.system == "longest-block":
            run = longest_block(tags, tokens) if tags is not None else (0, 0)
        elif self.constraints.least_tokens > 1:
            run = best_run_of_length(scores, self.constraints.least_tokens)
        else:
            run = best_run(scores)
        return truncate_run(run, tokens.element_starts(("hr",))) if self.constraints.stop_at_rule else run


def _classifier(document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> TokenClassifier | None:
    """Return the classifier of a document: its own, that of the file it refers to, or none."""
    counts = document.get("counts")
    if counts is None:
        return classifier_from_document(document, arrays) if arrays else None
    if read is None:
        raise ModelError(f"its counts are in {counts!r}, which cannot be read from here")
    return classifier_from_document(*read(str(counts)))
