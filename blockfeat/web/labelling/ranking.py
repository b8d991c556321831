"""Which page comes next: those that the model is least certain of first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

from blockfeat.web.labelling.suggestions import Suggester

_PLACES = {"open": 0, "skipped": 1, "bad": 2, "done": 3}
_UNREAD = 2.0  # behind every page that was read


class Ranking:
    """The confidence of one model in each page, as far as it has read them; safe for several threads."""

    def __init__(self, suggester: Suggester) -> None:
        self.suggester = suggester
        """The model that suggests."""
        self._confidence: dict[str, float] = {}
        self._lock = Lock()

    def use(self, suggester: Suggester) -> None:
        """Take another model, which has read nothing yet."""
        with self._lock:
            self.suggester = suggester
            self._confidence = {}

    def note(self, page: str, confidence: float, by: Suggester) -> None:
        """Note how sure a model is of a page; nothing if it has been replaced."""
        with self._lock:
            if by is self.suggester:
                self._confidence[page] = confidence

    def confidence(self, page: str) -> float | None:
        """Return the word F1 expected of the model's text of a page; None where it has not read it."""
        return self._confidence.get(page)

    def order(self, pages: Sequence[str], state: Callable[[str], str]) -> list[str]:
        """Return pages in the order in which they are to be done.

        Open ones by confidence, the lowest first, behind them those that were not read; then skipped, bad and done
        ones; in the order given where these are equal.
        """

        def key(page: str) -> tuple[int, float]:
            place = _PLACES[state(page)]
            return place, 0.0 if place else self._confidence.get(page, _UNREAD)

        return sorted(pages, key=key)
