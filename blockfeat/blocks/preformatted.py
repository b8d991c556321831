"""The text of a preformatted block with its line breaks and runs of spaces."""

from __future__ import annotations

import re
from html import unescape

from blockfeat.blocks.table import Blocks

_BREAK = re.compile(rb"<br[^>]*>")
_TAG = re.compile(rb"<[^>]*>")
# Control characters that are white space: line breaks of old terminals, and separators of information.
_WHITE = {**dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85), "\n"), **dict.fromkeys(range(0x1C, 0x20), " ")}


def preformatted_text(blocks: Blocks, index: int) -> str:
    """Return the text of one block as it stands on the page; folded where elements inside it were pruned."""
    markup = blocks.tags.source[int(blocks.first_byte[index]) : int(blocks.end_byte[index])]
    text = unescape(_TAG.sub(b"", _BREAK.sub(b"\n", markup)).decode("utf-8", "replace"))
    folded = blocks.text(index)
    text = text.translate(_WHITE)
    return text.strip("\n") if "".join(text.split()) == "".join(folded.split()) else folded
