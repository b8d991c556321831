"""``Extraction``: the main text of a page with its evidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from blockfeat.blocks.block import Block

__all__ = ["Extraction"]


def _no_blocks() -> tuple[Block, ...]:
    return ()


@dataclass(frozen=True)
class Extraction:
    """What was found on a page.

    Attributes
    ----------
    text : str
        The main text, blocks joined by blank lines; empty where the page has none.
    lang : str or None
        ISO 639-1 code of the page's language.
    url, id : str or None
        Address and identifier as the caller gave them.
    title : str or None
        Text of the title element.
    headline : str or None
        The heading above the text that is most like the title, whether it is part of ``text`` or not.
    status : str
        ``"ok"``, ``"no content"`` (the page has text, but none is main text: front pages, consent walls, error
        pages), ``"empty"`` (the page has no text) or ``"error"``.
    warnings : tuple of str
        What was capped or repaired on the way.
    error : str or None
        Why the page could not be read.
    model : str
        Name of the model.
    encoding : str or None
        What the bytes were decoded as.
    blocks : tuple of Block
        Every block with its features, score and reason, made when first asked for.
    """

    text: str
    lang: str | None = None
    url: str | None = None
    id: str | None = None
    title: str | None = None
    headline: str | None = None
    status: str = "ok"
    warnings: tuple[str, ...] = ()
    error: str | None = None
    model: str = ""
    encoding: str | None = None
    evidence: Callable[[], tuple[Block, ...]] = field(default=_no_blocks, repr=False, compare=False)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Every block of the page, in order, with the reason why it was kept or dropped."""
        return self.evidence()

    def to_dict(self, *, evidence: bool = False) -> dict[str, Any]:
        """Return plain values that JSON can hold, with the blocks if ``evidence`` is asked for."""
        document: dict[str, Any] = {
            "id": self.id,
            "url": self.url,
            "lang": self.lang,
            "title": self.title,
            "headline": self.headline,
            "text": self.text,
            "status": self.status,
            "warnings": list(self.warnings),
            "error": self.error,
            "model": self.model,
        }
        if evidence:
            document["blocks"] = [block.to_dict() for block in self.blocks]
        return document

    def __getstate__(self) -> dict[str, Any]:
        """Make the blocks now: a page's tree cannot travel between processes."""
        return {**self.__dict__, "blocks": self.blocks, "evidence": _no_blocks}
