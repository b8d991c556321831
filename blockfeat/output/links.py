"""Link targets that output may contain, and the links in a block's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from blockfeat.blocks.block import Block
from blockfeat.page.html_entities import unescape

__all__ = ["linked_pieces", "safe_target"]

_SCHEMES = ("http", "https", "mailto")
_SCHEME = re.compile("([^/?#:]*):")
# Spaces, controls, quotes, brackets and whatever else may end a link target in Markdown or HTML.
_ENCODED = re.compile(
    "[\x00-\x20\x7f-\xa0\"'()<>\\\\^`{|}\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    "\ud800-\udfff\ufeff\ufffe\uffff]"
)
# What browsers strip before they parse a target.
_DROPPED = re.compile("^[\x00-\x20\x7f-\xa0]+|[\x00-\x20\x7f-\xa0]+$|[\t\n\r]+")
# Rounds of entity decoding that are checked; browsers and renderers each make at most one.
_MAX_DISGUISES = 5


def safe_target(href: str) -> str | None:
    """Return a link target for output, or None if it is not allowed.

    Allowed are http, https, mailto and relative targets. Any other scheme is refused, also if white space,
    control characters, letter case or entities disguise it. Spaces, parentheses and other characters with a
    meaning in markup are percent-encoded.
    """
    target = _DROPPED.sub("", href)
    if not target or not _scheme_allowed(target):
        return None
    return _ENCODED.sub(lambda match: quote(match.group(), safe="", errors="replace"), target)


def _scheme_allowed(target: str) -> bool:
    """Check the target as written and after each round of entity decoding.

    White space or control characters inside a scheme, which browsers ignore, make it a scheme that is not allowed.
    """
    for _ in range(_MAX_DISGUISES):
        scheme = _SCHEME.match(target)
        if scheme is not None and scheme.group(1).lower() not in _SCHEMES:
            return False
        decoded = unescape(target)
        if decoded == target:
            return True
        target = decoded
    return False


def linked_pieces(block: Block) -> Iterator[tuple[str, str | None]]:
    """Cut a block's text at its links: yield (piece, target), target None outside of allowed links.

    Links that are empty, overlap an earlier one or lie outside the text are ignored; the pieces joined are
    always the whole text.
    """
    position = 0
    for link in block.links:
        start, end = link.start, min(link.end, len(block.text))
        if start < position or start >= end or not block.text[start:end].strip():
            continue
        target = safe_target(link.href)
        if target is None:
            continue
        if start > position:
            yield block.text[position:start], None
        yield block.text[start:end], target
        position = end
    if position < len(block.text):
        yield block.text[position:], None
