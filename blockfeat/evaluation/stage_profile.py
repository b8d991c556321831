"""Where the time of an extraction goes: process time by room of the chain."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.table import Blocks
from blockfeat.errors import InputError
from blockfeat.evaluation.markdown_table import markdown_table
from blockfeat.extraction.extractor import Extractor
from blockfeat.features.measuring import Measurer
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags

if TYPE_CHECKING:
    import pandas

__all__ = ["ROOMS", "RoomProfile", "profile_rooms"]

_logger = logging.getLogger("blockfeat.evaluation.stage_profile")

_REST = "everything else"

ROOMS: tuple[str, ...] = (
    "decode bytes",
    "parse",
    "read markup",
    "cut into blocks",
    "measures of blocks",
    "choose text for language",
    "identify language",
    "stop words",
    "feature matrix",
    "predict",
    "headline and parts",
    "assemble text",
    "title",
    _REST,
)
"""The rooms in the order in which a page goes through them."""


@dataclass(frozen=True)
class RoomProfile:
    """Mean process time a page by room.

    Attributes
    ----------
    model : str
        Name of the model.
    pages, passes : int
        How much was measured; of each page and room the best pass counts.
    seconds : dict
        Mean seconds a page by room, in the order of `ROOMS`. They leave out what a room called in another.
    """

    model: str
    pages: int
    passes: int
    seconds: dict[str, float]

    @property
    def total(self) -> float:
        """Mean seconds a page of all rooms together."""
        return sum(self.seconds.values())

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a room: room, seconds, share."""
        import pandas

        rows = [(room, seconds, seconds / (self.total or 1)) for room, seconds in self.seconds.items()]
        return pandas.DataFrame(rows, columns=["room", "seconds", "share"])

    def to_markdown(self) -> str:
        """Return a table of milliseconds a page and shares."""
        rows = [
            [room, f"{1000 * seconds:.3f}", f"{100 * seconds / (self.total or 1):.1f} %"]
            for room, seconds in self.seconds.items()
        ]
        return markdown_table(["room", "ms a page", "share"], [*rows, ["all", f"{1000 * self.total:.3f}", "100 %"]])


def profile_rooms(extractor: Extractor, pages: Iterable[str | bytes], *, passes: int = 5) -> RoomProfile:
    """Measure the process time of each room, best of several passes.

    While it runs, functions of the chain are replaced by ones that watch the clock, for the whole process; each
    costs about a microsecond a call.

    Parameters
    ----------
    extractor : Extractor
        With the model to measure.
    pages : iterable of str or bytes
        The pages; one that cannot be extracted raises.
    passes : int
        At least 1.

    Raises
    ------
    InputError
        There are no pages, or no passes.
    """
    found = list(pages)
    if not found or passes < 1:
        raise InputError(f"a profile needs at least one page and one pass, not {len(found)} and {passes}")
    extractor.extract(found[0])
    best = [dict.fromkeys(ROOMS, float("inf")) for _ in found]
    clock = _Clock()
    with _watched(clock, extractor):
        for _ in range(passes):
            for place, page in enumerate(found):
                for room, seconds in clock.rooms_of(lambda page=page: extractor.extract(page)).items():  # type: ignore[misc]
                    best[place][room] = min(seconds, best[place][room])
    means = {room: sum(page[room] for page in best) / len(best) for room in ROOMS}
    return RoomProfile(extractor.model.name, len(found), passes, means)


class _Clock:
    """Gives each room the time in which no room that it called was at work."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(ROOMS, 0.0)
        self.open: list[str] = []
        self.since = 0.0

    def enter(self, room: str) -> None:
        now = time.process_time()
        if self.open:
            self.seconds[self.open[-1]] += now - self.since
        self.open.append(room)
        self.since = time.process_time()

    def leave(self) -> None:
        now = time.process_time()
        self.seconds[self.open.pop()] += now - self.since
        self.since = time.process_time()

    def rooms_of(self, call: Callable[[], object]) -> dict[str, float]:
        """Run a call; return the time of each room in it."""
        self.seconds = dict.fromkeys(ROOMS, 0.0)
        self.enter(_REST)
        try:
            call()
        finally:
            self.leave()
        return self.seconds

    def watching(self, function: Callable[..., Any], room: str) -> Callable[..., Any]:
        """Return the function with its time going to a room."""

        @wraps(function)
        def watched(*args: Any, **options: Any) -> Any:
            self.enter(room)
            try:
                return function(*args, **options)
            finally:
                self.leave()

        return watched


def _watched_places(extractor: Extractor) -> list[tuple[Any, str, str]]:
    """Owner, attribute and room of all that is watched: names as those who call them look them up."""
    page, measuring, chain = map(
        import_module, ("blockfeat.page.page", "blockfeat.features.measuring", "blockfeat.extraction.extractor")
    )
    measurer = extractor.measurer
    return [
        (Page, "parse", "parse"),
        (Tags, "read", "read markup"),
        (page, "source_of_utf_8", "decode bytes"),
        (page, "decode", "decode bytes"),
        (Measurer, "measure", "choose text for language"),
        (Cutter, "cut", "cut into blocks"),
        (type(measurer.segmenter), "measure", "measures of blocks"),
        (type(measurer.identifier), "identify", "identify language"),
        (measuring, "stop_word_ratios", "stop words"),
        (measuring, "feature_matrix", "feature matrix"),
        (type(extractor.model), "predict", "predict"),
        (chain, "find_headline", "headline and parts"),
        (Blocks, "texts", "assemble text"),
        (Page, "title", "title"),
    ]


@contextmanager
def _watched(clock: _Clock, extractor: Extractor) -> Iterator[None]:
    """Watch all rooms while the context lasts."""
    replaced: list[tuple[Any, str, Any]] = []
    try:
        for owner, name, room in _watched_places(extractor):
            original = vars(owner).get(name)
            if original is None:
                _logger.warning("%s has no %s: the time of %r goes to its caller", owner, name, room)
                continue
            setattr(owner, name, _replacement(clock, original, room))
            replaced.append((owner, name, original))
        yield
    finally:
        for owner, name, original in reversed(replaced):
            setattr(owner, name, original)


def _replacement(clock: _Clock, original: Any, room: str) -> Any:
    if isinstance(original, property) and original.fget is not None:
        return property(clock.watching(original.fget, room))
    if isinstance(original, classmethod):
        return classmethod(clock.watching(original.__func__, room))
    return clock.watching(original, room)
