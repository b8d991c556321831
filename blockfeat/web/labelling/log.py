"""What a labeller did, change by change: the roles and states of pages, undo and redo, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from blockfeat.data.labels import ROLES
from blockfeat.errors import CorpusError

STATES = ("open", "done", "skipped", "bad")
"""What a page can be: still to do, labelled, put off, or of no use (broken, empty, of another kind)."""

NO_ROLE = "none"


@dataclass(frozen=True)
class Change:
    """One action on one page.

    Attributes
    ----------
    page : str
        Id of the page.
    cut : str
        Digest of its blocks (`blockfeat.data.labels.cut_digest`).
    roles : mapping of int to str or None
        The new role of each block that changes; None takes the role away.
    state : str or None
        The new state of the page, one of `STATES`; None leaves it.
    at : float
        When, in seconds since 1970.
    is_given : bool
        Whether the labels were there before the session: nothing that the labeller did, and not to be taken back.
    """

    page: str
    cut: str
    roles: Mapping[int, str | None] = field(default_factory=dict)
    state: str | None = None
    at: float = 0.0
    is_given: bool = False

    def to_value(self) -> dict[str, Any]:
        """Return plain values, the blocks by role, which is shorter."""
        by_role: dict[str, list[int]] = {}
        for block, role in sorted(self.roles.items()):
            by_role.setdefault(role or NO_ROLE, []).append(block)
        found: dict[str, Any] = {"page": self.page, "cut": self.cut, "roles": by_role, "at": round(self.at, 3)}
        if self.is_given:
            found["given"] = True
        return found if self.state is None else {**found, "state": self.state}

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> Change:
        """Read what `to_value` returned.

        Raises
        ------
        CorpusError
            It is no change; the message gives the reason.
        """
        try:
            roles = {
                int(block): None if role == NO_ROLE else role
                for role, blocks in value["roles"].items()
                for block in blocks
            }
            page, cut, at = str(value["page"]), str(value["cut"]), float(value["at"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise CorpusError(f"no change of a page: {type(error).__name__}: {error}") from None
        found = cls(page, cut, roles, value.get("state"), at, value.get("given") is True)
        known = (None, *ROLES)
        if found.state not in (None, *STATES) or any(role not in known for role in roles.values()):
            raise CorpusError("a change has an unknown role or state")
        return found


@dataclass
class PageLabels:
    """What is known of one page: the cut that its roles belong to, the roles by block, the state."""

    cut: str = ""
    roles: dict[int, str] = field(default_factory=dict)
    state: str = "open"


@dataclass(frozen=True)
class _Done:
    """A change with what was there before, which undoing it brings back."""

    change: Change
    before: PageLabels


class LabelLog:
    """The state of a session, made by its changes alone.

    The changes of all pages stand in one list: undo takes back the latest, whatever page it was on.
    """

    def __init__(self) -> None:
        self.pages: dict[str, PageLabels] = {}
        self.finished: set[str] = set()
        """The pages that were done at any time, also where that was taken back."""
        self._done: list[_Done] = []
        self._undone: list[Change] = []

    def labels(self, page: str) -> PageLabels:
        """Return what is known of a page."""
        return self.pages.get(page) or PageLabels()

    def apply(self, change: Change) -> None:
        """Make a change; what was undone before can then not be redone."""
        self._undone.clear()
        self._apply(change)
        if change.is_given:
            self._done.pop()

    def undo(self) -> str | None:
        """Take the latest change back; return its page, None where there is nothing to undo."""
        if not self._done:
            return None
        done = self._done.pop()
        self._undone.append(done.change)
        self.pages[done.change.page] = done.before
        return done.change.page

    def redo(self) -> str | None:
        """Make the change again that was undone last; return its page, None where there is none."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._apply(change)
        return change.page

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to make again."""
        return bool(self._undone)

    def _apply(self, change: Change) -> None:
        before = self.labels(change.page)
        self._done.append(_Done(change, before))
        # Roles of another cut say nothing of these blocks.
        roles = dict(before.roles) if before.cut == change.cut else {}
        for block, role in change.roles.items():
            if role is None:
                roles.pop(block, None)
            else:
                roles[block] = role
        self.pages[change.page] = PageLabels(change.cut, roles, change.state or before.state)
        if change.state == "done":
            self.finished.add(change.page)
