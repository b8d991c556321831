"""Public layouts turned into labelled pages, with every file that has no partner told."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from blockfeat.data import convert, parse_fields, read_corpus, write_corpus
from blockfeat.errors import CorpusError


def fill(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, given by name and content, below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


def test_two_folders_side_by_side(tmp_path: Path) -> None:
    html = {"pages/b.html": "<p>Zwei</p>", "pages/a.HTM": "<p>Eins</p>", "pages/sub/c.x.html": "<p>Drei</p>"}
    gold = {"gold/a.txt": "Eins\n", "gold/b.txt": "Zwei", "gold/sub/c.x.txt": "Drei"}
    source = fill(tmp_path / "news", html | gold | {"README": "nothing to do with it"})
    pages = list(convert(source, "folders", "de"))
    assert [(page.id, page.text) for page in pages] == [("a", "Eins"), ("b", "Zwei"), ("sub/c.x", "Drei")]
    assert {(page.lang, page.corpus, page.html[:3]) for page in pages} == {("de", "news", "<p>")}


def test_one_folder_and_folders_by_language(tmp_path: Path) -> None:
    source = fill(tmp_path / "x", {"a.html": "<p>", "a.txt": "A", "fr/a.html": "<p>", "fr/a.txt": "B"})
    assert [(page.id, page.text) for page in convert(source, "folders")] == [("a", "A"), ("fr/a", "B")]


def test_gold_in_a_folder_elsewhere(tmp_path: Path) -> None:
    source = fill(tmp_path / "pages", {"en/a.html": "<p>"})
    gold = fill(tmp_path / "elsewhere" / "gold", {"en/a.txt": "A"})
    assert [page.id for page in convert(source, "folders", gold=gold)] == ["en/a"]


def test_bytes_are_decoded_as_they_declare(tmp_path: Path) -> None:
    html = "<meta charset=iso-8859-2><p>Zażółć gęślą jaźń".encode("iso-8859-2")
    source = fill(tmp_path, {"a.html": html, "a.txt": "\ufeffZażółć gęślą jaźń".encode()})
    (page,) = convert(source, "folders")
    assert page.text == "Zażółć gęślą jaźń"
    assert page.text in page.html


def test_files_without_partner_are_counted_and_listed(tmp_path: Path) -> None:
    source = fill(tmp_path, {f"{number}.html": "<p>" for number in range(15)} | {"0.txt": "A", "x.txt": "B"})
    with pytest.raises(CorpusError, match="page without gold text; and 14 problems more"):
        next(convert(source, "folders"))
    problems: list[str] = []
    assert [page.id for page in convert(source, "folders", problems=problems)] == ["0"]
    assert len(problems) == 15
    assert problems[0].endswith("1.html: page without gold text")
    assert problems[-1].endswith("x.txt: gold text without page")


def test_two_pages_of_one_name_are_a_problem(tmp_path: Path) -> None:
    source = fill(tmp_path, {"a.html": "<p>", "a.htm": "<b>", "a.txt": "A"})
    problems: list[str] = []
    assert len(list(convert(source, "folders", problems=problems))) == 1
    assert [problem.partition(": ")[2] for problem in problems] == ["has the same name as a.htm"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "no page"),
        ({"a.html": "<p>"}, "no gold text"),
        ({"p/a.html": "<p>", "q/b.html": "<p>", "t/a.txt": "A"}, "not clear"),
    ],
)
def test_folders_that_cannot_be_used(tmp_path: Path, files: Mapping[str, str | bytes], reason: str) -> None:
    with pytest.raises(CorpusError, match=reason):
        list(convert(fill(tmp_path, files), "folders"))


GOLD = """URL: http://www.a.example/page

<h>A heading
<p>First paragraph
over two lines.

<l>an item
<l> another < item
"""


def test_cleaneval(tmp_path: Path) -> None:
    wrapped = '<text id="1" title="T" encoding="windows-1252">\n<html><p>Café</p></html>\n</text>\n'
    html = {"pages/1.html": wrapped.encode("cp1252"), "pages/2.html": "<p>no wrapper</p>"}
    gold = {"gold/1-cleaned.txt": GOLD, "gold/1.txt": "not this one", "gold/2.txt": "<p>no wrapper</p>"}
    first, second = convert(fill(tmp_path / "cleaneval", html | gold), "cleaneval", "en")
    assert (first.html, first.url) == ("<html><p>Café</p></html>", "http://www.a.example/page")
    assert first.text == ("A heading\n\nFirst paragraph\nover two lines.\n\nan item\n\nanother < item")
    assert (second.id, second.html, second.text, second.url) == ("2", "<p>no wrapper</p>", "no wrapper", None)


def test_cleaneval_problems(tmp_path: Path) -> None:
    source = fill(tmp_path, {"1.html": "<p>", "1-cleaned.txt": "<p>A", "2-cleaned.txt": "B", "3.html": "<p>"})
    problems: list[str] = []
    assert [page.text for page in convert(source, "cleaneval", problems=problems)] == ["A"]
    assert len(problems) == 2


def test_jsonl_with_other_names(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    full = {"key": 17, "body": "<p>A", "content": "A", "language": "fr", "must": ["A"]}
    records = [full, {"body": "<p>B", "content": "B"}]
    path.write_text("\n".join(map(json.dumps, records)))
    fields = parse_fields("id=key, html=body, text=content, lang=language, with=must")
    first, second = convert(path, "jsonl", "de", fields=fields)
    assert (first.id, first.html, first.text, first.lang, first.present) == ("17", "<p>A", "A", "fr", ("A",))
    assert (second.id, second.lang, second.corpus) == ("2", "de", "other")


def test_jsonl_problems(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    good = '{"id": "1", "html": "<p>", "text": "t"}'
    path.write_text("\n".join([good, "{", '{"id": "2", "html": "<p>"}', good]))
    with pytest.raises(CorpusError, match=r"other\.jsonl, line 2: not JSON"):
        list(convert(path, "jsonl"))
    problems: list[str] = []
    assert len(list(convert(path, "jsonl", problems=problems))) == 1
    assert [problem.split(", ")[1].split(":")[0] for problem in problems] == ["line 2", "line 3", "line 4"]


def test_what_is_converted_can_be_written_and_read(tmp_path: Path) -> None:
    source = fill(tmp_path / "in", {"a.html": "<p>", "a.txt": "A", "b.html": "<p>", "b.txt": ""})
    path = tmp_path / "out.jsonl.gz"
    assert write_corpus(convert(source, "folders", "en"), path) == 2
    assert [(page.id, page.text, page.corpus) for page in read_corpus(path)] == [("a", "A", "in"), ("b", "", "in")]


def test_wrong_calls_are_errors(tmp_path: Path) -> None:
    file = fill(tmp_path, {"a.jsonl": ""}) / "a.jsonl"
    with pytest.raises(CorpusError, match="not a folder"):
        next(convert(file, "folders"))
    for place, layout, options, reason in (
        (tmp_path, "zip", {}, "unknown layout 'zip': there are folders, cleaneval, jsonl"),
        (tmp_path / "none", "folders", {}, "no such file or folder"),
        (tmp_path, "jsonl", {}, "must end in"),
        (tmp_path, "folders", {"fields": {"html": "body"}}, "goes with the layout 'jsonl'"),
        (file, "jsonl", {"gold": tmp_path}, "does not go with"),
        (file, "jsonl", {"fields": {"body": "html"}}, "body unknown"),
    ):
        with pytest.raises(CorpusError, match=reason):
            convert(place, layout, **options)


@pytest.mark.parametrize("text", ["html", "html=", "=body", "html=a,text"])
def test_mappings_that_cannot_be_read(text: str) -> None:
    with pytest.raises(CorpusError, match="pairs such as html=content"):
        parse_fields(text)
