"""An extraction for tests of the output room: values only, nothing extracted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from blockfeat.blocks.block import Block

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction


@dataclass(frozen=True)
class _StandIn:
    """What the output room reads of an ``Extraction``."""

    blocks: tuple[Block, ...] = ()
    text: str = ""
    lang: str | None = "en"
    url: str | None = "https://a.example/page"
    title: str | None = "A title"
    status: str = "ok"
    warnings: tuple[str, ...] = ()
    error: str | None = None
    model: str = "default"
    id: str | None = "page-1"
    encoding: str | None = "utf-8"
    kind: str = "article"
    confidence: float | None = 0.9

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple("body" if item.kept else "clutter" for item in self.blocks)

    def to_dict(self, *, evidence: bool = False) -> dict[str, Any]:
        names = ("id", "url", "lang", "title", "text", "status", "warnings", "error", "model")
        return {name: getattr(self, name) for name in names}

    def evidence(self) -> list[dict[str, Any]]:
        return [{**block.to_dict(), "role": role} for block, role in zip(self.blocks, self.roles, strict=True)]

    def check_memory(self, bytes_a_block: int, what: str) -> None:
        pass


def block(text: str, **values: Any) -> Block:
    """Return a kept block with this text."""
    defaults: dict[str, Any] = {"index": 0, "words": len(text.split()), "xpath": "/html/body/p", "kept": True}
    return Block(text=text, **(defaults | values))


def extraction(*blocks: Block, **values: Any) -> Extraction:
    """Return a stand-in with these blocks; the text is that of the kept ones."""
    text = "\n\n".join(item.text for item in blocks if item.kept)
    return cast("Extraction", _StandIn(blocks=blocks, **({"text": text} | values)))
