"""All formats of a page have the same words in the same order; above those of the text only the title's."""

import re
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from lxml import etree, html
from markdown_it import MarkdownIt

from blockfeat import Extraction, Extractor
from blockfeat.data import demo_pages
from golden_formats import extraction_of, pages


def letters(text: str) -> str:
    """Return the letters and digits of a text, whatever stands between them; raised digits are digits."""
    return "".join(re.findall(r"[^\W_]", unicodedata.normalize("NFKC", text)))


def letters_by_format(found: Extraction) -> dict[str, str]:
    """Return the letters of a page as Markdown, HTML and XML."""
    rendered = MarkdownIt("commonmark").enable("table").render(found.to_markdown())
    texts = {
        "markdown": f"<p>{rendered}",
        "html": etree.tounicode(html.document_fromstring(found.to_html()).find("body")),
        "xml": found.to_xml().partition("<body>")[2].partition("</text>")[0],
    }
    return {name: letters(str(html.fromstring(text).text_content())) for name, text in texts.items()}


@cache
def extractor(model: str) -> Extractor:
    return Extractor.load(model)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_made_pages_have_the_same_words_in_every_format(page: Path) -> None:
    found = extraction_of(page)
    text = letters(found.text)
    assert text
    assert letters(found.to_dict()["text"]) == letters(found.to_text()) == text
    assert letters_by_format(found) == dict.fromkeys(("markdown", "html", "xml"), text)


@pytest.mark.parametrize("model", ["default", "margin", "thresholds"])
def test_demo_pages_have_the_same_words_in_every_format_beside_the_title(model: str) -> None:
    for page in demo_pages():
        found = extractor(model).extract(page.html, url=page.url)
        text = letters(found.text)
        assert letters(found.to_dict()["text"]) == letters(found.to_text()) == text, page.id
        with_title = {text, *(letters(title or "") + text for title in (found.headline, found.title))}
        by_format = letters_by_format(found)
        assert len(set(by_format.values())) == 1, page.id
        assert by_format["markdown"] in with_title, page.id
