"""Labelled pages: fields, files, errors that name file and line."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data import LabelledPage, load_corpora, read_corpus, write_corpus
from blockfeat.data.corpus import language_code, page_from_record, page_to_record
from blockfeat.errors import CorpusError, LanguageError

GOOD = {"id": "1", "html": "<p>Ein Satz.</p>", "text": "Ein Satz.", "lang": "de"}


def write_records(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


texts = st.text(st.characters(), min_size=1, max_size=30)
optional = st.none() | texts
snippets = st.lists(texts, max_size=3).map(tuple)
pages = st.builds(
    LabelledPage,
    **dict.fromkeys(("id", "corpus"), texts),
    **dict.fromkeys(("html", "text"), st.text(st.characters(), max_size=50)),
    **dict.fromkeys(("lang", "url", "page_type", "title", "author", "date", "publisher"), optional),
    **dict.fromkeys(("present", "absent"), snippets),
    text2=st.none() | st.text(max_size=20),
)


@given(pages)
def test_record_round_trip(page: LabelledPage) -> None:
    assert page_from_record(page_to_record(page)) == page


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".jsonl.xz"])
def test_file_round_trip(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"news{suffix}"
    written = [
        LabelledPage("a", "<p>\u2028\x00\ud83d</p>", "Text", lang="tr", url="http://a.example/", corpus="news"),
        LabelledPage("b", "", "", present=("x", "y"), absent=("z",), title="T", corpus="news"),
        LabelledPage("a", "<p>", None, present=("x",), corpus="other"),
        LabelledPage("c", "<p>", "t", text2="", corpus="news"),
    ]
    assert (write_corpus(iter(written), path), list(read_corpus(path))) == (4, written)


def test_fields_have_a_stable_order_and_empty_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    page = LabelledPage("1", "<p>", "", url="", present=("a",), title=None, lang="de", corpus="x")
    write_corpus([page], str(path))
    assert path.read_text() == '{"id": "1", "lang": "de", "html": "<p>", "text": "", "with": ["a"]}\n'


def test_corpus_is_named_after_the_file(tmp_path: Path) -> None:
    (page,) = read_corpus(write_records(tmp_path / "my.news.jsonl", GOOD))
    assert page.corpus == "my.news"
    assert (page.id, page.lang, page.text, page.present, page.url) == ("1", "de", "Ein Satz.", (), None)


def test_null_and_unknown_fields_are_ignored(tmp_path: Path) -> None:
    record: dict[str, object] = {**GOOD, "url": None, "author": "", "with": None, "without": [], "rating": 5}
    (page,) = read_corpus(write_records(tmp_path / "a.jsonl", record))
    assert (page.url, page.author, page.present, page.absent) == (None, None, (), ())


def test_reading_streams(tmp_path: Path) -> None:
    path = write_records(tmp_path / "a.jsonl", GOOD, "bad")
    reader = read_corpus(path)
    assert next(reader).id == "1"
    with pytest.raises(CorpusError, match=r"a\.jsonl, line 2"):
        next(reader)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({**GOOD, "id": None}, "'id' is missing"),
        ({**GOOD, "id": ""}, "'id' is missing or empty"),
        ({**GOOD, "id": 7}, "'id' is a number, not a string"),
        ({"id": "1", "text": "t"}, "'html' is missing"),
        ({**GOOD, "html": ["<p>"]}, "'html' is an array"),
        ({**GOOD, "text": {}}, "'text' is an object"),
        ({**GOOD, "lang": True}, "'lang' is a boolean"),
        ({**GOOD, "with": "snippet"}, "'with' is not an array of strings"),
        ({**GOOD, "without": [1]}, "'without' is not an array of strings"),
        ({"id": "1", "html": "<p>"}, "no gold"),
        ({"id": "1", "html": "<p>", "text": None, "with": [], "without": []}, "no gold"),
        ([1], "not a JSON object"),
    ],
)
def test_bad_records_name_file_line_and_reason(tmp_path: Path, record: object, reason: str) -> None:
    path = write_records(tmp_path / "bad.jsonl", {**GOOD, "id": "0"}, record)
    with pytest.raises(CorpusError, match=rf"bad\.jsonl, line 2: .*{reason}"):
        list(read_corpus(path))


def test_duplicate_ids_name_both_lines(tmp_path: Path) -> None:
    path = write_records(tmp_path / "a.jsonl", GOOD, {**GOOD, "id": "2"}, GOOD)
    with pytest.raises(CorpusError, match=r"line 3: id '1' is already on line 1"):
        list(read_corpus(path))


def test_wrong_suffix_is_told_at_the_call(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not a corpus file"):
        read_corpus(tmp_path / "a.json")
    with pytest.raises(CorpusError, match="no such file"):
        list(read_corpus(tmp_path / "a.jsonl"))


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (LabelledPage("2", "<p>"), "page 2 .*no gold"),
        (LabelledPage("", "<p>", "t"), "page 2 .*'id'"),
        (LabelledPage("1", "<b>", "t"), "id '1' comes twice"),
        (LabelledPage("1", "<b>", "t", corpus="a"), "id '1' comes twice"),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path: Path, second: LabelledPage, reason: str) -> None:
    path = tmp_path / "a.jsonl"
    with pytest.raises(CorpusError, match=reason):
        write_corpus([LabelledPage("1", "<p>", "t"), second], path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("values", "host"),
    [
        ({"url": "https://www.news.example.co.uk/a", "publisher": "P"}, "example.co.uk"),
        ({"publisher": " The Paper "}, "the paper"),
        ({"html": "<link rel=canonical href='http://www.a.example/'>"}, "a.example"),
        ({}, "page-1"),
        ({"url": "http://"}, "page-1"),
    ],
)
def test_host(values: dict[str, Any], host: str) -> None:
    assert LabelledPage(**{"id": "page-1", "html": "<p>", "text": "t", **values}).host == host


@pytest.mark.parametrize(
    ("code", "lang"), [("de-AT", "de"), ("PT_br", "pt"), ("en", "en"), ("Xyz", "xyz"), ("", None), (None, None)]
)
def test_language_code(code: str | None, lang: str | None) -> None:
    assert language_code(code) == lang


@pytest.fixture
def two_files(tmp_path: Path) -> list[Path]:
    first = write_records(tmp_path / "a.jsonl", GOOD, {**GOOD, "id": "2", "lang": "fr"})
    austrian, unknown = {**GOOD, "lang": "de-AT"}, {**GOOD, "id": "3", "lang": None}
    return [first, write_records(tmp_path / "b.jsonl", austrian, unknown)]


def test_load_corpora(two_files: list[Path]) -> None:
    found = [(page.corpus, page.id) for page in load_corpora(two_files)]
    assert found == [("a", "1"), ("a", "2"), ("b", "1"), ("b", "3")]
    assert ((len(load_corpora(two_files[0])), len(load_corpora(str(two_files[0])))), load_corpora([])) == ((2, 2), [])


def test_load_corpora_by_language(two_files: list[Path]) -> None:
    assert [(page.corpus, page.id) for page in load_corpora(two_files, ["de-CH"])] == [("a", "1"), ("b", "1")]
    identified = load_corpora(two_files, ["fr"], identify=lambda page: "fr")
    assert [(page.corpus, page.id) for page in identified] == [("a", "2"), ("b", "3")]


def test_load_corpora_lists_the_languages_that_there_are(two_files: list[Path]) -> None:
    reason = r"no page of language 'es', 'it' in a\.jsonl, b\.jsonl; there are: de \(2\), fr \(1\), unknown \(1\)"
    with pytest.raises(LanguageError, match=reason):
        load_corpora(two_files, ["de", "it", "es"])


def test_load_corpora_reads_a_file_once(two_files: list[Path], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "blockfeat.data.corpus"):
        assert len(load_corpora([two_files[0], str(two_files[0])])) == 2
    assert "named twice" in caplog.text
