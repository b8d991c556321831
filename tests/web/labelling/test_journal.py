"""The journal and the corpus file: what is there after crashes."""

import os
from errno import ENOSPC
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data.corpus import LabelledPage, read_corpus
from blockfeat.data.labels import ROLES, BlockRoles
from blockfeat.errors import CorpusError, OutputError
from blockfeat.web.labelling.journal import STATES, Change, CorpusFile, Journal, LabelLog, PageLabels


def page(id: str, text: str = "x") -> LabelledPage:
    return LabelledPage(id, f"<p>{id}", text=text, corpus="c", roles=BlockRoles("html5", "cut", ("content",)))


def test_the_journal_says_the_same_when_it_is_opened_again(tmp_path):
    with Journal(tmp_path / "j", "html5") as journal:
        journal.apply(Change("a", "cut", {0: "content"}, at=1.0))
        journal.apply(Change("b", "cut", {}, "skipped", at=2.0))
        journal.apply(Change("a\udcff", "cut", {3: "byline"}, "done", at=3.0))
        assert [journal.undo(), journal.undo(), journal.redo()] == ["a\udcff", "b", "b"]
        pages = dict(journal.pages)
    with Journal(tmp_path / "j", "html5") as again:
        assert again.pages == pages
        assert again.redo() == "a\udcff"


def test_a_journal_cut_short_at_any_byte_keeps_all_whole_actions(tmp_path):
    path = tmp_path / "j"
    with Journal(path, "html5") as journal:
        for number in range(5):
            journal.apply(Change("a", "cut", {number: "content"}, at=float(number)))
    whole = path.read_bytes()
    for size in [*range(0, len(whole), 11), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with Journal(path, "html5") as journal:
            lines = whole[:size].count(b"\n")
            assert len(journal.labels("a").roles) == max(lines - 1, 0)
            journal.apply(Change("a", "cut", {9: "clutter"}))
        path.write_bytes(path.read_bytes().replace(b"\n", b'\n\xff\n{"page": 1}\n', 1))
        with Journal(path, "html5") as journal:
            assert journal.labels("a").roles[9] == "clutter"


def test_a_journal_of_another_table_or_another_file_is_refused(tmp_path):
    Journal(tmp_path / "j", "html5").__exit__(None, None, None)
    for name, text in (("other", '{"id": "a"}\n'), ("open", '{"id": "a"}\n{"id"'), ("line", '{"id": "a"}')):
        (tmp_path / name).write_text(text)
        with pytest.raises(CorpusError, match=f"{name}, line 1: not a journal"):
            Journal(tmp_path / name, "html5")
        assert (tmp_path / name).read_text() == text
    with pytest.raises(CorpusError, match="'html5', and the model cuts by 'ziegler2007'"):
        Journal(tmp_path / "j", "ziegler2007")


def test_pages_are_put_replaced_and_removed(tmp_path):
    path = tmp_path / "c.jsonl"
    file = CorpusFile(path)
    for id in "abcd":
        file.put(page(id))
    file.put(page("b", "new"))
    file.remove("a")
    file.remove("nobody")
    file.put(page("\udcff"))
    expected = [page("c"), page("d"), page("b", "new"), page("\udcff")]
    assert list(read_corpus(path)) == expected == list(file.pages())
    assert list(CorpusFile(path).pages()) == expected
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.jsonl"]


def test_a_corpus_file_cut_short_at_any_byte_keeps_all_whole_pages(tmp_path):
    path = tmp_path / "c.jsonl"
    file = CorpusFile(path)
    for id in "ab":
        file.put(page(id))
    whole = path.read_bytes()
    ends = [place for place, byte in enumerate(whole) if byte == 10]
    for size in {*range(0, len(whole), 11), *ends, *(end + 1 for end in ends)}:
        path.write_bytes(whole[:size])
        # A line that lacks nothing but its end is whole.
        kept = sum(size >= end for end in ends)
        reopened = CorpusFile(path)
        assert reopened.ids == tuple("ab"[:kept])
        reopened.put(page("z"))
        assert [found.id for found in read_corpus(path)] == [*"ab"[:kept], "z"]


def test_labels_go_to_plain_json_lines_that_are_a_corpus(tmp_path):
    with pytest.raises(CorpusError, match=r"ends in \.jsonl"):
        CorpusFile(tmp_path / "c.jsonl.xz")
    (tmp_path / "other.jsonl").write_text('{"mine": 1}\n')
    with pytest.raises(CorpusError, match="line 1: field 'id' is missing"):
        CorpusFile(tmp_path / "other.jsonl")
    assert (tmp_path / "other.jsonl").read_text() == '{"mine": 1}\n'


def test_pages_behind_blank_lines_are_found(tmp_path):
    path = tmp_path / "c.jsonl"
    CorpusFile(path).put(page("a"))
    with path.open("ab") as stream:
        stream.write(b"\n   \n\n")
    file = CorpusFile(path)
    file.put(page("b"))
    assert list(file.pages()) == [page("a"), page("b")]
    file.put(page("b", "new"))
    file.put(page("c"))
    file.remove("a")
    assert list(file.pages()) == list(CorpusFile(path).pages()) == [page("b", "new"), page("c")]


def test_a_page_that_the_disk_has_no_room_for_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "c.jsonl"
    file = CorpusFile(path)
    file.put(page("a"))
    monkeypatch.setattr(os, "fsync", Mock(side_effect=[OSError(ENOSPC, "No space left on device"), None]))
    with pytest.raises(OutputError, match="No space left"):
        file.put(page("big"))
    file.put(page("small"))
    assert [found.id for found in file.pages()] == list(CorpusFile(path).ids) == ["a", "small"]


changes = st.builds(
    Change,
    page=st.sampled_from("abc"),
    cut=st.just("cut"),
    roles=st.dictionaries(st.integers(0, 5), st.sampled_from([None, *ROLES]), max_size=4),
    state=st.sampled_from([None, *STATES]),
    at=st.integers(0, 1000).map(float),
)


@given(changes)
def test_a_change_comes_back_from_its_value(change: Change):
    assert Change.from_value(change.to_value()) == change


@pytest.mark.parametrize("roles", [None, {"title": [1]}, []])
def test_what_is_no_change_is_an_error(roles):
    with pytest.raises(CorpusError):
        Change.from_value({} if roles is None else {"page": "a", "cut": "c", "roles": roles, "at": 0})


@given(st.lists(changes, max_size=12), st.integers(0, 15))
def test_undo_goes_back_to_what_was_and_redo_forward_again(made: list[Change], steps: int):
    log = LabelLog()
    states = [{}]
    for change in made:
        log.apply(change)
        states.append(dict(log.pages))
    back = min(steps, len(made))
    undone = [log.undo() for _ in range(steps)]
    assert undone == [change.page for change in made[::-1][:back]] + [None] * (steps - back)
    there = {page: labels for page, labels in log.pages.items() if labels != PageLabels()}
    assert there == {page: labels for page, labels in states[len(made) - back].items() if labels != PageLabels()}
    assert [log.redo() for _ in range(back)] == [change.page for change in made[len(made) - back :]]
    assert log.pages == states[-1]
    assert not log.can_redo


def test_a_new_change_ends_what_could_be_redone():
    log = LabelLog()
    log.apply(Change("a", "cut", {0: "content"}))
    log.undo()
    log.apply(Change("a", "cut", {1: "content"}))
    assert log.redo() is None
    assert log.labels("a").roles == {1: "content"}


def test_roles_of_another_cut_are_forgotten_when_the_page_is_labelled_anew():
    log = LabelLog()
    log.apply(Change("a", "old", {0: "content", 7: "byline"}))
    log.apply(Change("a", "new", {1: "headline"}))
    assert log.labels("a").roles == {1: "headline"}
    log.undo()
    assert log.labels("a").roles == {0: "content", 7: "byline"}
