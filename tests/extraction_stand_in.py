"""An extraction for tests of the output room: values only, nothing extracted."""

from __future__ import annotations

from typing import Any

from blockfeat.blocks.block import Block
from blockfeat.extraction.analysis import Facts
from blockfeat.extraction.extraction import Extraction


def block(text: str, **values: Any) -> Block:
    """Return a kept block with this text."""
    defaults: dict[str, Any] = {"index": 0, "words": len(text.split()), "xpath": "/html/body/p", "kept": True}
    return Block(text=text, **(defaults | values))


def extraction(*blocks: Block, **values: Any) -> Extraction:
    """Return an extraction of these blocks; the text is that of the kept ones."""
    facts = Facts(kind="article", confidence=0.9)
    defaults = {"text": "\n\n".join(item.text for item in blocks if item.kept), "lang": "en", "encoding": "utf-8"}
    defaults |= {"url": "https://a.example/page", "title": "A title", "model": "default", "id": "page-1"}
    return Extraction(**(defaults | values), known_blocks=blocks, known_facts=facts)
