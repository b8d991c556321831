"""What the labelling API takes and returns, as OpenAPI describes it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from blockfeat.web.labelling.curve import CurvePoint
from blockfeat.web.labelling.session import Progress

Role = Literal["content", "headline", "byline", "caption", "clutter"]
State = Literal["open", "done", "skipped", "bad"]
PageId = Annotated[str, Field(max_length=8192, description="Id of a page of the session.")]


class _Strict(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")


class PageRequest(_Strict):
    """An action on a page."""

    page: PageId


class MarkRequest(PageRequest):
    """Blocks that take a role; null takes the labeller's role away, and the suggestion counts again."""

    blocks: Annotated[list[int], Field(min_length=1, max_length=100_000, description="Numbers of blocks, from 0.")]
    role: Role | None


class SetAsideRequest(PageRequest):
    """A page that is put off, of no use, or opened again."""

    state: Literal["skipped", "bad", "open"]


class NextRequest(_Strict):
    """Where to go: the first open page, or one before or behind another in the order of the session."""

    page: Annotated[str | None, Field(max_length=8192)] = None
    step: Literal[-1, 1] = 1


class TrainRequest(_Strict):
    """The kind of model to train, or the one that is best on held-out pages."""

    kind: Literal["best", "thresholds", "margin"] = "best"


class Actions(BaseModel):
    """What every answer says of the session."""

    progress: Progress
    can_undo: bool
    can_redo: bool


class BlockBody(BaseModel):
    """A block of a page: its text and place, the role that counts, whether the labeller gave it, and the suggestion."""

    index: int
    text: str
    words: int
    kind: str
    level: int
    role: Role
    marked: bool
    suggested: Role
    chance: Annotated[float, Field(description="Probability, by the model, that the block is content.")]


class PageBody(Actions):
    """A page with its blocks."""

    page: str
    url: str | None
    title: str | None
    lang: str | None
    state: State
    warning: str | None
    confidence: Annotated[float, Field(description="Word F1 that is expected of the suggestions.")]
    model: str
    blocks: list[BlockBody]


class UndoBody(Actions):
    """The page whose latest action was taken back or made again; null where there was none."""

    page: str | None


class QueueEntry(BaseModel):
    """A page of the session: its id, its state, and the word F1 expected of the model's text once it has read it."""

    page: str
    state: State
    confidence: float | None


class SessionBody(Actions):
    """The session: its pages in the order in which they are to be labelled, and the next one."""

    output: str
    model: str
    model_file: str
    kinds: list[str]
    fewest_pages: int
    training_lacks: Annotated[str | None, Field(description="What training needs and is not installed.")]
    pages: list[QueueEntry]
    next: str | None
    problems: list[str]


class ResultBody(BaseModel):
    """What a training gave: mean word F1 on held-out pages, and that of other models on the same pages."""

    model_config = ConfigDict(from_attributes=True)

    kind: str
    pages: int
    held_out: str
    f1: float
    others: dict[str, float]
    skipped: list[str]
    seconds: float


class TrainingBody(BaseModel):
    """How the latest training stands."""

    phase: Literal["none", "running", "done", "stopped", "failed"]
    kind: str
    done: int
    total: int
    points: list[CurvePoint]
    result: ResultBody | None
    is_used: bool
    error: str | None
    model_file: str
