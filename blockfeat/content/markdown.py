"""Markdown of content (CommonMark with pipe tables), in which page text cannot become markup."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from string import punctuation as _ASCII_PUNCTUATION
from typing import Any

from blockfeat.content import nodes as tree
from blockfeat.content.links import clean_characters, fold_white_space, xml_characters

_ENTITY = re.compile("&(?=#?[0-9A-Za-z]+;)")
# Stands before a character of a page that may be markup, until the whole line is known; no clean text has it.
_MARK = "\0"
# What may be markup inside of a line. One set of characters first, which is searched the fastest.
_INLINE_MARKUP = re.compile(
    r"[\\`*_\[\]<~$&](?:(?<![\\<&])|(?<=\\)(?=[!-/:-@\[-`{-~]|\Z)|(?<=<)(?=[A-Za-z/!?]|[^\s<>]+@)"
    r"|(?<=&)(?=#?[0-9A-Za-z]+;))"
)
# What is looked for once, as most text has none of it: what may be markup, and what is cleaned and folded.
_SPECIAL = re.compile("[\\\\`*_\\[\\]<~$&\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_PAIRED = re.compile(r"\0([*_~`])(?:\0\1)*|(?:\0?\$)+")
_UNMARKED = re.compile(r"(?<!\0)[*`]")
_BRACKETS = re.compile(r"\0([\[\]])")
# What is markup by itself: a backslash before punctuation, the end of a link, an entity, a tag, a comment, an address;
# at the start of a line also the definition of a footnote or of a link, the box of a task, the name of a tag.
_ALONE = re.compile(
    r"\0(?=\\[\0!-/:-@\[-`{-~]|\]\(|&|<(?:[!?]|[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*>|[^\s<>]+@[^\s<>]+>"
    r"|/?[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:\0][\w.:\0-]*(?:\s*=\s*(?:[^\s\"'=<>`]++|'[^']*'|\"[^\"]*\"))?)*\s*/?>)"
    r"|(?<![^\n]\0)(?:</?[A-Za-z][A-Za-z0-9-]*(?:\s|/?>|\Z)"
    r"|\[(?:\^[^\]\n]*\]:|[^\]\n]+\]: *\S*\s*(?:[\"'(]|\n|\Z)|[ xX]\0\] )))"
)
# A list, heading, quote, fence or rule.
_LINE_START = re.compile(
    r"[-+*](?=[ \t]|$)|#{1,6}(?=[ \t]|$)|>|~~~|`{3,}(?=[^`]*$)|([-*_])(?:[ \t]*\1){2,}[ \t]*$"
    r"|[0-9]{1,9}(?=[.)](?:[ \t]|$))"
)
# What makes the line before it a heading or the header of a table.
_UNDERLINE = re.compile(r"=+[ \t]*$|[|: \t]*-[-|: \t]*$")
_CLOSING_HASHES = re.compile(r"(?:(?<= )|^)#(?=#*$)")
_BACKTICKS = re.compile("`+")
# Line breaks, and white space at both ends, apart from the text between.
_PARTS = re.compile(r"\n|[^\S\n]+|[^\s](?:[^\n]*[^\s])?")
_LINES = re.compile(r"\n|[^\n]+")
_HARD_BREAK = "\\\n"
_ESCAPED, _BRACKET = r"\\\g<0>", r"\\\1"
_TIGHT = (tree.Paragraph, tree.Heading, tree.ListOf)


def to_markdown(content: tree.Content, *, links: bool = False) -> str:
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


def front_matter(values: Mapping[str, Any]) -> str:
    """Return values as a block of YAML to stand before Markdown; those that are None or empty are left out."""
    lines = [f"{name}: {_yaml(value)}" for name, value in values.items() if value]
    return "\n".join(("---", *lines, "---", "", ""))


def _yaml(value: Any) -> str:
    """Return a text, a number or a list of them as YAML that is JSON too, whatever the page wrote."""
    if isinstance(value, str):
        value = fold_white_space(xml_characters(value)).strip()
    return f"[{', '.join(map(_yaml, value))}]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


def _parts(nodes: Sequence[tree.Node], links: bool) -> list[list[str]]:
    """Return the lines of each node that has any; nesting is bounded by the content."""
    parts: list[list[str]] = []
    bullets = 0
    before: tree.Node | None = None
    for node in _written_nodes(nodes):
        # Lists of one kind beside each other would be read as one.
        is_list = isinstance(before, tree.ListOf) and isinstance(node, tree.ListOf) and before.ordered == node.ordered
        bullets = 1 - bullets if is_list else 0
        parts += filter(None, [_lines(node, links, bullets)])
        before = node
    return parts


def _written_nodes(nodes: Iterable[tree.Node]) -> Iterator[tree.Node]:
    """Yield nodes, and in place of figures and definitions, which Markdown does not have, what stands in them.

    Of definitions these are terms in bold, and lists of what is said of them.
    """
    for node in nodes:
        if isinstance(node, tree.Figure):
            yield from _written_nodes(node.nodes)
        elif isinstance(node, tree.Definitions):
            for is_term, entries in groupby(node.entries, key=lambda entry: entry.is_term):
                inside = tuple(entry.nodes for entry in entries)
                yield from _written_nodes(map(_in_bold, chain(*inside)) if is_term else (tree.ListOf(False, inside),))
        else:
            yield node


def _lines(node: tree.Node, links: bool, bullets: int) -> list[str]:
    """Return the lines of one node."""
    if isinstance(node, (tree.Paragraph, tree.Caption)):
        text = _inline(node.inline, links)
        return [_at_line_start(line, number) for number, line in enumerate(text.split("\n"))] if text else []
    if isinstance(node, tree.Heading):
        text = _inline(node.inline, links, line_break=" ")
        text = _CLOSING_HASHES.sub(_ESCAPED, text) if text.endswith("#") else text
        return [f"{'#' * node.level} {text}"] if text else []
    if isinstance(node, tree.ListOf):
        return _list(node, links, bullets)
    if isinstance(node, tree.Quote):
        return ["> " + line if line else ">" for line in _joined(_parts(node.nodes, links))]
    if isinstance(node, tree.Table):
        return _table(node, links)
    assert isinstance(node, tree.Code)
    return _fenced(node)


def _joined(parts: Iterable[list[str]]) -> list[str]:
    """Return the lines of parts with an empty one between two of them."""
    return [line for part in parts for line in ("", *part)][1:]


def _list(node: tree.ListOf, links: bool, bullets: int) -> list[str]:
    """Return the lines of a list; what an item holds is indented to its text."""
    entries = [(number, item, _parts(item, links)) for number, item in enumerate(node.items, start=node.start)]
    is_tight = all(_is_tight(item) for _, item, parts in entries if parts)
    lines: list[str] = []
    for number, parts in ((number, parts) for number, _, parts in entries if parts):
        marker = f"{number}{'.)'[bullets]} " if node.ordered else "-*"[bullets] + " "
        inside = [*chain(*parts)] if is_tight else _joined(parts)
        lines += [""] if lines and not is_tight else []
        lines += [marker + inside[0], *(" " * len(marker) + line if line else "" for line in inside[1:])]
    return lines


def _is_tight(item: Sequence[tree.Node]) -> bool:
    """Return whether an item needs no empty lines inside: it is some text, with nothing but lists behind it."""
    first, rest = item[0], item[1:]
    return isinstance(first, _TIGHT) and all(
        isinstance(inner, tree.ListOf) and (not inner.ordered or inner.start == 1) for inner in rest
    )


def _in_bold(node: tree.Node) -> tree.Node:
    """Return a paragraph in bold; other nodes as they are."""
    return tree.Paragraph(tree.set_bold(node.inline, True)) if isinstance(node, tree.Paragraph) else node


def _table(node: tree.Table, links: bool) -> list[str]:
    """Return the lines of a pipe table; its header is empty where no row is one, its first row if rows have names."""
    rows = [[_cell(cell, links) for cell in row] for row in node.rows]
    if not node.has_header and not all(row[0].is_header for row in node.rows):
        rows.insert(0, [""] * len(rows[0]))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def _cell(cell: tree.Cell, links: bool) -> str:
    """Return what stands in a cell of a pipe table."""
    return _inline(cell.inline, links, line_break=" ", is_cell=True).replace("|", "\\|")


def _fenced(code: tree.Code) -> list[str]:
    """Write preformatted text between fences longer than any run of backticks inside, the first with its language."""
    lines = clean_characters(code.text).strip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(lines)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + (code.language or ""), *lines.split("\n"), fence]


def _inline(inline: tree.Inline, links: bool, *, line_break: str = _HARD_BREAK, is_cell: bool = False) -> str:
    """Return a line of text with its styles; page text in it is escaped."""
    only = inline[0] if len(inline) == 1 else None
    if isinstance(only, tree.Text) and not any(only[1:]) and _is_plain(only.text):
        return only.text.strip(" ")
    written: list[str] = []
    for target, group in groupby(inline, key=tree.target_of) if links else ((None, inline),):
        before = "[" if target else written[-1][-1:] if written else ""
        inner = _styled(tuple(group), line_break, is_cell, before)
        if target is None or not inner.strip():
            written += [inner] if inner else []
            continue
        if written and written[-1].endswith("!"):
            # "!" before a link would make it an image.
            written[-1] = written[-1][:-1] + "\\!"
        written.append(f"[{_BRACKETS.sub(_BRACKET, inner)}]({_ENTITY.sub(_ESCAPED, target)})")
    text = "".join(written)
    if _HARD_BREAK in text:
        # A break before a line of white space alone would be shown as a backslash.
        text = _HARD_BREAK.join(line.strip(" ") for line in text.split(_HARD_BREAK) if line.strip())
    return _escape_marked(text.strip(" ")) if text.strip() else ""


def _is_plain(text: str) -> bool:
    """Return whether nothing in a text has to be marked, cleaned or folded."""
    return _SPECIAL.search(text) is None and "  " not in text


def _styled(pieces: tree.Inline, line_break: str, is_cell: bool, before: str) -> str:
    """Return pieces of one link, or of none, behind a character."""
    written: list[str] = []
    units, last = _units(pieces), before
    is_styled_before = False
    for number, (text, piece) in enumerate(units):
        marks = ""
        if piece is None:
            shown = line_break if text == "\n" else _mark(text)
        elif isinstance(piece, tree.Image):
            alt = _BRACKETS.sub(_BRACKET, _mark(clean_characters(piece.alt)))
            shown = f"![{alt}]({_ENTITY.sub(_ESCAPED, piece.source)})"
        elif piece.formula:
            # Two in a row would be one that is displayed.
            shown = " " * (last == "$") + f"{piece.formula}{_formula(text, is_cell)}{piece.formula}"
        elif piece.script:
            shown = f"<{piece.script}>{_code_span(text) if piece.code else _mark(text)}</{piece.script}>"
        elif piece.code:
            # Also where it is bold on the page.
            shown = _code_span(text)
        else:
            shown, following = _mark(text), _first_character(units, number + 1)
            if not is_styled_before and _flanks(text[0], last) and _flanks(text[-1], following):
                marks = "*" * (2 * piece.bold + piece.italic)
                shown = f"{marks}{shown}{marks}"
        written.append(shown)
        last, is_styled_before = shown[-1:] or last, bool(marks)
    return "".join(written)


def _units(pieces: tree.Inline) -> list[tuple[str, tree.Text | tree.Image | None]]:
    """Return texts that are written in one way each, in order; without a piece, line breaks and what has no style.

    The white space around styled text is such a text.
    """
    units: list[tuple[str, tree.Text | tree.Image | None]] = []
    for style, group in groupby(pieces, key=_style):
        same = tuple(group)
        piece = same[0]
        if isinstance(piece, tree.Image) or piece.formula:
            units += [(each.text if isinstance(each, tree.Text) else "", each) for each in same]
            continue
        text = clean_characters("".join(each.text for each in same if isinstance(each, tree.Text)))
        is_plain = not any(style)
        parts = (_LINES if is_plain else _PARTS).findall(text.replace("\n", " ") if piece.code else text)
        units += [(part, None if is_plain or part.isspace() else piece) for part in parts]
    return units


def _style(piece: tree.Text | tree.Image) -> tuple[object, ...]:
    """Return how a piece is set inside of a link: code is never bold or italic in Markdown."""
    if isinstance(piece, tree.Image):
        return ("image",)
    return piece.code, piece.bold and not piece.code, piece.italic and not piece.code, piece.script, piece.formula


def _first_character(units: Sequence[tuple[str, tree.Text | tree.Image | None]], number: int) -> str:
    """Return the character that is written first for a unit; "" behind the last."""
    if number == len(units):
        return ""
    text, piece = units[number]
    if isinstance(piece, tree.Image):
        return "!"
    return text[0] if piece is None else piece.formula[:1] or ("<" if piece.script else "`" if piece.code else text[0])


def _flanks(inner: str, outer: str) -> bool:
    """Return whether asterisks between two characters belong to the inner one; a letter or digit always has them."""
    return _nature(inner)[0] or not outer or outer.isspace() or _nature(outer)[1]


def _code_span(text: str) -> str:
    """Write inline code between backticks, more than any run of them inside."""
    runs = {len(run) for run in _BACKTICKS.findall(text)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _formula(latex: str, is_cell: bool) -> str:
    """Write LaTeX so that it is no markup where formulas are not known."""
    for character, written in (("<", "< "), ("`", "'"), ("](", "] (")):
        latex = latex.replace(character, written)
    latex = latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ") if is_cell else latex
    return _ENTITY.sub("& ", fold_white_space(clean_characters(latex))).strip()


def _mark(text: str) -> str:
    """Mark the characters of a clean text that may be markup inside of a line."""
    if _is_plain(text):
        return text
    return _INLINE_MARKUP.sub(lambda match: _MARK + match[0], fold_white_space(text))


def _escape_marked(text: str) -> str:
    """Escape the marked characters that would be markup; of a pair that would be, the first alone."""
    if _MARK not in text:
        return text
    text = _ALONE.sub(r"\\", text)
    last = {match[0]: match.start() for match in _UNMARKED.finditer(text)}
    closing, formula_ends = set[str](), (False, False)
    parts: list[str] = []
    rest = len(text)
    for match in reversed([*_PAIRED.finditer(text)]):
        run = match[0].replace(_MARK, "")
        before, after = text[match.start() - 1 : match.start()] or "\n", text[match.end() : match.end() + 1] or "\n"
        if run[0] == "$":
            written, formula_ends = _dollars(match[0], before, after, formula_ends)
        else:
            # A run of backticks ends with one of the same length.
            opens, closes, kind = *_delimits(run, before, after), run if match[1] == "`" else match[1]
            is_before_ours = (opens or closes) and last.get(match[1], -1) >= match.end()
            is_markup = (opens and kind in closing) or is_before_ours or before == match[1]
            closing |= {kind} if closes and not is_markup else set()
            written = match[0].replace(_MARK, "\\") if is_markup else run
        parts += text[match.end() : rest], written
        rest = match.start()
    return (text[:rest] + "".join(reversed(parts))).replace(_MARK, "")


def _dollars(marked: str, before: str, after: str, ends: tuple[bool, bool]) -> tuple[str, tuple[bool, bool]]:
    """Return a run of dollars as it is written, and whether it may end a formula in a line and one that is displayed.

    ``ends`` says so of the next run: no formula has another inside.
    """
    run = marked.replace(_MARK, "")
    is_ours, is_displayed = marked[0] != _MARK, ends[1] and len(run) > 1
    if (marked != run) if is_ours else (ends[0] and not after.isspace()) or (is_displayed and len(run) > 2):
        return marked.replace(_MARK, "\\"), ends
    if is_displayed and not is_ours:
        return f"\\{run}", (not after.isdigit(), False)
    return run, (not before.isspace() and (len(run) > 1 or not after.isdigit()), len(run) > 1)


def _delimits(run: str, before: str, after: str) -> tuple[bool, bool]:
    """Return whether a run of one character between two others may begin a span, and whether it may end one."""
    if run[0] == "`":
        return True, True
    (letter_before, mark_before), (letter_after, mark_after) = _nature(before), _nature(after)
    opens = not after.isspace() and not (letter_before and (run[0] == "_" or mark_after))
    closes = not before.isspace() and not (letter_after and (run[0] == "_" or mark_before))
    return opens, closes


def _nature(character: str) -> tuple[bool, bool]:
    """Return whether a character is surely of a word, and whether it is surely punctuation."""
    category = unicodedata.category(character)[0]
    return category in "LNM", category == "P" or character in _ASCII_PUNCTUATION or character == _MARK


def _at_line_start(text: str, number: int) -> str:
    """Escape what is markup at the start of a line of a paragraph only."""
    match = (number and _UNDERLINE.match(text)) or _LINE_START.match(text)
    # A numbered list that interrupts a paragraph begins with one.
    if not match or (number and match[0].isdigit() and int(match[0]) != 1):
        return text
    position = match.end() if match[0].isdigit() else 0
    return f"{text[:position]}\\{text[position:]}"
