"""Formulas as LaTeX: the MathJax, KaTeX, MediaWiki or MathML markup of each becomes one element with its source."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from html import escape, unescape
from typing import NamedTuple

import numpy as np

from blockfeat._files import bundled_table
from blockfeat.page.tags import Tags, name_key

FORMULA = "texmath"
"""Name of the elements that stand for formulas; their text is LaTeX between ``$``, or ``$$`` where it is displayed."""

_START, _END = f"<{FORMULA}>".encode(), f"</{FORMULA}>".encode()
_MATH, _SCRIPT, _ANNOTATION = name_key("math"), name_key("script"), name_key("annotation")
# Elements that a renderer puts around a formula, or before the script that holds its source.
_RENDERED = (
    r'^<mjx-|\sclass="(?:[^"]*\s)?'
    r'(?:katex(?:-display|-mathml)?|MathJax(?:_\w+)?|mjx-chtml|MJX\w+(?:-display)?|mwe-math-[\w-]+)[\s"]'
)
_DISPLAYED = re.compile(rb'\sdisplay="(?:block|true)"|mode="?display|katex-display|[_c-][Dd]isplay[\s"]|-display[-"]')
_ESCAPED = "&(?:amp|gt|lt);"
_PROSE = r"[a-zA-Z]{2,} | [a-zA-Z]{2,}"
_COMMENT = r"(?<!\\)%.*"
_WRAPPED = r"\\\((.*)\\\)|\\\[(.*)\\\]|\$+([^$]*)\$+|\{\\(?:display|text)style (.*)\}"
_BRACE = r"(?<!\\)[{}]"
_SPECIAL = r"[#$%&_{}]"
_NEEDLESS = r"(?<![\w}\]])\{(\w)\}(?=[_^])"
# Each level of MathML is copied by its parent, so the time grows with depth, and a script that nobody closed holds the
# rest of the page: longer formulas are not converted.
_LONGEST = 1 << 16  # bytes
_ARGUMENT = r"#([1-3])"


class _Span(NamedTuple):
    """The tags from first to last that show one formula; the first one opens the element."""

    element: int
    first: int
    last: int
    latex: str


def with_formulas(tags: Tags) -> Tags:
    """Return tags with an element for each formula in place of all that shows it; linear in the size of the page.

    Its LaTeX is what the script of MathJax 2 holds, or else an annotation or ``alttext`` of its MathML, or else written
    from the MathML.
    """
    maths = (tags.key == _MATH).nonzero()[0]
    is_outermost = tags.opened[maths] > np.append(-1, np.maximum.accumulate(tags.closed[maths])[:-1])[: maths.size]
    is_short = tags.start[tags.closed] - tags.stop[tags.opened] <= _LONGEST
    candidates = sorted([*maths[is_outermost].tolist(), *((tags.key == _SCRIPT) & is_short).nonzero()[0].tolist()])
    parents, ending = tags.parents().tolist(), {tag: element for element, tag in enumerate(tags.closed.tolist())}
    spans, known = list[_Span](), dict[bytes, str]()
    for before, element, behind in zip([0, *candidates], candidates, [*candidates[1:], 0], strict=False):
        # A renderer's wrapper around one formula holds no other formula.
        limits = int(tags.opened[before]), int(tags.opened[behind]) or len(tags.start)
        is_script = tags.key[element] == _SCRIPT
        span = _of_script(tags, ending, element) if is_script else _of_math(tags, parents, element, limits, known)
        while spans and span and spans[-1].first >= span.first:
            spans.pop()
        if span and span.latex and (not spans or spans[-1].last < span.first):
            spans.append(span)
    return _replaced(tags, spans) if spans else tags


def _of_script(tags: Tags, ending: dict[int, int], element: int) -> _Span | None:
    """Return the formula of a script with what is shown of it before; None for other scripts."""
    if not tags.attributes(element).get("type", "").lower().startswith("math/tex"):
        return None
    outer, first = element, int(tags.opened[element])
    while not tags.source[tags.stop[first - 1] : tags.start[first]].strip():
        before = ending.get(first - 1)
        if before is None or not _is_rendered(tags, before):
            break
        outer, first = before, int(tags.opened[before])
    latex = _latex(re.sub(_ESCAPED, lambda found: unescape(found[0]), tags.text(element)))
    return _Span(outer, first, int(tags.closed[element]), latex)


def _is_rendered(tags: Tags, element: int) -> bool:
    return re.search(_RENDERED, tags.start_tag(element)) is not None


def _of_math(tags: Tags, parents: list[int], element: int, limits: tuple[int, int], known: dict[bytes, str]) -> _Span:
    """Return the formula of MathML with all that a renderer puts around it, between two tags.

    Formulas of a page repeat: what is known of a markup is used again.
    """
    outer, around = element, parents[element]
    while limits[0] < tags.opened[around] and tags.closed[around] < limits[1] and _is_rendered(tags, around):
        outer, around = around, parents[around]
    markup = tags.source[tags.start[tags.opened[element]] : tags.stop[tags.closed[element]]]
    if markup not in known:
        known[markup] = _of_markup(tags, parents, element)
    return _Span(outer, int(tags.opened[outer]), int(tags.closed[outer]), known[markup])


def _of_markup(tags: Tags, parents: list[int], element: int) -> str:
    """Return the formula of MathML as LaTeX: an annotation, what it declares, or what its elements say."""
    end = int(tags.opened.searchsorted(tags.closed[element], side="right"))
    given = tags.attributes(element)
    notes = (inner for inner in range(element, end) if tags.key[inner] == _ANNOTATION)
    annotated = (tags.text(note) for note in notes if "tex" in tags.attributes(note).get("encoding", "").lower())
    declared = given.get("data-latex") or given.get("alttext") or ""
    latex = _latex(next(annotated, "") or ("" if re.search(_PROSE, declared) and "\\" not in declared else declared))
    return latex or _of_mathml(tags, parents, element, end)


def _latex(text: str) -> str:
    """Return LaTeX on one line, without comments and layout commands."""
    text = " ".join(re.sub(_COMMENT, "", text).split())
    wrapped = re.fullmatch(_WRAPPED, text)
    inner = wrapped[wrapped.lastindex or 0].strip() if wrapped else text
    depth = 0
    for brace in re.findall(_BRACE, inner):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return text
    return inner


def _of_mathml(tags: Tags, parents: list[int], element: int, end: int) -> str:
    """Return MathML as LaTeX, from the innermost elements outwards; nothing where it is too long."""
    if tags.start[tags.closed[element]] - tags.stop[tags.opened[element]] > _LONGEST:
        return ""
    inside: dict[int, list[str]] = defaultdict(list)
    for inner in range(end - 1, element - 1, -1):
        parts = inside.pop(inner, [])[::-1]
        inside[parents[inner]].append(_written(tags.name(inner), parts or [tags.text(inner).strip()], bool(parts)))
    return re.sub(_NEEDLESS, r"\1", inside[parents[element]][0])


@cache
def _elements() -> dict[str, dict[str, str]]:
    """Return elements of MathML in LaTeX, a constant that is read at its first use."""
    return bundled_table("blockfeat.page", "formulas.toml")


def _written(name: str, parts: list[str], has_elements: bool) -> str:
    """Return one element of MathML as LaTeX, given the LaTeX of its children."""
    if not has_elements:
        text = re.sub(_SPECIAL, r"\\\g<0>", parts[0].replace("\u2212", "-").strip("\u2061\u2062\u2063\u2064"))
        if name == "mtext":
            return rf"\text{{{text}}}"
        return rf"\mathrm{{{text}}}" if name == "mi" and len(text) > 1 else text
    joints, commands = _elements()["joints"], _elements()["commands"]
    if name in joints:
        parts = [joints[name].join(parts)]
    if name in commands:
        return re.sub(_ARGUMENT, lambda number: "".join(parts[int(number[1]) - 1 :][:1]), commands[name])
    return "" if name in ("annotation", "annotation-xml", "mphantom") else "".join(parts)


def _replaced(tags: Tags, spans: list[_Span]) -> Tags:
    """Return tags with one element in place of each span."""
    elements, first, last = (np.array([span[column] for span in spans]) for column in range(3))
    begin, end = tags.start[first], tags.stop[last]
    pieces: list[bytes] = []
    sizes: list[int] = []
    behind = 0
    for span, start, stop in zip(spans, begin.tolist(), end.tolist(), strict=True):
        mark = "$$" if _DISPLAYED.search(tags.source, start, stop) else "$"
        shown = escape(f"{mark}{span.latex}{mark}", quote=False).encode()
        pieces += [tags.source[behind:start], _START + shown + _END]
        sizes.append(len(pieces[-1]))
        behind = stop
    # How far what stands behind each span moves: its bytes, and its tags.
    bytes_moved = np.append(0, np.cumsum(np.array(sizes) - (end - begin)))
    tags_moved = np.append(0, np.cumsum(first - last + 1))
    number = np.arange(tags.start.size)
    before = last.searchsorted(number)
    is_inside = np.append(first, number.size)[before] <= number
    own, own_tag = begin + bytes_moved[:-1], first + tags_moved[:-1]
    ends = own + sizes
    starts = np.concatenate([(tags.start + bytes_moved[before])[~is_inside], own, ends - len(_END)])
    stops = np.concatenate([(tags.stop + bytes_moved[before])[~is_inside], own + len(_START), ends])
    origins = np.concatenate([tags.origin[~is_inside], tags.origin[first], tags.origin[last]])
    opened, closed = (column + tags_moved[before[column]] for column in (tags.opened, tags.closed))
    is_left, key = ~is_inside[tags.opened], tags.key.copy()
    opened[elements], closed[elements], is_left[elements], key[elements] = own_tag, own_tag + 1, True, name_key(FORMULA)
    order = starts.argsort()
    return replace(
        tags,
        source=b"".join([*pieces, tags.source[behind:]]),
        start=starts[order].astype(np.int32),
        stop=stops[order].astype(np.int32),
        origin=origins[order],
        opened=opened[is_left].astype(np.int32),
        closed=closed[is_left].astype(np.int32),
        key=key[is_left],
    )
