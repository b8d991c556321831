"""Synthetic pages of any size, ordinary and hostile, to see how time grows with size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, cycle, islice

from blockfeat.errors import InputError

_PROSE = (
    "the river had risen over night and when the mayor came down to the bridge she saw that half of the market was "
    "under water but nobody in the town thought of leaving because their houses stood on higher ground and the rain "
    "was about to end as it had always done in this part of the country at the end of a long and very mild winter"
)
_WORDS = tuple(_PROSE.split())
_SENTENCE = 14
_HEAD = "<!DOCTYPE html><html lang=en><head><title>Water in the market</title></head><body>"
_TAIL = "</body></html>"


@dataclass(frozen=True, slots=True)
class _Shape:
    """How to build a page: a beginning, a unit that is repeated, and an end."""

    units: Callable[[], Iterator[str]]
    before: str = _HEAD + "<main><p>Nobody had seen so much water for years, and it was still rising.</p>"
    behind: str = "</main>" + _TAIL


def _sentences() -> Iterator[str]:
    words = cycle(_WORDS)
    while True:
        yield " ".join(islice(words, _SENTENCE)).capitalize() + ". "


def _article() -> Iterator[str]:
    sentences = _sentences()
    while True:
        yield "<p>" + "".join(islice(sentences, 5)) + "</p>\n"


def _short_paragraphs() -> Iterator[str]:
    return (f"<p>{word}</p>\n" for word in cycle(_WORDS))


def _links() -> Iterator[str]:
    return (f'<li><a href="/page/{number}">{word} and more</a></li>\n' for number, word in enumerate(cycle(_WORDS)))


def _table_rows() -> Iterator[str]:
    return (f"<tr><td>{word}</td><td>{number}</td></tr>\n" for number, word in enumerate(cycle(_WORDS)))


def _repeated(unit: str) -> Callable[[], Iterator[str]]:
    return lambda: cycle([unit])


_DOCUMENT_END = " end.</p></main>" + _TAIL

_SHAPES: Mapping[str, _Shape] = {
    "article": _Shape(_article),
    "short paragraphs": _Shape(_short_paragraphs),
    "links": _Shape(_links),
    "table rows": _Shape(_table_rows, before=_HEAD + "<main><table>", behind="</table></main>" + _TAIL),
    "br": _Shape(_repeated("word<br>")),
    "repeated ids": _Shape(_repeated("<p id=a>a</p>")),
    "nested elements": _Shape(_repeated("<div>a ")),
    "attributes": _Shape(
        lambda: (f" a{number}=1" for number in count()), before=_HEAD + "<main><p", behind=">The" + _DOCUMENT_END
    ),
    "<meta ": _Shape(_repeated("<meta ")),
    "<!-->": _Shape(_repeated("<!-->")),
    "<": _Shape(_repeated("<")),
    "spaces": _Shape(
        _repeated(" "), before="<!DOCTYPE html><html><head><title>a", behind="b</title></head><body><p>a</p>" + _TAIL
    ),
    "doctype slashes": _Shape(_repeated("/"), before="<!DOCTYPE ", behind="><html><body><p>The" + _DOCUMENT_END),
    "classes": _Shape(
        lambda: (f"c{number} " for number in count()), before=_HEAD + '<main><p class="', behind='">The' + _DOCUMENT_END
    ),
    "one line": _Shape(lambda: (f"{word} " for word in cycle(_WORDS)), before=_HEAD + "<main><p>"),
    # One character of four bytes, which makes every copy of the text four times as large.
    "wide line": _Shape(lambda: (f"{word} " for word in cycle(_WORDS)), before=_HEAD + "<main><p>\U0001f642 "),
    "wide ampersands": _Shape(_repeated("&"), before=_HEAD + "<main><p>\U0001f642 "),
    "one word": _Shape(_repeated("a")),
    "<p>a": _Shape(_repeated("<p>a")),
    "empty tags": _Shape(_repeated("<p></p>")),
    "nested lists": _Shape(_repeated("<ul>")),
    "nested items": _Shape(_repeated("<ul><li>a ")),
    "nested tables": _Shape(_repeated("<table>")),
    "nested cells": _Shape(_repeated("<table><tr><td>a ")),
    "nested formats": _Shape(_repeated("<b>a ")),
    "open cells": _Shape(_repeated("<tr><td>a<td>b"), before=_HEAD + "<main><table>"),
    "text in tables": _Shape(_repeated("<tr>a"), before=_HEAD + "<main><table>"),
    "anchors": _Shape(_repeated("<a href=b>c</a> ")),
    "images": _Shape(_repeated("a<img src=b alt=c>")),
    "entities": _Shape(_repeated("&amp;")),
    "ampersands": _Shape(_repeated("&")),
    "formulas": _Shape(_repeated("$a_1$ ")),
    "raised": _Shape(_repeated("word<sup>1</sup> ")),
    "code": _Shape(_repeated("<pre>a\n")),
}

SHAPES: tuple[str, ...] = tuple(_SHAPES)
"""Names of all shapes."""


def synthetic_page(shape: str, size: int) -> str:
    """Return a page of one of `SHAPES`; equal arguments give equal pages.

    Parameters
    ----------
    shape : str
        What is repeated.
    size : int
        Characters, all of them ASCII but for one; the page has as many up to one repeated unit, and at least its frame.

    Raises
    ------
    InputError
        There is no such shape.
    """
    if shape not in _SHAPES:
        raise InputError(f"unknown shape {shape!r}: there are {', '.join(SHAPES)}")
    found = _SHAPES[shape]
    left = size - len(found.before) - len(found.behind)
    parts = [found.before]
    for unit in found.units():
        left -= len(unit)
        if left < 0:
            break
        parts.append(unit)
    return "".join([*parts, found.behind])
