"""Broken and hostile inputs of many kinds, made here, and how many of them give their text or a documented error.

Run ``python -m tools.bad_inputs`` for a table by kind; ``--all`` names what does not hold.
"""

# ruff: noqa: E501, SIM905  (the inputs)

from __future__ import annotations

import argparse
import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product

from blockfeat import Extractor
from blockfeat.errors import BlockfeatError

__all__ = ["Case", "cases"]

_SENTENCES = [
    f"On day {number} the council of the harbour town talked about the {word}, which most of the people there had "
    f"wanted for years; the mayor said that work would begin in spring, and that it would cost less than in other towns."
    for number, word in enumerate(("bridge", "library", "school", "tram", "market", "theatre", "bath", "park", "mill"))
]
_PARAGRAPHS = [f"<p>{sentence}</p>\n" for sentence in _SENTENCES]
_ARTICLE = "".join(_PARAGRAPHS)
_TEXTS = {
    "windows-1252": "Am frühen Morgen öffnete die Bäckerei am Marktplatz, und die Leute grüßten sich über die Straße.",
    "iso-8859-2": "W małym miasteczku nad rzeką żyła dziewczyna, która umiała łapać ryby gołymi rękami każdej wiosny.",
    "windows-1250": "Žluťoučký kůň pěl ďábelské ódy, když šel kolem řeky a všichni lidé v městě ho dobře slyšeli.",
    "windows-1251": "Ранним утром на площади открылась пекарня, и люди радостно здоровались друг с другом через улицу.",
    "koi8-r": "Ранним утром на площади открылась пекарня, и люди радостно здоровались друг с другом через улицу.",
    "windows-1253": "Νωρίς το πρωί άνοιξε ο φούρνος στην πλατεία και οι άνθρωποι χαιρετούσαν ο ένας τον άλλον εκεί.",
    "windows-1255": "מוקדם בבוקר נפתחה המאפייה בכיכר והאנשים בירכו זה את זה מעבר לרחוב בשמחה רבה.",
    "shift_jis": "朝早くに広場のパン屋が開き、人々は①番の通りの向こうからおたがいに挨拶をしました。とても良い香りです。",
    "euc-jp": "朝早くに広場のパン屋が開き、人々は通りの向こうからおたがいに挨拶をしました。とても良い香りです。",
    "iso-2022-jp": "朝早くに広場のパン屋が開き、人々は通りの向こうからおたがいに挨拶をしました。とても良い香りです。",
    "gb18030": "清晨，广场上的面包店开门了，人们隔着街道互相问候。孩子们走在去学校的路上，闻到了面包的香味。",
    "big5": "清晨，廣場上的麵包店開門了，人們隔著街道互相問候。孩子們走在去學校的路上，聞到了麵包的香味。",
    "euc-kr": "이른 아침에 광장의 빵집이 문을 열었고 사람들은 길 건너편에서 서로 인사를 나누었습니다.",
    "utf-16": "Am frühen Morgen öffnete die Bäckerei am Marktplatz, und die Leute grüßten sich über die Straße.",
    "utf-32": "Am frühen Morgen öffnete die Bäckerei am Marktplatz, und die Leute grüßten sich über die Straße.",
}
_CODECS = {"shift_jis": "cp932"}
_NESTING = ("div", "span", "b", "font", "blockquote", "section", "ul><li", "table><tr><td")
_UNCLOSED = (
    "p div table td tr ul li dl dd a b i em font center section article main header span h2 label form fieldset button "
    "select option optgroup title textarea iframe noscript noframes object svg math video ruby"
).split()
_HIDING = ("<!--", "<script>", "<style>", "<plaintext>", "<template>", "<xmp>", "<noembed>", "<![CDATA[")
_BROKEN = (
    "<p class='x>", '<p title="a', "<<p>>", "<p/>", "</p></p></div>", "<p a=1 a=2 a='3'>", "<p\n\n>", "<p =>", "<p '>",
    '<p "">', "<p <b>", "<1p>", "<p:q>", "<!>", "<!->", "<!-->", "<!--->", "<!-- -- --!>", "<?php echo '>' ?>", "<%= x %>",
    "<!DOCTYPE", "<!DOCTYPE a [<!ENTITY x 'y'>]>", "</>", "</ p>", "<\0p>", "&", "&#", "&#x;", "&#99999999999;", "&#0;",
    "&#xd800;", "&nosuch;", "&amp", "]]>", "<p style='a:url(x)'>", "<input", "<br/", "<a href=x><a href=y>", "<p></b></i>",
)  # fmt: skip
_CHARACTERS = "\0\1\x07\x08\x0b\x0c\x1b\x7f\x80\x9f\xad\u200b\u200e\u202e\u2028\u2060\ufeff\ufffe\uffff\ud800\U000e0001"
_NO_PAGES = (
    b"%PDF-1.7\n%\xe2\xe3", b"\x89PNG\r\n\x1a\n" + bytes(99), b"\xff\xd8\xff\xe0" + bytes(99), b"PK\x03\x04" + bytes(99),
    b"\x7fELF" + bytes(99), b"GIF89a" + bytes(99), b"\x1f\x8b\x08" + bytes(99), random.Random(1).randbytes(5000), None, 7,
    3.5, ["<p>"], {"html": "<p>"}, "https://a.example/page.html", "pages/page.html", io.BytesIO(b"<p>x"), b"", "", " \n", "<p>",
)  # fmt: skip
_REPEATED = (
    "<br>",
    "<p id=a>",
    "<meta ",
    "<!-->",
    "<",
    "</p>",
    " ",
    "<b>",
    "<a href=x>y</a>",
    "<li>a<ul>",
    "&amp;",
    "<td>",
)
_TARGETS = (
    "javascript:alert(1)",
    "JaVa\tScript:alert(1)",
    "&#106;avascript:alert(1)",
    "vbscript:x",
    "data:text/html,x",
)


@dataclass(frozen=True)
class Case:
    """An input, and whether it holds."""

    kind: str
    name: str
    holds: Callable[[Extractor], bool]


def _page(html: object, wanted: list[str], *, or_warned: bool = False) -> Callable[..., bool]:
    """Return a check: the text has all sentences, and nothing that no text may have."""

    def holds(extractor: Extractor) -> bool:
        found = extractor.extract(html)  # type: ignore[arg-type]
        text = re.sub(r"\s+", " ", found.text)
        missing = [sentence for sentence in wanted if sentence not in text]
        is_clean = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", found.text) is None
        return is_clean and (not missing or (or_warned and bool(found.warnings)))

    return holds


def _refused(value: object) -> Callable[[Extractor], bool]:
    """Return a check: a documented error, or an empty text."""

    def holds(extractor: Extractor) -> bool:
        try:
            return not extractor.extract(value).text  # type: ignore[arg-type]
        except BlockfeatError:
            return True

    return holds


def cases() -> Iterator[Case]:
    """Yield all inputs, in the same order at every run."""
    for number in range(1, 41):
        cut = len(_ARTICLE) * number // 41
        whole = [text for text, end in zip(_SENTENCES, _ends(_PARAGRAPHS), strict=True) if end <= cut]
        yield Case("cut", f"after {cut}", _page("<html><body>" + _ARTICLE[:cut], whole))
    for tags, depth in product(_NESTING, (100, 255, 256, 511, 513, 2_000, 20_000)):
        name = f"{depth} {tags}"
        yield Case("depth", name, _page(f"<body>{_PARAGRAPHS[0]}{f'<{tags}>' * depth}{_ARTICLE}", _SENTENCES))
    for tag in _UNCLOSED:
        yield Case("unclosed", tag, _page(f"<body>{_PARAGRAPHS[0]}<{tag}>{_ARTICLE}", _SENTENCES))
    for mark in _HIDING:
        page = f"<body>{_ARTICLE}{mark}x"
        yield Case("unclosed", f"{mark} behind", _page(page, _SENTENCES, or_warned=True))
        page = f"<body>{_PARAGRAPHS[0]}{mark}{_ARTICLE}"
        yield Case("unclosed", f"{mark} before", _page(page, _SENTENCES, or_warned=True))
    for markup in _BROKEN:
        page = f"<body>{_ARTICLE}{markup}</p>\n<div>{_PARAGRAPHS[1]}</div>"
        yield Case("broken markup", markup, _page(page, _SENTENCES))
    for character, place in product(_CHARACTERS, ("between", "in bytes")):
        page = "<body>" + "".join(paragraph.replace("</p>", f"{character}</p>") for paragraph in _PARAGRAPHS)
        data = page if place == "between" else page.encode("utf-8", "surrogatepass")
        yield Case("characters", f"U+{ord(character):04X} {place}", _page(data, _SENTENCES))
    for end in (
        "</html>",
        "</body>",
        "</body></html>",
        "</html><html><body>",
        "</html>\0",
        "</html><!-- x -->",
        "</div>" * 99,
    ):
        page = f"<html><body>{''.join(_PARAGRAPHS[:4])}{end}{''.join(_PARAGRAPHS[4:])}"
        yield Case("behind the end", end[:30], _page(page, _SENTENCES))
    for piece in _REPEATED:
        page = f"<body>{_ARTICLE}<div>{piece * 50_000}"
        yield Case("repeated", piece, _page(page, _SENTENCES))
    yield Case("repeated", "attributes", _page(f"<body><p {'a=1 ' * 99_999}>x</p>{_ARTICLE}", _SENTENCES))
    yield Case("repeated", "a text of 11 MB", _page(f"<body>{_ARTICLE}<p>{'word ' * 2_200_000}", _SENTENCES))
    yield from _charsets()
    yield from _hidden()
    for number, value in enumerate(_NO_PAGES):
        yield Case("no page", f"{number} {value!r:.20}", _refused(value))
    for target, format in product(_TARGETS, ("html", "markdown", "xml", "page")):
        yield Case("targets", f"{target} as {format}", _written(target, format))


def _ends(pieces: Sequence[str | bytes]) -> list[int]:
    return [sum(map(len, pieces[: number + 1])) for number in range(len(pieces))]


def _charsets() -> Iterator[Case]:
    for charset, text in _TEXTS.items():
        codec = _CODECS.get(charset, charset)
        labels = [charset, "", "utf-8", "x-unknown", *(["windows-1251"] if charset == "koi8-r" else [])]
        for label in labels:
            head = f"<meta charset={label}>" if label else ""
            data = f"<html><head>{head}</head><body><p>{text}</p><p>{text}</p>".encode(codec)
            yield Case("charsets", f"{charset} as {label or 'nothing'}", _page(data, [text]))
        if not charset.startswith(("utf", "iso-2022")):
            first = f"<body>{_ARTICLE}<p>{text[:9]} closes this text.".encode(codec)
            yield Case("few letters", charset, _page(f"<meta charset={charset}>".encode() + first, _SENTENCES))
            yield Case("few letters", f"{charset} as utf-8", _page(b"<meta charset=utf-8>" + first, _SENTENCES))


def _hidden() -> Iterator[Case]:
    declared = json.dumps({"@type": "Article", "articleBody": "\n".join(_SENTENCES)})
    for before, behind in product(
        ("", "<html lang=en><head><title>T</title></head><body>", "<div id=app></div>"), ("", "</body>")
    ):
        for name, page in (
            ("srcdoc", f'<iframe srcdoc="{escape(_ARTICLE)}"></iframe>'),
            ("textarea", f"<textarea>{_ARTICLE}</textarea>"),
            ("template", f'<script type="text/template">{_ARTICLE}</script>'),
            ("x-template", f"<script type=text/x-template>{_ARTICLE}</script>"),
            ("JSON-LD", f'<script type="application/ld+json">{declared}</script>'),
        ):
            yield Case("hidden", f"{name} {before[:5]}", _page(before + page + behind, _SENTENCES))


def _written(target: str, format: str) -> Callable[[Extractor], bool]:
    def holds(extractor: Extractor) -> bool:
        found = extractor.extract(f'<body>{_ARTICLE}<p>A <a href="{target}">link</a>. {_SENTENCES[0]}</p>', url=target)
        written = getattr(found, f"to_{format}")(**({"links": True} if format == "markdown" else {}))
        return re.search(r"(?i)(?:script|data)\s*:", written) is None and _SENTENCES[0] in written

    return holds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="name the inputs that do not hold")
    arguments = parser.parse_args()
    extractor = Extractor.load("default")
    total: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for case in cases():
        total[case.kind] += 1
        try:
            held[case.kind] += (is_held := case.holds(extractor))
        except Exception as error:
            is_held = False
            print(f"{case.kind}: {case.name}: {error!r:.200}")
        if arguments.all and not is_held:
            print(f"{case.kind}: {case.name!r} does not hold")
    print("| kind | inputs | held |\n|---|---|---|")
    for kind, count in total.items():
        print(f"| {kind} | {count} | {held[kind]} |")
    print(f"| all | {total.total()} | {held.total()} ({held.total() / total.total():.1%}) |")


if __name__ == "__main__":
    main()
