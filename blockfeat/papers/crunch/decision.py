"""What goes from a tree, before anything is taken out of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from blockfeat.papers.crunch.walked import Walked


@dataclass(frozen=True, slots=True)
class Held:
    """What was left in a table, a cell or a container when the second set of filters looked at it.

    Attributes
    ----------
    links : int
        Links.
    unlinked : int
        Letters and digits outside of links.
    letters : int
        All letters and digits.
    """

    links: int
    unlinked: int
    letters: int


@dataclass(frozen=True, eq=False)
class Decision:
    """Which elements of a tree go.

    Attributes
    ----------
    walked : Walked
        The tree.
    removed : bytearray, n
        1 for elements that go, with all that is in them.
    emptied : bytearray, n
        1 for elements that stay, though nothing that is in them does.
    is_advertisement : bytearray, n
        1 for elements that refer to a host of advertisements.
    shown : dict of int to str
        The text that stands in the place of a removed element.
    held : dict of int to Held
        What was left in the tables, cells and containers that the second set looked at, those that go and those that
        stay.
    """

    walked: Walked
    removed: bytearray
    emptied: bytearray
    is_advertisement: bytearray
    shown: dict[int, str] = field(default_factory=dict)
    held: dict[int, Held] = field(default_factory=dict)

    @classmethod
    def none(cls, walked: Walked) -> Decision:
        """Return the decision that nothing goes."""
        count = len(walked)
        return cls(walked, bytearray(count), bytearray(count), bytearray(count))

    def gone(self) -> bytearray:
        """Return which elements are not there any more, by themselves or by what is around them: n."""
        gone = bytearray(len(self.walked))
        for index, parent in enumerate(self.walked.parent):
            gone[index] = self.removed[index] or (parent >= 0 and (gone[parent] or self.emptied[parent]))
        return gone
