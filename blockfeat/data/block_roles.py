"""The roles that a labeller gave to the blocks of a page, and the cut of the page that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from blockfeat._json_lines import json_type
from blockfeat.errors import CorpusError

if TYPE_CHECKING:
    from blockfeat.blocks.table import Blocks


ROLES = ("content", "headline", "byline", "caption", "clutter")
"""What a labeller can say that a block is."""


@dataclass(frozen=True, slots=True)
class BlockRoles:
    """The role of each block of a page.

    Attributes
    ----------
    table : str
        Name of the tag table that cut the page.
    cut : str
        Digest of the blocks' texts (`cut_digest`): roles of another cut of the page mean nothing.
    blocks : tuple of str or None, n
        One of `ROLES` for each block in document order; None where the labeller said nothing.
    """

    table: str
    cut: str
    blocks: tuple[str | None, ...]

    def fits(self, blocks: Blocks) -> bool:
        """Return whether the roles are of this cut of the page."""
        return self.table == blocks.table and len(self.blocks) == len(blocks) and self.cut == cut_digest(blocks)

    @property
    def has_content(self) -> bool:
        """Whether a block is content."""
        return "content" in self.blocks

    def to_value(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {"table": self.table, "cut": self.cut, "blocks": list(self.blocks)}

    @classmethod
    def from_value(cls, value: object) -> BlockRoles:
        """Read what `to_value` returned.

        Raises
        ------
        CorpusError
            Something is missing or wrong; the message gives the reason, not the place.
        """
        if not isinstance(value, Mapping):
            raise CorpusError(f"field 'roles' is {json_type(value)}, not an object")
        table, cut, blocks = (value.get(name) for name in ("table", "cut", "blocks"))
        if not isinstance(table, str) or not isinstance(cut, str) or not isinstance(blocks, list):
            raise CorpusError("field 'roles' needs the strings 'table' and 'cut' and the array 'blocks'")
        for role in blocks:
            if role is not None and role not in ROLES:
                raise CorpusError(f"field 'roles': {role!r} is none of {', '.join(ROLES)} or null")
        return cls(table, cut, tuple(blocks))


def cut_digest(blocks: Blocks) -> str:
    """Return 16 hexadecimal digits that say how a page was cut: a digest of the texts of its blocks."""
    joined = "\n".join(blocks.texts()).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=8).hexdigest()
