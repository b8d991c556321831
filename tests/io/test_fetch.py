"""``blockfeat.fetch``: one call from an address to an extraction, from a server on this machine."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from blockfeat.errors import FetchError, InputError, InputTypeError, ModelError, NotHTML
from command_line import call
from pages import SENTENCES, article_page
from small_site import Site, serving

_HERE = ["127.0.0.0/8"]
_CYRILLIC = "<html><body><p>" + "Фонари горят в долине каждую осень. " * 20
_ANSWERS = {
    "/page": ("text/html; charset=utf-8", article_page().encode()),
    "/koi8": ("text/html; charset=koi8-r", _CYRILLIC.encode("koi8-r")),
    "/text": ("text/plain", b"One line.\n\nAnother."),
    "/lie": ("text/html", b"%PDF-1.7 "),
}


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as running:
        running.answers = {path: (200, {"Content-Type": kind}, body) for path, (kind, body) in _ANSWERS.items()}
        running.answers["/moved"] = 302, {"Location": "/page"}, b""
        yield running


def _fetched(url: str, **options: Any) -> blockfeat.Extraction:
    return blockfeat.fetch(url, allow_networks=_HERE, **options)


def test_an_address_becomes_an_extraction(site: Site) -> None:
    found = _fetched(f"{site.url}/moved")
    assert (found.id, found.url, found.status) == (f"{site.url}/moved", f"{site.url}/page", "ok")
    assert all(sentence in found.text for sentence in SENTENCES)
    assert found.blocks[-1].reason


def test_it_is_what_the_command_line_makes_of_the_address(site: Site) -> None:
    done = call("extract", f"{site.url}/moved", "--format", "json", "--allow-network", _HERE[0])
    found = _fetched(f"{site.url}/moved").to_dict()
    assert json.loads(done.stdout) == {name: found[name] for name in found if name not in ("lead", "body")}


def test_options_and_the_charset_of_the_answer_are_used(site: Site) -> None:
    chosen = {"model": "thresholds", "lang": "de", "id": "x"}
    found = _fetched(f"{site.url}/page", headline=False, metadata=False, **chosen)
    assert (found.model, found.lang, found.id) == ("thresholds", "de", "x")
    assert found.to_dict()["metadata"] is None
    found = _fetched(f"{site.url}/koi8")
    assert (found.encoding, "Фонари горят" in found.text) == ("koi8-r", True)


def test_a_page_without_markup_is_plain_text(site: Site) -> None:
    found = _fetched(f"{site.url}/text")
    assert (found.text, found.kind) == ("One line.\n\nAnother.", "other")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://localhost/", "http://[::1]/"])
def test_only_public_addresses_are_fetched_from(url: str) -> None:
    with pytest.raises(FetchError, match=r"no public address .*allow_networks"):
        blockfeat.fetch(url)


def test_what_cannot_be_used_says_why(site: Site) -> None:
    with pytest.raises(FetchError, match=r"/page: larger than 100 bytes"):
        _fetched(f"{site.url}/page", max_bytes=100)
    with pytest.raises(NotHTML, match="PDF"):
        _fetched(f"{site.url}/lie")


def test_what_is_wrong_with_the_call_is_said_before_anything_is_fetched(site: Site) -> None:
    with pytest.raises(ModelError):
        _fetched(f"{site.url}/page", model="no-such-model")
    with pytest.raises(InputError, match="no network"):
        blockfeat.fetch(f"{site.url}/page", allow_networks=["here"])
    with pytest.raises(FetchError, match="only http and https"):
        blockfeat.fetch("page.html")
    for url in (None, b"https://example.org", Path("page.html")):
        with pytest.raises(InputTypeError, match="an address must be str"):
            blockfeat.fetch(url)  # type: ignore[arg-type]
    assert site.seen == []


def test_it_works_where_a_loop_runs(site: Site) -> None:
    async def main() -> str:
        return _fetched(f"{site.url}/page").text

    assert SENTENCES[0] in asyncio.run(main())


def test_the_client_is_imported_when_it_is_used() -> None:
    code = "import sys, blockfeat; blockfeat.fetch; print(*{'httpx2', 'httpcore2', 'asyncio'} & {*sys.modules})"
    root = str(Path(blockfeat.__file__).parent.parent)
    assert subprocess.check_output([sys.executable, "-c", code], cwd=root, timeout=60).split() == []
