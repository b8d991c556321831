"""One block of a page, as people and the API see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Link(NamedTuple):
    """An anchor inside a block: ``text[start:end]`` points to ``href`` (as written on the page)."""

    start: int
    end: int
    href: str


@dataclass(frozen=True, slots=True)
class Block:
    """A text block with its place in the page and, after extraction, its label and the reason.

    Attributes
    ----------
    index : int
        Position among the page's blocks, from 0, in document order.
    text : str
        Text with white space folded to single spaces; line breaks and runs of spaces are kept when
        ``kind`` is ``"preformatted"``.
    words : int
        Number of words (characters for scripts without spaces).
    xpath : str
        Path of the innermost block-level element that holds the block.
    kind : str
        ``"heading"``, ``"list_item"``, ``"quote"``, ``"preformatted"``, ``"caption"``,
        ``"table_cell"`` or ``"paragraph"``.
    level : int
        1 to 6 for a heading, nesting depth from 1 for a list item, 0 otherwise.
    ordered : bool
        True for an item of a numbered list.
    links : tuple of Link
        The anchors inside the block, in order.
    kept : bool
        True if the block is part of the content.
    score : float
        The model's score; above 0 favours content.
    features : mapping
        Value of every feature of the model, by name.
    contributions : mapping
        Contribution of each feature to the score, by name; only for models that provide it.
    failed : tuple of str
        Names of the features whose threshold the block failed.
    reason : str
        One sentence that says why the block was kept or dropped.
    part : str
        Its role if it is kept (``"body"``, ``"lead"`` …), its class if it is dropped (``"menu"``,
        ``"related"`` …; `blockfeat.extraction.block_classes.CLASSES`).
    facts : tuple of (str, str or int)
        Observable facts that support the decision, with the values for the sentence.
    """

    index: int
    text: str
    words: int
    xpath: str
    kind: str = "paragraph"
    level: int = 0
    ordered: bool = False
    links: tuple[Link, ...] = ()
    kept: bool = False
    score: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    reason: str = ""
    part: str = ""
    facts: tuple[tuple[str, str | int], ...] = ()

    def to_dict(self, *, links: bool = True) -> dict[str, Any]:
        """Return the block as plain values that JSON can hold, with its links or without any."""
        values = {name: getattr(self, name) for name in _IN_ORDER}
        return {
            **values,
            "features": dict(self.features.items()),
            "contributions": dict(self.contributions.items()),
            "failed": list(self.failed),
            "links": [link._asdict() for link in self.links if links],
        }


_OF_THE_MODEL = ("features", "contributions", "failed", "reason", "part", "xpath", "links")
_IN_ORDER = ("index", "text", "kind", "level", "words", "kept", "score", *_OF_THE_MODEL)
