"""Promises 7 and 10, from pages to output: no unwanted characters, allowed markup only."""

import json
import re
import unicodedata
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree, html
from markdown_it import MarkdownIt

import blockfeat
from blockfeat import Extraction
from blockfeat.io.outputs import FORMATS, to_json_line
from property_examples import examples


def _with_all_blocks(extraction: Extraction) -> Extraction:
    """Keep every block, so that output shows all that a page can bring into it."""
    analysis = extraction.analysis
    assert analysis is not None
    every = replace(analysis.prediction, kept=np.ones_like(analysis.prediction.kept))
    text = "\n\n".join(block.text for block in extraction.blocks)
    return replace(extraction, source=replace(analysis, prediction=every), text=text)


# 7: characters of the output.

_CHARACTERS = st.sampled_from(
    [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), "\ud800", "\udfff", "\ufffe", "\uffff", "a", " ", "é", "<b>"]
    + [f"&#{code};" for code in (0, 1, 8, 11, 13, 27, 31, 127, 128, 133, 159, 0xD800, 0xFFFF, 0x110000)]
)
_DIRTY = st.lists(_CHARACTERS | st.characters(), max_size=12).map("".join)


def _assert_clean(text: str) -> None:
    unwanted = {mark for mark in text if mark not in "\t\n" and unicodedata.category(mark) in ("Cc", "Cs")}
    assert not unwanted


@given(_DIRTY, _DIRTY, _DIRTY)
@example("a\x01b", "c\x01", "\x01")
@example("", "\x00\x85", "")
@examples(150)
def test_no_output_holds_unwanted_characters(title: str, text: str, value: str) -> None:
    page = (
        f"<html lang='{value}'><title>{title}</title><h2>{text}</h2><pre>{text}</pre><ul><li>{text}</ul>"
        f"<p id='{value}'>words {text} <a href='/{value}' title='{value}'>link {text}</a> words"
    )
    extracted = blockfeat.extract(page, url=f"https://a.example/{title}", id=text)
    for held in (extracted.text, extracted.title or "", *extracted.warnings):
        _assert_clean(held)
    found = _with_all_blocks(extracted)
    for write in FORMATS.values():
        _assert_clean(write(found))
    _assert_clean(found.to_markdown(links=True))
    line = to_json_line(found, evidence=True)
    _assert_clean(line)
    assert len(line.splitlines()) == 1
    for value in _strings(json.loads(line)):
        _assert_clean(value)
    etree.fromstring(found.to_xml().encode())


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in _strings(item))]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [value] if isinstance(value, str) else []


# 10: the allow list.

_HOSTILE_TARGETS = st.sampled_from(
    [
        "javascript:alert(1)", " jAvA\tScript:x", "java&#10;script:x", "&#106;avascript:x", "javascript&amp;colon;x",
        "\x01javascript:x", "feed:javascript:x", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:x",
        "about:blank", "ftp://a.example", "//a.example/x", "/a b", "https://a.example/)](x", "mailto:a@b.example",
        'x" onclick=y',
    ]
)  # fmt: skip
_HOSTILE_TEXT = st.sampled_from(
    [
        "<script>x</script>", "&lt;script&gt;x&lt;/script&gt;", "<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;",
        "&lt;/p&gt;&lt;svg onload=x&gt;", "<style>x</style>", "<iframe src=x></iframe>", "<p onclick=x style='y'>z",
        "<base href=x>", "<form action=x><input>", "<!-- x -->", "<![CDATA[<script>x]]>", "&amp;lt;b&gt;",
        "[a](javascript:x)", "![a](http://x)", "[a]: javascript:x", "<javascript:x>", "<http://a.example>", "](",
        "]]>", "\\", "`", "```", "~~~", "# a",
    ]
)  # fmt: skip
_ALLOWED_TAGS = {"html", "head", "meta", "title", "body", "a", "blockquote", "p", "pre", "ol", "ul", "li"}
_ALLOWED_TAGS |= {f"h{level}" for level in range(1, 7)}
_RENDERED_TAGS = _ALLOWED_TAGS | {"code", "em", "strong", "hr", "br"}


def _is_allowed(target: str) -> bool:
    """Whether a target is relative or of an allowed scheme, read as a browser reads it."""
    seen = re.sub(r"[\x00-\x20]", "", html.fromstring(f"<a>{target}</a>").text_content())
    scheme = re.match(r"([a-z][a-z0-9+.\-]*):", seen, re.I)
    return scheme is None or scheme.group(1).lower() in ("http", "https", "mailto")


_PIECES = st.tuples(_HOSTILE_TEXT | st.text(max_size=9), _HOSTILE_TARGETS | st.text(max_size=9))


@given(st.lists(_PIECES, min_size=1, max_size=5))
@examples(150)
def test_output_holds_allowed_tags_attributes_and_targets_only(pieces: list[tuple[str, str]]) -> None:
    for wrap in ("<p>{}</p>", "<ul><li>{}</ul>", "<blockquote>{}</blockquote>", "<h2>{}</h2>", "<pre>{}</pre>"):
        links = "".join(f"{text}<a href='{target}' onclick=x>{text} link</a>{text}" for text, target in pieces)
        found = _with_all_blocks(blockfeat.extract(f"<title>{pieces[0][0]}</title>{wrap.format(links)}"))
        root = html.document_fromstring(found.to_html())
        # A formula is a span of the class "math", and nothing else is.
        spans = list(root.iter("span"))
        assert all(dict(element.attrib) == {"class": "math"} for element in spans)
        rest = [element for element in root.iter() if element not in spans]
        # Bold and the like, which random text has at times ("<B"), are written as such.
        assert {str(element.tag) for element in rest} <= _RENDERED_TAGS
        assert all(set(element.attrib) <= {"lang", "charset", "href"} for element in rest)
        targets = [str(element.get("href")) for element in root.iter("a")]
        markdown = found.to_markdown(links=True)
        rendered = html.document_fromstring(f"<p>{MarkdownIt('commonmark', {'html': True}).render(markdown)}")
        assert {str(element.tag) for element in rendered.iter()} <= _RENDERED_TAGS
        assert all(set(element.attrib) <= {"href", "start"} for element in rendered.iter())
        targets += [str(element.get("href")) for element in rendered.iter("a")]
        targets += etree.fromstring(found.to_xml().encode()).xpath("//@target")
        assert all(map(_is_allowed, targets))


def test_allowed_links_do_come_out() -> None:
    page = "<p>See <a href='https://a.example/x' onclick=y>this</a> and <a href='/b'>that</a>.</p>"
    found = _with_all_blocks(blockfeat.extract(page))
    assert '<a href="https://a.example/x">this</a> and <a href="/b">that</a>' in found.to_html()
    assert found.to_markdown(links=True) == "See [this](https://a.example/x) and [that](/b)."
