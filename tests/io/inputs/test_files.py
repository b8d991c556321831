"""Single files, folders and standard input."""

import gzip
import hashlib
import io
import json
import lzma
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from blockfeat.commands.batch import Inputs
from blockfeat.errors import FetchError, InputTypeError
from blockfeat.io.inputs import InputOptions, fetched, list_inputs, read_inputs
from blockfeat.io.inputs.files import read_file, read_urls, unfetched
from blockfeat.page.document import Document
from warc_file import zstd


def test_a_file_is_read_as_bytes_or_becomes_an_error(tmp_path: Path) -> None:
    path = tmp_path / "page.bin"
    path.write_bytes(b"\xff\x00<p>x")
    document = read_file(path)
    assert (document.data, document.id) == (b"\xff\x00<p>x", str(path))
    assert read_file("a\0b.html").error == "a\0b.html: embedded null byte"
    document = read_file(tmp_path / "missing.html")
    assert (document.data, document.error) == (None, f"{tmp_path / 'missing.html'}: no such file or folder")


@pytest.mark.parametrize("inputs", [[5], [None], [b"a.html"], "a.html"])
def test_inputs_that_are_no_names_are_refused(inputs: Any) -> None:
    with pytest.raises(InputTypeError, match=r"^inputs must be a list of paths and addresses, not "):
        list(read_inputs(inputs))


def test_names_may_come_from_an_iterator(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>x")
    assert [document.data for document in read_inputs(tmp_path.glob("*.html"))] == [b"<p>x"]  # type: ignore[arg-type]


def test_a_folder_is_read_sorted_and_deep(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("c.HTML", "a.htm", "b/z.xhtml", "b/y.html", "b/style.css", "settings.json"):
        (tmp_path / name).write_text(name)
    (tmp_path / "d.jsonl").write_text(json.dumps({"id": "record", "html": "<p>x"}))
    names = [document.id.removeprefix(str(tmp_path) + os.sep) for document in read_inputs([str(tmp_path)])]
    assert names == ["a.htm", os.path.join("b", "y.html"), os.path.join("b", "z.xhtml"), "c.HTML", "record"]


def test_link_loops_end_and_broken_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "page.html").write_text("x")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "broken.html").symlink_to(tmp_path / "nowhere")
    documents = list(read_inputs([str(tmp_path)]))
    assert [Path(document.id).name for document in documents] == ["broken.html", "page.html"]
    assert "no such file or folder" in (documents[0].error or "")


def test_a_pipe_in_a_folder_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    (document,) = read_inputs([str(tmp_path)])
    assert "not a regular file" in (document.error or "")


def test_a_folder_is_read_with_every_suffix_of_html_and_by_first_bytes(tmp_path: Path) -> None:
    for name in ("a.shtml", "b.xht", "index", "page.php", "view.aspx.html"):
        (tmp_path / name).write_text("<!DOCTYPE html><p>x")
    (tmp_path / "c.html.gz").write_bytes(gzip.compress(b"<p>packed"))
    (tmp_path / "LICENSE").write_text("no page")
    (tmp_path / "code.php").write_text("<?php echo 1; ?>")
    (tmp_path / "x.txt").write_text("<html>")
    passed: list[str] = []
    documents = list(read_inputs([str(tmp_path)], on_passed_over=passed.append))
    names = ["a.shtml", "b.xht", "c.html.gz", "index", "page.php", "view.aspx.html"]
    assert [Path(document.id).name for document in documents] == names
    assert documents[2].data == b"<p>packed"
    assert list(read_inputs([tmp_path / "c.html.gz"])) == [documents[2]]  # type: ignore[list-item]
    assert [Path(name).name for name in passed] == ["LICENSE", "code.php", "x.txt"]
    assert len(list(read_inputs([str(tmp_path)], InputOptions("html")))) == 9


def test_what_is_written_in_a_folder_is_not_read_there(tmp_path: Path) -> None:
    beside = ("out.jsonl", "out.jsonl.new", ".out.jsonl.lock", "out.jsonl.gz", "a.html", "b.jsonl")
    for folder in (tmp_path, tmp_path / "more"):
        folder.mkdir(exist_ok=True)
        for name in beside:
            (folder / name).write_text('{"html": "<p>a"}\n')
    options, passed = InputOptions(output=tmp_path / "more" / ".." / "out.jsonl"), list[str]()
    read = [Path(found.id).name for found in read_inputs([str(tmp_path)], options, on_passed_over=passed.append)]
    below = ["a.html", "b.jsonl:1", "out.jsonl:1", "out.jsonl.gz:1"]
    assert read[:6] == ["a.html", "b.jsonl:1", *below]
    assert (len(read), len(passed)) == (7, 2)


def test_a_packed_page_may_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat.io.inputs.files._MAX_UNPACKED_BYTES", 1000)
    path = tmp_path / "bomb.html.gz"
    path.write_bytes(gzip.compress(b"x" * 100_000))
    assert read_file(path).error == f"{path}: larger than 1000 bytes when unpacked"
    assert read_file(path, 900).error == f"{path}: larger than 900 bytes when unpacked"
    (unnamed := tmp_path / "bomb").write_bytes(path.read_bytes())
    assert [one.error for one in read_inputs([str(unnamed)])] == [f"{unnamed}: larger than 1000 bytes when unpacked"]
    if os.path.exists("/dev/zero"):
        for most, said in ((900, 900), (10**40, 1000), (None, 1000)):
            assert read_file("/dev/zero", most).error == f"/dev/zero: larger than {said} bytes"
    large = tmp_path / "large.html"
    large.write_bytes(b"x" * 2000)
    assert [len(read_file(large, most).data or b"") for most in (None, 10**40, 2000, 1999)] == [2000, 2000, 2000, 0]
    path.write_bytes(gzip.compress(b"x" * 900)[:-10])
    assert read_file(path).error is not None


@pytest.mark.parametrize("ending", [".html", "", ".txt"])
@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress), (".zst", zstd)])
def test_what_is_whole_of_a_damaged_packed_page_is_kept(
    tmp_path: Path, ending: str, suffix: str, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    ending += suffix if ending == ".html" else ""
    page = b"".join(hashlib.sha256(b"%d" % number).hexdigest().encode() + b"<p>" for number in range(6000))
    packed = pack(page)
    (tmp_path / f"a{ending}").write_bytes(packed + b"junk that is no member")
    (tmp_path / f"b{ending}").write_bytes(packed[: len(packed) // 2])
    (tmp_path / f"c{ending}").write_bytes(packed + packed)
    (tmp_path / f"d{ending}").write_bytes(packed[:12])
    names, end = [str(tmp_path / f"{name}{ending}") for name in "abcd"], len(page)
    found = list(read_inputs(names))
    half = found[2].data or b""
    assert isinstance(half, bytes)
    assert page.startswith(half)
    assert len(half) > end / 5
    read = [names[0], f"{names[0]}@{end}", names[1], f"{names[1]}@{len(half)}", names[2], names[3]]
    assert [document.id for document in found] == read
    assert [document.data for document in found if document is not found[2]] == [page, None, None, page + page, None]
    for gap in (found[1], found[3]):
        assert (gap.error or "").startswith(f"{gap.id}: damaged from this byte of the page on: ")
    assert (found[5].error or "").startswith(f"{names[3]}: ")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed + b"junk")))
    assert [document.id for document in read_inputs(["-"])] == ["-", f"-@{end}"]


def test_files_folders_and_lines_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>")
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "p.jsonl").write_text('{"html": "x"}\n{"html": "x"}')
    inputs = [str(tmp_path), str(tmp_path / "a.html"), "http://a.example/"]
    assert (Inputs(tuple(inputs), ()).count(InputOptions()), len(list(read_inputs(inputs[:2])))) == (5, 4)
    (tmp_path / "list").write_text("http://a.example/\n# no\n\nhttp://b.example/\n")
    assert Inputs((), (str(tmp_path / "list"),)).count(InputOptions()) == 2


def test_what_has_to_be_read_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(b'{"html": "x"}\n'))
    counts = [Inputs((name,), ()).count(InputOptions()) for name in ("-", str(tmp_path), str(tmp_path / "p.jsonl.gz"))]
    assert (counts, Inputs((), ()).count(InputOptions())) == ([None] * 3, None)


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

    monkeypatch.setattr("blockfeat.io.http.fetch.fetch", fetch)
    return begun


def test_lines_are_addresses(tmp_path: Path) -> None:
    text = "\ufeffhttp://a.example/\n\n# a comment\n  https://b.example/ä \nftp://c.example/\n"
    first, second, bad = read_urls("list.txt", io.BytesIO(text.encode()))
    assert (first, second) == (unfetched("http://a.example/"), unfetched("https://b.example/ä"))
    assert first.is_unfetched
    assert str(bad.error).startswith("list.txt:5: ")
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
