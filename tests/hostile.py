"""Bad input of every class that is known to lose text, to take too long or to crash extractors.

Most pages hold sentinel paragraphs: `BEFORE` and `BEHIND` the hostile part, some `INSIDE` it. What a page has and the
blocks have not is lost, and that needs a warning; `HIDES_INSIDE` names the classes where policy hides the inner one.
"""

import random
from collections.abc import Callable, Iterator

__all__ = ["BEFORE", "BEHIND", "CLASSES", "DEPTHS", "HIDES_INSIDE", "INSIDE", "hostile_pages"]

BEFORE, INSIDE, BEHIND = "Alphaferry", "Deltaharbour", "Omegalighthouse"
_INSIDE_PARAGRAPH = f"<p>{INSIDE}</p>"

_NESTED = ("div", "b", "span", "a", "p", "li", "em", "form", "section", "blockquote", "font", "q", "nobr", "x-foo")
_GUARDED = ("button", "svg", "select", "object", "template", "iframe", "noscript", "math", "canvas", "textarea")
_RAW = ("title", "script", "style", "xmp", "noembed", "noframes", "plaintext")


def _page(inner: bytes) -> bytes:
    before, behind = f"<p>{BEFORE}</p>".encode(), f"<p>{BEHIND}</p>".encode()
    return b"<html><head><title>t</title></head><body>" + before + inner + behind + b"</body></html>"


def _repeat(unit: str) -> Callable[[int], bytes]:
    data = unit.encode()
    return lambda size: _page(data * max(1, size // len(data)))


def _closed(tags: str) -> Callable[[int], bytes]:
    """Elements that are nested and closed; ``tags`` is one or more names."""
    names = tags.split()
    opening = "".join(f"<{name}>" for name in names).encode()
    closing = "".join(f"</{name}>" for name in reversed(names)).encode()

    def build(size: int) -> bytes:
        number = max(1, size // (len(opening) + len(closing)))
        return _page(opening * number + INSIDE.encode() + closing * number)

    return build


def _numbered(unit: str, before: str = "", after: str = "") -> Callable[[int], bytes]:
    def build(size: int) -> bytes:
        number = max(1, size // len(unit % 10_000))
        return _page((before + "".join(unit % index for index in range(number)) + after).encode())

    return build


def _around(before: str, unit: str, after: str) -> Callable[[int], bytes]:
    return lambda size: _page(before.encode() + unit.encode() * (size // len(unit)) + after.encode())


def _with_fifty_elements(name: str, depth: int = 1) -> Callable[[int], bytes]:
    """Elements that hold fifty others before a paragraph; the last has the sentinel."""
    unit = depth * (f"<{name}>" + "<i>x</i>" * 50) + "%s" + f"</{name}>" * depth

    def build(size: int) -> bytes:
        number = max(0, size // len(unit) - 1)
        return _page((unit % "<p>x</p>" * number + unit % _INSIDE_PARAGRAPH).encode())

    return build


def _deep(name: str, *, close: bool) -> Callable[[int], bytes]:
    """Elements nested to a depth, with the sentinel in the innermost."""
    end = f"</{name}>".encode() if close else b""
    return lambda depth: _page(f"<{name}>".encode() * depth + _INSIDE_PARAGRAPH.encode() + end * depth)


def _bare(unit: bytes) -> Callable[[int], bytes]:
    return lambda size: unit * max(1, size // len(unit))


def _random_bytes(size: int) -> bytes:
    return random.Random(1).randbytes(size)


_PIECES = """
<p> </p> <b> </b> <a href=' > ' " = < / <!-- --> <svg> </svg> <script> </script> word &amp; &#
<table> <td> <title> </title> <button> </button> <textarea> </div>
"""


def _random_markup(size: int) -> bytes:
    """Shuffled pieces of markup: all states of a tokenizer against each other."""
    chance = random.Random(2)
    pieces = [*_PIECES.split(), "<div ", "\x00"]
    return " ".join(chance.choice(pieces) for _ in range(size // 7)).encode()


CLASSES: dict[str, Callable[[int], bytes]] = {
    **{f"nested {name}": _closed(name) for name in (*_NESTED, *_GUARDED)},
    **{f"unclosed {name}": _repeat(f"<{name}>") for name in (*_NESTED, *_GUARDED, *_RAW)},
    **{f"unclosed {name} with text": _repeat(f"<{name}>x ") for name in (*_NESTED, *_GUARDED)},
    **{
        f"guarded {name} before one paragraph": _around("", f"<{name}>", f"{_INSIDE_PARAGRAPH}</{name}>")
        for name in _GUARDED
    },
    **{f"end tags {name}": _repeat(f"</{name}>") for name in ("p", "a", "div", "br", "body", "html", "svg", "title")},
    "levels of mathml": lambda size: _page(
        b"<math>" + b"<mrow><mi>x</mi>" * (size // 23) + b"</mrow>" * (size // 23) + b"</math>"
    ),
    "nested tables": _closed("table tr td"),
    "nested lists": _closed("ul li"),
    "li a ul": _repeat("<li>a<ul>"),
    "misnested formats": _numbered("<b %d><i>x</b>y</i>"),
    "numbered formats": _numbered("<b %d>"),
    "raised signs": _repeat("word<sup>1</sup> "),
    "nested raised signs": _closed("sup"),
    "unclosed a and p": _repeat("<a><p>x"),
    "guarded with spans": _around("<button>" * 500, "<span>x</span>", _INSIDE_PARAGRAPH + "</button>" * 500),
    **{f"{name} with fifty elements": _with_fifty_elements(name) for name in _GUARDED},
    **{f"{name} ten deep with fifty elements": _with_fifty_elements(name, depth=10) for name in _GUARDED},
    **{
        f"{name} with all elements before one paragraph": _around(
            f"<{name}>", "<i>x</i>", f"{_INSIDE_PARAGRAPH}</{name}>"
        )
        for name in _GUARDED
    },
    "end of html in the middle": _repeat("</body></html><p>x</p>"),
    "end of html before the inner paragraph": _around("</body></html>", "<p>x</p>", _INSIDE_PARAGRAPH),
    "pages in a row": _repeat("<html><head><title>t</title></head><body><p>x</p></body></html>"),
    "short paragraphs": _repeat("<p>a short paragraph</p>\n"),
    "tiny paragraphs": _repeat("<p>a"),
    "long paragraphs": _repeat("<p>" + "many words in one paragraph, " * 100 + "</p>"),
    "one huge text": _around("<p>", "word ", "</p>"),
    "one huge word": _around("<p>", "w", "</p>"),
    "signs of Latin-1": _around("<p>", "« a » ", "</p>"),
    "breaks": _repeat("x<br>"),
    "double breaks": _repeat("x<br><br>"),
    "links": _repeat('<a href="/some/where">link</a> '),
    "table rows": _repeat("<tr><td>one</td><td>two</td></tr>"),
    "table with rows": _around("<table>", "<tr><td>one</td><td>two</td></tr>", "</table>"),
    "stray text in tables": _repeat("<table>x"),
    "same ids": _repeat("<p id=a>x</p>"),
    "numbered ids": _numbered("<p id=a%d>x</p>"),
    "attributes": _numbered(" a%d=1", "<p", ">x</p>"),
    "attributes with >": _numbered(' a%d=">"', "<p", ">x</p>"),
    "attributes with tags": _numbered(" a%d='<b>'", "<p", ">x</p>"),
    "attributes without values": _numbered(" a%d", "<p", ">x</p>"),
    "many tags with attributes": _repeat("<p" + "".join(f" a{index}=1" for index in range(400)) + ">x</p>"),
    "one long attribute": _around("<p class='", "a ", "'>x</p>"),
    "classes": _numbered("<p class='c%d d e f'>x</p>"),
    "styles": _repeat("<p style='color: red; display : block'>x</p>"),
    "one long style": _around("<p style='", "color: red; ", "'>x</p>"),
    "body attributes": _numbered("<body b%d=1>"),
    "html attributes": _numbered("<html b%d=1>"),
    "meta": _repeat("<meta "),
    "meta charset": _repeat("<meta charset=gbk>"),
    "meta charset, bad byte": lambda size: _repeat("<meta charset=x-")(size) + b"\xff",
    "comments in meta": lambda size: _repeat("<!-- <meta charset=gbk")(size) + b"\xff",
    "doctype slashes": lambda size: b"<!DOCTYPE " + b"/" * size + b">" + _page(b""),
    "doctypes": _repeat("<!DOCTYPE html>"),
    "entities in a doctype": lambda size: (
        b'<!DOCTYPE html [<!ENTITY a "' + b"x" * 1000 + b'"><!ENTITY b "&a;&a;&a;">]>' + _page(b"&b;" * (size // 3))
    ),
    "empty comments": _repeat("<!-->"),
    "short comments": _repeat("<!--->"),
    "open comments": _repeat("<!--"),
    "comments with bangs": _repeat("<!-- x --!>"),
    "dashes": _around("<!--", "-", "-->"),
    "conditional comments": _repeat("<!--[if IE]><p>x</p><![endif]-->"),
    "less-than signs": _repeat("<"),
    "greater-than signs": _repeat(">"),
    "ampersands": _repeat("&"),
    "character references": _repeat("&#"),
    "long references": _around("&#", "9", ";"),
    "named references": _repeat("&amp;"),
    "long names": _around("<", "x", ">"),
    "bangs": _repeat("<!"),
    "questions": _repeat("<?"),
    "slashes": _repeat("</"),
    "CDATA": _repeat("<![CDATA["),
    "processing instructions": _repeat("<?php x ?>"),
    "open quotes": _repeat("<a href=\"x>y</a><b title='z>"),
    "equal signs": _around("<p ", "=", ">x</p>"),
    "quoted script starts": _repeat("<i x='<script>'>"),
    "open quote before scripts": lambda size: _page(b"<p a=\"b'" + b"<br><script></script>" * (size // 21)),
    "escaped scripts": _repeat("<script><!-- <script> </script>"),
    "script strings": _repeat("<script>x = '</div><!--'</script>"),
    "scripts": _repeat("<script>x</script>"),
    "svg with text": _repeat("<svg><p>x</p></svg>"),
    "svg starts before one end": _around("", "<svg><g>", _INSIDE_PARAGRAPH + "</svg>"),
    "spaces": _repeat(" "),
    "spaces in a title": lambda size: b"<title>" + b" " * size + b"</title>" + _page(b""),
    "line breaks": _repeat("\n"),
    "only spaces": _bare(b" "),
    "NUL": _around("<p>", "\x00", "</p>"),
    "NUL between": _repeat("a\x00"),
    "control characters": _around("<p>words before ", "\x01 word", "</p>"),
    "replacement characters": _repeat("\ufffd"),
    "bad bytes": lambda size: _page("<p>Grüße ".encode() + b"\xff " * (size // 2)),
    "latin-1 bytes": lambda size: _page("<p>Grüße aus Köln ".encode("latin-1") * (size // 18)),
    "escape sequences": _repeat("\x1b$B!! \x1b(B "),
    "open escape sequences": lambda size: _page(b"\x1b$B!!\xff" * (size // 6)),
    "utf-16": lambda size: _page(b"<p>word</p>" * (size // 22)).decode().encode("utf-16"),
    "utf-16 without a mark": lambda size: _page(b"<p>word</p>" * (size // 22)).decode().encode("utf-16-le"),
    "lone surrogates": lambda size: _page(b"<p>word \xed\xa0\x80</p>" * (size // 15)),
    "astral characters": _repeat("\U0001f600 "),
    "combining marks": _around("<p>e", "\u0301", "</p>"),
    "right-to-left marks": _repeat("\u202e word"),
    "unspaced script": _repeat("<p>海はとても静かで、彼は遠くの山を眺めながら。</p>"),
    "sentence ends": _around("<p>", "a. ", "</p>"),
    "full stops": _around("<p>", ".", "</p>"),
    "frames": _repeat("<frameset>"),
    "options": _around("<select>", "<option>x", "</select>"),
    "hidden elements": _repeat("<div hidden style='display:none'>x</div>"),
    "random bytes": _random_bytes,
    "random bytes in a page": lambda size: _page(_random_bytes(size)),
    "random markup": _random_markup,
    "PDF": lambda size: b"%PDF-1.7\n" + _random_bytes(size),
    "JPEG": lambda size: b"\xff\xd8\xff\xe0" + _random_bytes(size),
    "zip": lambda size: b"PK\x03\x04" + _random_bytes(size),
    "ELF": lambda size: b"\x7fELF" + _random_bytes(size),
}


# By depth, not by size.
DEPTHS: dict[str, Callable[[int], bytes]] = {
    f"{name} in {name}{', closed' if close else ''}": _deep(name, close=close)
    for name in (*_NESTED, *_GUARDED)
    for close in (True, False)
}

# Policy (docs/explain.md): what is not shown has text in paragraphs only, fallback and raw text not even there.
_HIDDEN = ("canvas", "iframe", "noscript", "textarea")
HIDES_INSIDE = frozenset(
    [
        *(f"nested {name}" for name in _GUARDED),
        *(f"guarded {name} before one paragraph" for name in _HIDDEN),
        *(f"{name} with fifty elements" for name in _HIDDEN),
        *(f"{name} ten deep with fifty elements" for name in _HIDDEN),
        *(f"{name} with all elements before one paragraph" for name in _HIDDEN),
        *(f"{name} in {name}, closed" for name in _HIDDEN),
    ]
)


def hostile_pages(sizes: tuple[int, ...] = (1_000, 100_000)) -> Iterator[tuple[str, int, bytes]]:
    """Yield name, size asked for and bytes of every class at every size."""
    for name, build in CLASSES.items():
        for size in sizes:
            yield name, size, build(size)
