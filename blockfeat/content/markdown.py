"""Markdown of content (CommonMark with pipe tables), in which page text cannot become markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from string import punctuation as _ASCII_PUNCTUATION

from blockfeat.content.links import clean_characters, fold_white_space
from blockfeat.content.nodes import (
    Code,
    Content,
    Definitions,
    Figure,
    Heading,
    Image,
    Inline,
    ListOf,
    Node,
    Paragraph,
    Quote,
    Table,
    Text,
    target_of,
)

_ENTITY = re.compile("&(?=#?[0-9A-Za-z]+;)")
# An ampersand only where it would begin an entity; one set of characters first, which is searched the fastest.
_INLINE_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&](?:(?<!&)|(?=#?[0-9A-Za-z]+;))")
# What starts a heading, list, setext underline, rule, block quote or definition at the start of a line.
_LINE_START = re.compile(r"(?:[#+\-=:]|[0-9]{1,9}(?=[.)]))")
_CLOSING_HASHES = re.compile(r"#+$")
_BACKTICKS = re.compile("`+")
# Line breaks, and white space at both ends, apart from the text between.
_PARTS = re.compile(r"\n|[^\S\n]+|[^\s](?:[^\n]*[^\s])?")
_LINES = re.compile(r"\n|[^\n]+")
_HARD_BREAK = "\\\n"


def to_markdown(content: Content, *, links: bool = False) -> str:
    """Return content as Markdown: CommonMark, and pipe tables for tables.

    Parameters
    ----------
    content : Content
        What is kept of a page.
    links : bool
        Write links.

    Returns
    -------
    str
        Headings, paragraphs, nested and numbered lists, quotes, fenced code, tables; bold, italics, inline code, line
        breaks and images; "" where there is no content. A term of a definition list is a bold paragraph, with a list of
        what is said of it.
    """
    return "\n\n".join("\n".join(part) for part in _parts(content.nodes, links))


def _parts(nodes: Sequence[Node], links: bool) -> list[list[str]]:
    """Return the lines of each node that has any; nesting is bounded by the content."""
    parts: list[list[str]] = []
    bullets = 0
    before: Node | None = None
    for node in _without_figures(nodes):
        # Lists of one kind beside each other would be read as one.
        bullets = 1 - bullets if _is_same_list(before, node) else 0
        found = _definitions(node, links) if isinstance(node, Definitions) else [_lines(node, links, bullets)]
        parts.extend(lines for lines in found if lines)
        before = node
    return parts


def _without_figures(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes, and in place of figures what stands in them: Markdown has none."""
    for node in nodes:
        if isinstance(node, Figure):
            yield from _without_figures(node.nodes)
        else:
            yield node


def _is_same_list(before: Node | None, node: Node) -> bool:
    """Return whether two nodes beside each other are lists of one kind."""
    return isinstance(before, ListOf) and isinstance(node, ListOf) and before.ordered == node.ordered


def _lines(node: Node, links: bool, bullets: int) -> list[str]:
    """Return the lines of one node."""
    if isinstance(node, Code):
        return _fenced(node)
    if isinstance(node, ListOf):
        return _list(node, links, bullets)
    if isinstance(node, Quote):
        return ["> " + line if line else ">" for line in _joined(_parts(node.nodes, links))]
    if isinstance(node, Table):
        return _table(node, links)
    assert not isinstance(node, Definitions | Figure)
    if isinstance(node, Heading):
        text = _inline(node.inline, links, line_break=" ")
        text = _CLOSING_HASHES.sub(lambda match: match.group().replace("#", "\\#"), text)
        return [f"{'#' * node.level} {_at_line_start(text)}"] if text else []
    text = _inline(node.inline, links)
    return [_at_line_start(line) for line in text.split("\n")] if text else []


def _joined(parts: Iterable[list[str]]) -> list[str]:
    """Return the lines of parts with an empty one between two of them."""
    lines: list[str] = []
    for part in parts:
        lines += ["", *part] if lines else part
    return lines


def _list(node: ListOf, links: bool, bullets: int) -> list[str]:
    """Return the lines of a list; what an item holds is indented to its text."""
    entries: list[tuple[str, list[list[str]]]] = []
    is_tight = True
    for number, item in enumerate(node.items, start=node.start):
        marker = f"{number}{'.)'[bullets]} " if node.ordered else "-*"[bullets] + " "
        parts = _parts(item, links)
        if parts:
            entries.append((marker, parts))
            is_tight = is_tight and _is_tight(item)
    lines: list[str] = []
    for marker, parts in entries:
        inside = [line for part in parts for line in part] if is_tight else _joined(parts)
        lines += [""] if lines and not is_tight else []
        lines += [marker + inside[0], *(" " * len(marker) + line if line else "" for line in inside[1:])]
    return lines


def _definitions(node: Definitions, links: bool) -> list[list[str]]:
    """Return the parts of a definition list: terms in bold, and a list of what is said of them."""
    parts: list[list[str]] = []
    said: list[tuple[Node, ...]] = []
    for entry in node.entries:
        if entry.is_term:
            parts += [_list(ListOf(False, tuple(said)), links, 0)] if said else []
            said = []
            bold = (_in_bold(inner) for inner in entry.nodes)
            parts += _parts(tuple(bold), links)
        else:
            said.append(entry.nodes)
    return parts + ([_list(ListOf(False, tuple(said)), links, 0)] if said else [])


def _is_tight(item: Sequence[Node]) -> bool:
    """Return whether an item needs no empty lines inside: it is some text, with nothing but lists behind it."""
    first, rest = item[0], item[1:]
    return isinstance(first, Paragraph | Heading | ListOf) and all(
        isinstance(inner, ListOf) and (not inner.ordered or inner.start == 1) for inner in rest
    )


def _in_bold(node: Node) -> Node:
    """Return a paragraph in bold; other nodes as they are."""
    if not isinstance(node, Paragraph):
        return node
    return Paragraph(tuple(replace(piece, bold=True) if isinstance(piece, Text) else piece for piece in node.inline))


def _table(node: Table, links: bool) -> list[str]:
    """Return the lines of a pipe table; its header is empty where no row is one, its first row if rows have names."""
    rows = [[_inline(cell.inline, links, line_break=" ", is_cell=True) for cell in row] for row in node.rows]
    if not node.has_header and not all(row[0].is_header for row in node.rows):
        rows.insert(0, [""] * len(rows[0]))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def _fenced(code: Code) -> list[str]:
    """Write preformatted text between fences longer than any run of backticks inside, the first with its language."""
    lines = clean_characters(code.text).strip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(lines)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + (code.language or ""), *lines.split("\n"), fence]


def _inline(inline: Inline, links: bool, *, line_break: str = _HARD_BREAK, is_cell: bool = False) -> str:
    """Return a line of text with its styles; page text in it is escaped."""
    if len(inline) == 1 and isinstance(inline[0], Text) and not any(inline[0].style):
        text = clean_characters(inline[0].text)
        if "\n" not in text:
            return _escape(text).strip(" ") if text.strip() else ""
    written: list[str] = []
    for target, group in groupby(inline, key=target_of) if links else ((None, inline),):
        before = "[" if target else written[-1][-1:] if written else ""
        inner = _styled(group, line_break, is_cell, before)
        if target is None or not inner.strip():
            written += [inner] if inner else []
            continue
        if written and written[-1].endswith("!"):
            # "!" before a link would make it an image.
            written[-1] = written[-1][:-1] + "\\!"
        written.append(f"[{inner}]({_escape_entities(target)})")
    lines = (line.strip(" ") for line in "".join(written).split(_HARD_BREAK))
    # A break before a line of white space alone would be shown as a backslash.
    return _HARD_BREAK.join(line for line in lines if line.strip())


def _styled(pieces: Iterable[Text | Image], line_break: str, is_cell: bool, before: str) -> str:
    """Return pieces of one link, or of none, behind a character."""
    written = ""
    units = _units(pieces)
    is_styled_before = False
    for number, (text, piece) in enumerate(units):
        last, following = (written or before)[-1:], _first_character(units, number + 1)
        marks = "*" * (2 * piece.bold + piece.italic) if isinstance(piece, Text) else ""
        if isinstance(piece, Image):
            written += f"![{_escape(clean_characters(piece.alt))}]({_escape_entities(piece.source)})"
        elif piece is None:
            written += line_break if text == "\n" else _escape(text)
        elif piece.formula:
            # Two in a row would be one that is displayed.
            written += " " * last.endswith("$") + f"{piece.formula}{_formula(text, is_cell)}{piece.formula}"
        elif piece.script:
            inner, marks = _code_span(text, is_cell) if piece.code else _escape(text), ""
            written += f"<{piece.script}>{inner}</{piece.script}>"
        elif piece.code:
            # Also where it is bold on the page.
            written, marks = written + _code_span(text, is_cell), ""
        elif marks and not is_styled_before and _can_stand(last, text, following):
            written += f"{marks}{_escape(text)}{marks}"
        else:
            written, marks = written + _escape(text), ""
        is_styled_before = bool(marks)
    return written


def _units(pieces: Iterable[Text | Image]) -> list[tuple[str, Text | Image | None]]:
    """Return texts that are written in one way each, in order; without a piece, line breaks and what has no style.

    The white space around styled text is such a text.
    """
    merged: list[tuple[str, Text | Image]] = []
    for piece in pieces:
        if isinstance(piece, Text) and merged and _style(piece) == _style(merged[-1][1]) and not piece.formula:
            merged[-1] = merged[-1][0] + piece.text, piece
        else:
            merged.append((piece.text if isinstance(piece, Text) else "", piece))
    units: list[tuple[str, Text | Image | None]] = []
    for text, piece in merged:
        if isinstance(piece, Image) or piece.formula:
            units.append((text, piece))
            continue
        text = clean_characters(text).replace("\n", " " if piece.code else "\n")
        is_plain = not any(_style(piece))
        parts = (_LINES if is_plain else _PARTS).findall(text)
        units += [(part, None if is_plain or part.isspace() else piece) for part in parts]
    return units


def _style(piece: Text | Image) -> tuple[object, ...]:
    """Return how a piece is set inside of a link: code is never bold or italic in Markdown."""
    if isinstance(piece, Image):
        return ("image",)
    return piece.code, piece.bold and not piece.code, piece.italic and not piece.code, piece.script, piece.formula


def _first_character(units: Sequence[tuple[str, Text | Image | None]], number: int) -> str:
    """Return the character that is written first for a unit; "" behind the last."""
    if number == len(units):
        return ""
    text, piece = units[number]
    if isinstance(piece, Image):
        return "!"
    return text[0] if piece is None else piece.formula[:1] or ("<" if piece.script else "`" if piece.code else text[0])


def _can_stand(before: str, text: str, after: str) -> bool:
    """Return whether asterisks around a text are read as emphasis: CommonMark's flanking runs, on the safe side."""
    return _flanks(text[0], before) and _flanks(text[-1], after)


def _flanks(inner: str, outer: str) -> bool:
    """Return whether asterisks between two characters belong to the inner one; a letter or digit always has them."""
    if unicodedata.category(inner)[0] in "LNM":
        return True
    return not outer or outer.isspace() or outer in _ASCII_PUNCTUATION


def _code_span(text: str, is_cell: bool) -> str:
    """Write inline code between backticks, more than any run of them inside."""
    runs = {len(run) for run in _BACKTICKS.findall(text)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text.replace('|', chr(92) + '|') if is_cell else text}{padding}{fence}"


def _formula(latex: str, is_cell: bool) -> str:
    """Write LaTeX so that it is no markup where formulas are not known."""
    for character, written in (("<", "< "), ("`", "'"), ("](", "] (")):
        latex = latex.replace(character, written)
    latex = latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ") if is_cell else latex
    return _ENTITY.sub("& ", fold_white_space(clean_characters(latex))).strip()


def _escape(text: str) -> str:
    """Escape characters of a clean text that are markup anywhere in a line."""
    return _INLINE_MARKUP.sub(r"\\\g<0>", fold_white_space(text))


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
