"""Code on a page: which blocks are one piece of it, its lines as they stand, its language, and what only marks it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from blockfeat._files import bundled_table
from blockfeat.blocks.element_codes import KEYS, PREFORMATTED
from blockfeat.blocks.table import Blocks, Mask, markup_text
from blockfeat.page.tags import are_among

_LINE_START = rb"<(?:div|li|p|tr)(?:\s[^>]*)?>"
_EMPTY_LINE = rb"<(?:div|li|p|tr)(?:\s[^>]*)?/>"
_LINE_END = rb"(?:<br[^>]*>|\n)?((?:</(?!div|li|p|tr)\w+>)*)</(?:div|li|p|tr)>\n?"
_PRUNED = rb"(?s)<(button|select|style|svg|template|textarea)[\s>].*?</\1>"
_ONLY_NUMBER = rb">\s*[0-9]+\s*</"
_LINE_NUMBER = (
    rb'(?i)<(\w+)\s[^>]*class="[^"]*(?:line-?no|line-?num|linenum|hljs-ln-n|gutter|\blnt\b|\bln\b)[^"]*"[^>]*>'
    rb"\s*[0-9]+\s*</\1>"
)

# Elements around preformatted text that are looked at for its language and what marks it.
_MOST_AROUND = 5
_NAMED_LANGUAGE = re.compile(
    r"(?:^|\s)(?:brush:\s*|(?:language|lang|highlight-source|highlight|src)[-:_])([\w+#.-]{1,30})"
)
_NAMES = bundled_table("blockfeat.content", "code.toml")
_NO_LANGUAGE, _LANGUAGES, _HIGHLIGHTS = (
    frozenset(_NAMES[table].split()) for table in ("no_language", "languages", "highlights")
)
_NUMBERS, _LONGEST_NAME = re.compile(r"[0-9]+(?:\s+[0-9]+)*"), 30


@dataclass(frozen=True, slots=True)
class CodePart:
    """Blocks of preformatted text that are one piece, from first to end, and the element that holds them."""

    container: int
    first: int
    end: int


def code_parts(blocks: Blocks, kept: Mask) -> list[CodePart]:
    """Return the preformatted text among the kept blocks, in order."""
    parts: list[CodePart] = []
    for part in _elements(blocks):
        # Most is kept whole, or not at all.
        if (count := np.count_nonzero(kept[part.first : part.end])) in (0, part.end - part.first):
            parts += [part] if count else []
            continue
        inside = np.concatenate(([False], kept[part.first : part.end], [False])).astype(np.int8)
        starts, ends = (part.first + (np.diff(inside) == step).nonzero()[0] for step in (1, -1))
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        parts += [CodePart(part.container, first, end) for first, end in spans]
    return parts


def _elements(blocks: Blocks) -> Iterator[CodePart]:
    """Return the outermost preformatted elements with the blocks in each."""
    containers = blocks.containers
    if not blocks.names & PREFORMATTED:
        return
    found = are_among(containers.key, KEYS[PREFORMATTED]).nonzero()[0]
    ends = containers.end_block[found]
    behind = np.concatenate(([0], np.maximum.accumulate(ends)))[:-1]
    firsts = np.maximum(containers.first_block[found], behind)
    is_outer = firsts < ends
    yield from map(CodePart, *(column[is_outer].tolist() for column in (found, firsts, ends)))


def code_text(blocks: Blocks, part: CodePart) -> str:
    """Return preformatted text with its lines and indentation, without numbers of lines.

    Its blocks stand in lines of their own where that does not show what they show.
    """
    markup = _markup(blocks, part)
    text = _lines(markup)
    texts = blocks.texts(range(part.first, part.end))
    if "".join(text.split()) != "".join("".join(texts).split()):
        return "\n".join(texts)
    # Most code has no element that is a number, and the search for one is many times as fast.
    has_numbers = re.search(_ONLY_NUMBER, markup) and re.search(_LINE_NUMBER, markup)
    return _lines(re.sub(_LINE_NUMBER, b"", markup)) if has_numbers else text


def _markup(blocks: Blocks, part: CodePart) -> bytes:
    return blocks.tags.source[int(blocks.first_byte[part.first]) : int(blocks.end_byte[part.end - 1])]


def _lines(markup: bytes) -> str:
    """Return the text of preformatted markup; what breaks its lines are line ends, line breaks and blocks."""
    plain = re.sub(_PRUNED, b"", markup)
    if re.search(_LINE_START, plain):
        # Each block ends its line, whether a line end of the source stands there too or not.
        plain = re.sub(_LINE_START, b"", re.sub(_LINE_END, rb"\1\n", re.sub(_EMPTY_LINE, b"</div>", plain)))
    return markup_text(plain).strip("\n")


def code_language(blocks: Blocks, container: int) -> str | None:
    """Return the language of preformatted text, as classes of the elements at and around it name it."""
    tags, containers = blocks.tags, blocks.containers
    element = int(containers.element[container])
    inner = [element + 1] if element + 1 < len(tags) and tags.name(element + 1) == "code" else []
    for around in [*inner, *(int(containers.element[outer]) for outer in _around(blocks, container))]:
        attributes = tags.attributes(around, most=200)
        names = attributes.get("class", "")
        found = _NAMED_LANGUAGE.search(names)
        declared = attributes.get("data-lang") or attributes.get("data-language")
        words = names.lower().split()
        beside = [word for word in words if word in _LANGUAGES] if _HIGHLIGHTS & {*words} else []
        for name in (declared, found and found[1], *beside):
            if name and re.fullmatch(r"[\w+#.-]{1,30}", name):
                return None if name.lower() in _NO_LANGUAGE else name.lower()
    return None


def _around(blocks: Blocks, container: int) -> Iterator[int]:
    """Return a container and the innermost ones around it that hold no prose beside it."""
    containers = blocks.containers
    own = int(containers.end_block[container] - containers.first_block[container])
    for _ in range(_MOST_AROUND):
        if container < 0 or containers.end_block[container] - containers.first_block[container] > own + 2:
            return
        yield container
        container = int(containers.parent[container])


def code_marks(blocks: Blocks, kept: Mask) -> list[int]:
    """Return the kept blocks that only mark code beside them: numbers of its lines, the name of its language."""
    found: set[int] = set()
    for part in _elements(blocks):
        if not all(_NUMBERS.fullmatch(blocks.text(block)) for block in range(part.first, part.end)):
            found |= _marks_beside(blocks, part, kept)
    return sorted(block for block in found if kept[block])


def _marks_beside(blocks: Blocks, part: CodePart, kept: Mask) -> set[int]:
    """Return the blocks in the elements around code that only mark it; none where no block near it is kept."""
    containers, marks = blocks.containers, set[int]()
    markup, own = _markup(blocks, part), part.end - part.first
    # No line is without a tag or a line end; they are counted exactly where all that stands beside them are marks.
    most = own + markup.count(b"<") + markup.count(b"\n") + 3
    around = int(containers.parent[part.container])
    if not (kept[max(part.first - most, 0) : part.first].any() or kept[part.end : part.end + most].any()):
        return marks
    for _ in range(_MOST_AROUND):
        if around < 0:
            break
        first, end = int(containers.first_block[around]), int(containers.end_block[around])
        if end - first > most:
            break
        beside = [*range(first, part.first), *range(part.end, end)]
        texts, numbers = dict[int, str](), dict[int, str]()
        for block in beside:
            texts[block] = text = blocks.text(block)
            if _NUMBERS.fullmatch(text):
                numbers[block] = text
            elif len(text) > _LONGEST_NAME:
                return marks
        counted = [int(word) for text in numbers.values() for word in text.split() if len(word) < 8]
        if any(later != number + 1 for number, later in pairwise(counted)):
            numbers = {}
        language = code_language(blocks, part.container) if len(numbers) < len(beside) else None
        names = [block for block, text in texts.items() if text.lower() == language]
        if len(numbers) + len(names) < len(beside):
            break
        if end - first > own + 3 and end - first > own + code_text(blocks, part).count("\n") + 3:
            break
        marks.update(numbers, names)
        around = int(containers.parent[around])
    return marks
