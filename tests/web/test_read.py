"""Pages for reading, whose links lead on through the reader."""

import re
from urllib.parse import urlsplit

import html5lib
import httpx2
import pytest

from active_markup import active_in
from blockfeat.web.reader.tasks import LinksOn
from script_vectors import METADATA_VECTORS, RUN, VECTORS, page_with
from small_site import Site

_HTML = {"Content-Type": "text/html; charset=utf-8"}
_XHTML = "{http://www.w3.org/1999/xhtml}"


def _links(document: str) -> list[str]:
    tree = html5lib.parse(document, treebuilder="etree")
    return [link.get("href") for link in tree.iter(f"{_XHTML}a") if link.get("href")]


def _frame(client: httpx2.Client, document: str) -> httpx2.Response:
    source = next(html5lib.parse(document, treebuilder="etree").iter(f"{_XHTML}iframe")).get("src")
    return client.get(source)


def test_links_of_an_article_lead_on(client: httpx2.Client, site: Site) -> None:
    body = "<p>Of this the <a href='/letter?a=1&amp;b=2'>letter of the people</a> says more than was known before.</p>"
    site.answers["/a"] = 200, _HTML, page_with(body).encode()
    site.answers["/letter?a=1&b=2"] = 200, _HTML, page_with("<p>The letter.</p>").encode()
    first = client.get("/read", params={"url": f"{site.url}/a"})
    (onward,) = (link for link in _links(first.text) if "letter" in link)
    second = client.get(onward)
    assert (urlsplit(onward).path, second.status_code, site.seen[-1]) == ("/read", 200, "/letter?a=1&b=2")
    assert "<h1>The ferry stays</h1>" in second.text


def test_links_of_a_cleaned_page_keep_its_settings(client: httpx2.Client, site: Site) -> None:
    site.answers["/a"] = 200, _HTML, page_with("<p><a href=b>on</a> <a href='#x'>down</a></p><p id=x>x</p>").encode()
    query = {"url": f"{site.url}/a", "view": "clean", "settings": '{"link_lists":{"remove":false}}'}
    answer = client.get("/read", params=query)
    framed = _frame(client, answer.text)
    assert (answer.status_code, framed.status_code) == (200, 200)
    links = _links(framed.text)
    assert "#x" in links
    onward = next(link for link in links if link.endswith("remove%22%3Afalse%7D%7D") and "%2Fb" in link)
    assert client.get(onward).status_code in (404, 422)
    policy = framed.headers["content-security-policy"]
    assert ("script-src" in policy, "sandbox" in policy) == (False, True)


def test_where_links_lead() -> None:
    lead = LinksOn("https://a.example/x?y#z", "&view=clean")
    assert lead("https://a.example/x?y#part") == "#part"
    assert lead("https://b.example/?q=ä&r") == "/read?url=https%3A%2F%2Fb.example%2F%3Fq%3D%C3%A4%26r&view=clean"
    assert lead("mailto:a@b.example") == "mailto:a@b.example"


def test_a_page_that_cannot_be_read_says_why(client: httpx2.Client, site: Site) -> None:
    site.answers["/a"] = 200, _HTML, page_with().encode()
    wrong = [("view", "x"), ("look", "x"), ("settings", "{"), ("settings", '{"filters":{"x":1}}')]
    reasons = dict.fromkeys(wrong, "The page cannot be read")
    reasons |= {("model", "m" * 300): "there is no model", ("url", f"{site.url}/none"): "the server answered 404"}
    for (name, value), said in reasons.items():
        answer = client.get("/read", params={"url": f"{site.url}/a", name: value})
        assert (answer.status_code, said in answer.text) == (422, True), name
    assert client.get("/read").headers["location"] == "/"


def test_images_are_loaded_only_where_asked_for(client: httpx2.Client, site: Site) -> None:
    body = f"<p>Before the image of the boat in the harbour.</p><figure><img src='{site.url}/i.png' alt=Boat></figure>"
    site.answers["/a"] = 200, _HTML, page_with(body).encode()
    without = client.get("/read", params={"url": f"{site.url}/a"})
    assert "i.png" not in without.text
    assert "http:" not in without.headers["content-security-policy"]
    images = client.get("/read", params={"url": f"{site.url}/a", "images": "true"})
    assert "img-src http: https: data:" in images.headers["content-security-policy"]


@pytest.mark.parametrize("number", range(0, len(VECTORS), 5))
def test_nothing_in_a_page_to_read_is_active(client: httpx2.Client, site: Site, number: int) -> None:
    """Every view of the vectors, five to a page."""
    body = "<p>Between.</p>".join([*VECTORS.values()][number : number + 5])
    head = [*METADATA_VECTORS.values()][number % len(METADATA_VECTORS)]
    site.answers["/a"] = 200, _HTML, page_with(body, head).encode()
    for view in ("article", "clean"):
        answer = client.get("/read", params={"url": f"{site.url}/a", "view": view})
        found = [each for each in active_in(answer.text, own_forms=True, own_links=True) if each != "element iframe"]
        assert found == []
        if view == "clean":
            assert active_in(_frame(client, answer.text).text) == []


@pytest.mark.parametrize("name", ["url", "view", "model", "settings", "look", "images"])
def test_nothing_in_a_query_is_active(client: httpx2.Client, name: str) -> None:
    for value in (f'"><script>{RUN}</script>', f"javascript:{RUN}", f"' onload='{RUN}", f"</title><svg onload={RUN}>"):
        answer = client.get("/read", params={"url": "http://127.0.0.1:1/", name: value})
        assert answer.status_code in (422, 403)
        if "html" in answer.headers["content-type"]:
            found = active_in(answer.text, own_forms=True, own_links=True)
            assert found == []


def test_own_pages_have_no_inline_script_or_style(client: httpx2.Client) -> None:
    for path in ("/", "/api"):
        text = client.get(path).text
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=\"/static/)", text)
        assert "http://" not in text.replace("http://www.w3.org", "")


@pytest.mark.parametrize("view", ["article", "clean"])
def test_an_address_that_is_none_does_not_take_the_page_away(client: httpx2.Client, site: Site, view: str) -> None:
    body = "<p>Of this the <a href='http://[x#y'>letter</a> of the people says more than was known before it came.</p>"
    site.answers["/a"] = 200, _HTML, page_with(body).encode()
    answer = client.get("/read", params={"url": f"{site.url}/a", "view": view})
    assert answer.status_code == 200
    shown = _frame(client, answer.text) if view == "clean" else answer
    assert shown.status_code == 200
    assert "of the people" in shown.text
