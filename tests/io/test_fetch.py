"""``blockfeat.fetch``: one call from an address to an extraction, from a server on this machine."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from blockfeat.errors import FetchError, InputError, InputTypeError, ModelError, NotHTML
from command_line import call
from pages import SENTENCES, article_page

_HERE = ["127.0.0.0/8"]
_CYRILLIC = "<html><body><p>" + "Фонари горят в долине каждую осень. " * 20
_ANSWERS = {
    "/page": ("text/html; charset=utf-8", article_page().encode()),
    "/koi8": ("text/html; charset=koi8-r", _CYRILLIC.encode("koi8-r")),
    "/text": ("text/plain", b"One line.\n\nAnother."),
    "/image": ("image/png", b"\x89PNG"),
    "/lie": ("text/html", b"%PDF-1.7 "),
}


class _Handler(BaseHTTPRequestHandler):
    """Answers by path, counts requests."""

    asked: list[str]

    def log_message(self, *arguments: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        self.asked.append(self.path)
        kind, body = _ANSWERS.get(self.path, ("text/html", b""))
        self.send_response(302 if self.path == "/moved" else 200 if self.path in _ANSWERS else 404)
        self.send_header("Location", "/page")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    _Handler.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as running:
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


def test_an_address_becomes_an_extraction(server: str) -> None:
    found = blockfeat.fetch(f"{server}/moved", allow_networks=_HERE)
    assert (found.id, found.url, found.status) == (f"{server}/moved", f"{server}/page", "ok")
    assert all(sentence in found.text for sentence in SENTENCES)
    assert found.blocks[-1].reason


def test_it_is_what_the_command_line_makes_of_the_address(server: str) -> None:
    done = call("extract", f"{server}/moved", "--format", "json", "--allow-network", _HERE[0])
    assert json.loads(done.stdout) == blockfeat.fetch(f"{server}/moved", allow_networks=_HERE).to_dict()


def test_options_and_the_charset_of_the_answer_are_used(server: str) -> None:
    found = blockfeat.fetch(
        f"{server}/page", allow_networks=_HERE, model="thresholds", lang="de", id="x", headline=False, metadata=False
    )
    assert (found.model, found.lang, found.id) == ("thresholds", "de", "x")
    assert found.to_dict()["metadata"] is None
    found = blockfeat.fetch(f"{server}/koi8", allow_networks=_HERE)
    assert (found.encoding, "Фонари горят" in found.text) == ("koi8-r", True)


def test_a_page_without_markup_is_plain_text(server: str) -> None:
    found = blockfeat.fetch(f"{server}/text", allow_networks=_HERE)
    assert (found.text, found.kind) == ("One line.\n\nAnother.", "other")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://localhost/", "http://[::1]/"])
def test_only_public_addresses_are_fetched_from(url: str) -> None:
    with pytest.raises(FetchError, match=r"no public address .*allow_networks"):
        blockfeat.fetch(url)


@pytest.mark.parametrize(
    ("path", "reason"), [("/gone", "404"), ("/image", "not a page but image/png"), ("/page", "larger than 100 bytes")]
)
def test_what_cannot_be_fetched_says_why(server: str, path: str, reason: str) -> None:
    with pytest.raises(FetchError, match=f"{path}: .*{reason}"):
        blockfeat.fetch(server + path, allow_networks=_HERE, max_bytes=100)


def test_bytes_of_another_format_are_no_html(server: str) -> None:
    with pytest.raises(NotHTML, match="PDF"):
        blockfeat.fetch(f"{server}/lie", allow_networks=_HERE)


def test_what_is_wrong_with_the_call_is_said_before_anything_is_fetched(server: str) -> None:
    asked = len(_Handler.asked)
    with pytest.raises(ModelError):
        blockfeat.fetch(f"{server}/page", allow_networks=_HERE, model="no-such-model")
    with pytest.raises(InputError, match="no network"):
        blockfeat.fetch(f"{server}/page", allow_networks=["here"])
    with pytest.raises(FetchError, match="only http and https"):
        blockfeat.fetch("page.html")
    for url in (None, b"https://example.org", Path("page.html")):
        with pytest.raises(InputTypeError, match="an address must be str"):
            blockfeat.fetch(url)  # type: ignore[arg-type]
    assert len(_Handler.asked) == asked


def test_it_works_where_a_loop_runs(server: str) -> None:
    async def main() -> str:
        return blockfeat.fetch(f"{server}/page", allow_networks=_HERE).text

    assert SENTENCES[0] in asyncio.run(main())


def test_the_client_is_imported_when_it_is_used() -> None:
    code = "import sys, blockfeat; blockfeat.fetch; print(*{'httpx2', 'httpcore2', 'asyncio'} & {*sys.modules})"
    root = str(Path(blockfeat.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=root, timeout=60)
    assert done.stdout.decode().split() == []
