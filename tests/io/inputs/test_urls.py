"""Lists of addresses and their pages."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blockfeat.errors import FetchError
from blockfeat.io.inputs import InputOptions, fetched, list_inputs
from blockfeat.io.inputs.urls import read_urls, unfetched
from blockfeat.page.document import Document


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Replace the network: a page is its address, a slow host takes its time; return when each fetch began."""
    begun: dict[str, float] = {}

    def fetch(url: str, **options: Any) -> Document:
        begun[url] = time.monotonic()
        if "slow" in url:
            time.sleep(0.05)
        if "missing" in url:
            raise FetchError(f"{url}: the server answered 404")
        return Document(url, url.encode(), url=url)

    monkeypatch.setattr("blockfeat.io.inputs.urls.fetch", fetch)
    return begun


def test_lines_are_addresses(tmp_path: Path) -> None:
    text = "\ufeffhttp://a.example/\n\n# a comment\n  https://b.example/ä \nftp://c.example/\n"
    first, second, bad = read_urls("list.txt", io.BytesIO(text.encode()))
    assert (first, second) == (unfetched("http://a.example/"), unfetched("https://b.example/ä"))
    assert first.is_unfetched
    assert bad.error is not None
    assert bad.error.startswith("list.txt:5: ")
    (tmp_path / "list").write_text(text)
    assert next(list_inputs([str(tmp_path / "list")], InputOptions("urls"))) == first


def test_pages_come_in_order_and_failures_at_their_place(starts: dict[str, float]) -> None:
    urls = [f"http://{kind}{n}.example/" for n in range(20) for kind in ("slow", "fast", "missing")]
    found = list(fetched(map(unfetched, urls), InputOptions()))
    assert [document.id for document in found] == urls
    assert [document.error is not None for document in found] == ["missing" in url for url in urls]


def test_one_host_is_asked_with_pauses_and_others_meanwhile(starts: dict[str, float]) -> None:
    urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://a.example/3"]
    list(fetched(map(unfetched, urls), InputOptions(delay=0.4)))
    one, two, three = (starts[f"http://a.example/{n}"] for n in (1, 2, 3))
    assert two - one >= 0.2  # a loaded machine starts the first one late
    assert three - two >= 0.2
    assert starts["http://b.example/1"] < two


def test_pages_that_need_no_fetch_are_not_held_back(starts: dict[str, float]) -> None:
    def documents() -> Iterator[Document]:
        yield Document("a", b"x")
        raise AssertionError("read too far")

    assert next(fetched(documents(), InputOptions())).id == "a"


def test_what_nobody_waits_for_is_not_fetched(starts: dict[str, float]) -> None:
    reader = fetched((unfetched(f"http://a.example/{n}") for n in range(100)), InputOptions(delay=0.02))
    next(reader)
    reader.close()  # type: ignore[attr-defined]
    time.sleep(0.1)
    assert len(starts) < 10
