"""Programs written for trafilatura, with the import changed."""

import json
import warnings
from xml.etree import ElementTree

import pytest
from lxml import html

from blockfeat.compat import trafilatura
from blockfeat.compat.trafilatura import bare_extraction, extract, extract_metadata, fetch_url, html2txt
from blockfeat.data.corpus import demo_pages
from blockfeat.errors import FetchError, InputTypeError
from blockfeat.page import Document

PAGE = demo_pages()[0]
URL = PAGE.url or ""
_TITLE = "Larkspur Ferries brings back the night crossing"
_BEGIN = "Fourteen years after the last sleeper boat"


@pytest.fixture
def downloaded(monkeypatch: pytest.MonkeyPatch) -> str:
    def fetched(url: str) -> Document:
        if url != URL:
            raise FetchError(f"{url}: no")
        return Document(id=url, data=PAGE.html.encode("utf-16"), url=url)

    monkeypatch.setattr(trafilatura, "fetch", fetched)
    found = fetch_url(URL)
    assert found is not None
    assert fetch_url("https://gone.example/") is None
    return found


def test_a_page_in_each_format(downloaded: str) -> None:
    text = extract(downloaded)
    assert text is not None
    assert text.startswith(_BEGIN)
    assert (extract(downloaded, include_links=True, url=URL) or "").count("](https://") > 1
    assert "](" not in (extract(downloaded, output_format="markdown") or "")
    for output_format in ("xml", "xmltei"):
        ElementTree.fromstring(extract(downloaded, output_format=output_format, url=URL) or "")
    assert "<p>" in (extract(downloaded, output_format="html") or "")
    short = json.loads(extract(downloaded, output_format="json", record_id="7") or "")
    assert (short["id"], short["text"], "title" in short) == ("7", text, False)
    whole = json.loads(extract(downloaded, URL, output_format="json", with_metadata=True) or "")
    assert (whole["title"], whole["author"], whole["date"]) == (_TITLE, "Imogen Tarrant", "2024-03-14")
    assert (whole["source"], whole["hostname"]) == (URL, "harbourledger.example")
    assert whole["source-hostname"] == "The Harbour Ledger"
    assert (extract(downloaded, with_metadata=True) or "").startswith(f'---\ntitle: "{_TITLE}"\n')
    less = extract(downloaded, URL, favor_precision=True, include_comments=False, include_tables=False)
    assert len(less or "") <= len(extract(downloaded, favor_recall=True) or "")


def test_python_objects_trees_and_all_text(downloaded: str) -> None:
    document = bare_extraction(downloaded, URL, with_metadata=True)
    assert isinstance(document, trafilatura.Document)
    assert (document.title, document.as_dict()["sitename"]) == (_TITLE, "The Harbour Ledger")
    assert bare_extraction(downloaded, URL, as_dict=True) == document.as_dict()
    tree = html.fromstring("<html><body><article><p>Here is the main text.</p></article></body></html>")
    assert extract(tree) == "Here is the main text."
    known = extract_metadata(downloaded, author_blacklist={"Imogen Tarrant"})
    assert (known.title, known.author, known.text) == (_TITLE, None, None)
    body, text, length = trafilatura.baseline(downloaded)
    assert (body.xpath("string(p)")[: len(_BEGIN)], len(text)) == (_BEGIN, length)
    assert _BEGIN in html2txt(downloaded)
    assert len(html2txt(downloaded)) < len(html2txt(downloaded, clean=False))


def test_what_is_left_out_is_none(downloaded: str) -> None:
    left_out = {"target_language": "de", "only_with_metadata": True, "url_blacklist": {URL}}
    for name, value in left_out.items():
        url = None if name == "only_with_metadata" else URL
        content = "<p>Here is the main text.</p>" if url is None else downloaded
        assert extract(content, url, **{name: value}) is None, name
    assert [extract(page) for page in ("", "<html></html>", b"%PDF-1.7", None)] == [None] * 4
    assert bare_extraction("") is None
    assert extract(downloaded, URL, target_language="en", only_with_metadata=True)


def test_options_without_effect_are_named_and_unknown_ones_refused(downloaded: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        extract(downloaded, prune_xpath="//aside", no_fallback=True, deduplicate=False)
        fetch_url(URL, no_ssl=True)
    assert [str(one.message).split()[0] for one in told] == ["prune_xpath", "no_fallback", "no_ssl"]
    assert str(told[0].message) == "prune_xpath has no effect here; blockfeat.extract has drop, a CSS selector"
    assert all(one.filename == __file__ for one in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        extract(downloaded, favor_recall=True, include_formatting=True, include_images=True)
    for wrong in ({"favour": "recall"}, {"output_format": "csv"}):
        with pytest.raises(InputTypeError, match=r"no option 'favour'|'csv' is unknown; known are txt, "):
            extract(downloaded, **wrong)
