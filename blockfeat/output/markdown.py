"""Markdown of an extraction, in which page text cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from blockfeat.blocks.block import Block
from blockfeat.output.characters import clean_characters, fold_white_space
from blockfeat.output.links import linked_pieces
from blockfeat.output.structure import BlockList, Quote, structured

if TYPE_CHECKING:
    from blockfeat.extraction.extraction import Extraction

__all__ = ["to_markdown"]

_ENTITY = re.compile("&(?=#?[0-9A-Za-z]+;)")
_INLINE_MARKUP = re.compile(r"[\\`*_\[\]<>|~$]|&(?=#?[0-9A-Za-z]+;)")
# What starts a heading, list, setext underline, rule, block quote or definition at the start of a line.
_LINE_START = re.compile(r"(?:[#+\-=:]|[0-9]{1,9}(?=[.)]))")
_CLOSING_HASHES = re.compile(r"#+$")
_BACKTICKS = re.compile("`+")

_Inline = Callable[[Block], str]


def to_markdown(extraction: Extraction, *, links: bool = False) -> str:
    """Return the content as Markdown (CommonMark).

    Parameters
    ----------
    extraction : Extraction
        The page's extraction; its kept blocks are written.
    links : bool
        Write links that have a relative, http, https or mailto target.

    Returns
    -------
    str
        Headings, nested and numbered lists, quotes, fenced code and paragraphs, with a blank line
        between them; "" where the page has no content.
    """
    inline = _linked_text if links else _plain_text
    parts: list[str] = []
    for part in structured(extraction.blocks):
        if isinstance(part, BlockList):
            parts.append("\n".join(_list_lines(part, inline)))
        elif isinstance(part, Quote):
            parts.append("\n>\n".join("> " + _at_line_start(inline(block)) for block in part.blocks))
        else:
            parts.append(_block(part, inline))
    return "\n\n".join(parts)


def _block(block: Block, inline: _Inline) -> str:
    if block.kind == "preformatted":
        return _fenced(block.text)
    if block.kind == "heading":
        text = _CLOSING_HASHES.sub(lambda match: match.group().replace("#", "\\#"), inline(block))
        return f"{'#' * min(max(block.level, 1), 6)} {_at_line_start(text)}"
    return _at_line_start(inline(block))


def _list_lines(block_list: BlockList, inline: _Inline) -> Iterator[str]:
    """Yield the lines of a list; nested lists are indented to the text of their item."""
    for number, entry in enumerate(block_list.entries, start=1):
        marker = f"{number}. " if block_list.ordered else "- "
        yield marker + _at_line_start(inline(entry.block))
        for nested in entry.lists:
            for line in _list_lines(nested, inline):
                yield " " * len(marker) + line


def _fenced(text: str) -> str:
    """Write preformatted text between fences longer than any run of backticks inside."""
    lines = clean_characters(text).strip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(lines)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{lines}\n{fence}"


def _plain_text(block: Block) -> str:
    return _escape(block.text).strip()


def _linked_text(block: Block) -> str:
    pieces: list[str] = []
    for piece, target in linked_pieces(block):
        text = _escape(piece)
        if target is None:
            pieces.append(text)
            continue
        if pieces and pieces[-1].endswith("!"):
            # "!" before a link would make it an image.
            pieces[-1] = pieces[-1][:-1] + "\\!"
        pieces.append(f"[{text}]({_escape_entities(target)})")
    return "".join(pieces).strip()


def _escape(text: str) -> str:
    """Escape characters that are markup anywhere in a line."""
    return _INLINE_MARKUP.sub(r"\\\g<0>", fold_white_space(clean_characters(text)))


def _escape_entities(target: str) -> str:
    """Escape what a renderer would decode as an entity in a target."""
    return _ENTITY.sub("\\\\&", target)


def _at_line_start(text: str) -> str:
    """Escape characters that are markup at the start of a line only."""
    match = _LINE_START.match(text)
    if match is None:
        return text
    if match.group()[0].isdigit():
        return f"{match.group()}\\{text[match.end() :]}"
    return "\\" + text
