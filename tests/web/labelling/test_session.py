from collections.abc import Callable
from pathlib import Path

import pytest

from blockfeat.data.corpus import LabelledPage, read_corpus
from blockfeat.data.validate import validate
from blockfeat.errors import CorpusError, InputError
from blockfeat.extraction.extractor import Extractor
from blockfeat.io.inputs import Document
from blockfeat.web.labelling.journal import CorpusFile
from blockfeat.web.labelling.pages import SessionPages, Suggester, sureness
from blockfeat.web.labelling.session import LabelSession
from labelled_site_pages import site, site_page


@pytest.fixture(scope="module")
def suggester() -> Suggester:
    return Suggester(Extractor.load("margin"))


@pytest.fixture
def begin(tmp_path: Path, suggester: Suggester) -> Callable[..., LabelSession]:
    """A function that begins a session with three pages of the site, or with other documents."""
    return lambda *documents: LabelSession(SessionPages.of(documents or site(3)), tmp_path / "labels.jsonl", suggester)


def _one(number: int, name: str = "a") -> Document:
    return Document(name, site_page(number), lang="en")


def test_suggestions_tell_headline_byline_content_and_clutter(begin):
    with begin() as session:
        view = session.view("page-0")
    by_role = {role: [block for block, found in enumerate(view.roles) if found == role] for role in set(view.roles)}
    texts = view.cut.blocks.texts()
    assert [texts[block] for block in by_role["headline"]] == ["Story 0 of the harbour"]
    assert [texts[block] for block in by_role["byline"]] == ["By Anna Voss, 1 May 2024"]
    assert (len(by_role["content"]), texts[-1]) == (4, "The Harbour Courier, all rights reserved.")
    assert view.roles[-1] == "clutter"
    assert 0 < view.cut.suggestion.confidence <= 1


def test_a_marked_page_is_in_the_corpus_once_it_is_accepted(begin, tmp_path):
    with begin() as session:
        view = session.view("page-1")
        content = [block for block, role in enumerate(view.roles) if role == "content"]
        session.mark("page-1", content[:1], "caption")
        assert (list(read_corpus(session.output)), session.accept("page-1").state) == ([], "done")
        assert (session.progress.done, session.progress.left) == (1, 2)
    (page,) = read_corpus(tmp_path / "labels.jsonl")
    assert (page.id, page.url, page.lang) == ("page-1", "https://courier.example/1", "en")
    assert page.text == "\n\n".join(view.cut.blocks.text(block) for block in content[1:])
    assert (page.roles.blocks[content[0]], None in page.roles.blocks) == ("caption", False)
    assert page.roles.fits(view.cut.blocks)
    assert validate(tmp_path / "labels.jsonl").ok


def test_the_text_of_the_labels_is_what_an_extraction_of_those_blocks_gives(begin, tmp_path, suggester):
    with begin() as session:
        session.accept("page-0")
    (page,) = read_corpus(tmp_path / "labels.jsonl")
    assert page.text == suggester.extractor.extract(page.html, lang="en").text


def test_a_session_goes_on_where_it_was(begin):
    with begin() as session:
        session.accept("page-0")
        session.mark("page-1", [2, 3], "byline")
        session.set_aside("page-2", "skipped")
    with begin() as session:
        assert [session.state(f"page-{number}") for number in range(3)] == ["done", "open", "skipped"]
        assert dict(session.view("page-1").marked) == {2: "byline", 3: "byline"}
        assert [session.undo() for _ in range(3)] == ["page-2", "page-1", "page-0"]
        assert (list(read_corpus(session.output)), session.redo()) == ([], "page-0")
        assert [page.id for page in read_corpus(session.output)] == ["page-0"]


def test_what_a_crash_kept_from_the_corpus_file_is_written_at_the_next_start(begin, tmp_path):
    with begin() as session:
        session.accept("page-0")
        session.accept("page-1")
    path = tmp_path / "labels.jsonl"
    whole = list(read_corpus(path))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 40])
    with begin():
        assert sorted(read_corpus(path), key=lambda page: page.id) == whole


def test_labels_without_their_journal_are_taken_over(begin, tmp_path):
    with begin() as session:
        session.mark("page-0", [0], "headline")
        session.accept("page-0")
    (tmp_path / "labels.jsonl.journal").unlink()
    with begin() as session:
        assert (session.state("page-0"), session.view("page-0").marked[0]) == ("done", "headline")
    with begin() as session:
        # It is not this labeller's latest action: undo does not take it out of the file.
        assert not session.can_undo
        assert session.undo() is None
        session.mark("page-0", [0], "byline")
        session.undo()
        assert session.view("page-0").marked[0] == "headline"
    assert [page.id for page in read_corpus(tmp_path / "labels.jsonl")] == ["page-0"]


def test_pages_of_other_labellers_stay_in_the_file(begin, tmp_path):
    with begin(_one(9, "old")) as session:
        session.accept("old")
    with begin() as session:
        session.accept("page-0")
        assert session.progress.pages == 3
    assert [page.id for page in read_corpus(tmp_path / "labels.jsonl")] == ["old", "page-0"]


def test_a_page_that_changed_keeps_its_old_labels_until_it_is_accepted_again(begin, tmp_path):
    with begin(_one(1)) as session:
        session.accept("a")
    (before,) = read_corpus(tmp_path / "labels.jsonl")
    with begin(_one(2)) as session:
        assert "changed" in (session.view("a").warning or "")
        assert list(read_corpus(session.output)) == [before]
        session.mark("a", [0], "byline")
        assert (session.state("a"), list(read_corpus(session.output))) == ("open", [before])
        session.accept("a")
        assert session.view("a").warning is None
    (after,) = read_corpus(tmp_path / "labels.jsonl")
    assert after.html == site_page(2)


def test_a_done_page_stays_in_step_while_it_is_relabelled(begin):
    with begin() as session:
        session.accept("page-0")
        session.mark("page-0", [0], "content")
        (page,) = read_corpus(session.output)
        assert page.roles.blocks[0] == "content"
        session.mark("page-0", [0], None)
        assert (session.state("page-0"), list(read_corpus(session.output))) == ("open", [])


def test_a_page_without_content_is_gold_too(begin, tmp_path):
    with begin() as session:
        session.accept("page-0", has_content=False)
    (page,) = read_corpus(tmp_path / "labels.jsonl")
    assert (page.text, set(page.roles.blocks)) == ("", {"clutter"})
    assert validate(tmp_path / "labels.jsonl").ok


def test_two_sessions_on_one_file_are_refused(begin, tmp_path):
    with begin(), pytest.raises(CorpusError, match=r"another session of `blockfeat label` has this file"):
        begin()
    with begin() as session:
        assert session.progress.done == 0


@pytest.mark.parametrize(
    "action",
    [
        lambda session: session.mark("page-0", [-1], "content"),
        lambda session: session.mark("page-0", [], "content"),
        lambda session: session.mark("page-0", [0], "title"),
        lambda session: session.set_aside("page-0", "done"),
        lambda session: session.view("nobody"),
        lambda session: session.use(Suggester(Extractor.load("ziegler2007"))),
    ],
)
def test_what_cannot_be_is_an_error_and_changes_nothing(begin, action):
    with begin() as session:
        with pytest.raises(InputError):
            action(session)
        assert not session.can_undo


def test_the_least_certain_pages_come_first_and_done_ones_last(begin):
    hard = Document("hard", "<p>Sign up</p><p>Share</p><ul><li>One thing</li><li>Another thing</li></ul>", lang="en")
    with begin(*site(2), hard) as session:
        assert session.order == ["page-0", "page-1", "hard"]
        session.rank()
        assert session.order[0] == "hard"
        assert (session.confidence("hard") or 0) < (session.confidence("page-0") or 0)
        assert session.next_page() == "hard"
        session.set_aside("hard", "bad")
        assert session.order[-1] == "hard"
        first = session.next_page()
        assert first is not None
        session.accept(first)
        assert (session.order[-1], session.next_page(first, step=-1)) == (first, "hard")
        assert session.next_page(first) is None


def test_pages_are_read_decoded_and_named_once():
    documents = [
        Document("a", "caf\u00e9 <p>one".encode("latin-1"), charset="latin-1"),
        Document("a", "<p>two"),
        Document("\udcff.html", "<p>odd name"),
        Document("b", None, error="b: gone"),
        Document("c", b"%PDF-1.7 ..."),
    ]
    pages = SessionPages.of(documents)
    assert (pages.ids, pages.page("a").html) == (("a", "a#2", "\\udcff.html"), "café <p>one")
    assert pages.page("a#2").html == "<p>two"
    assert [problem[:2] for problem in pages.problems] == ["b:", "c:"]
    pages.close()


def test_sureness_falls_with_the_entropy_of_the_words():
    import numpy as np

    assert sureness(np.array([1.0, 0.0]), np.array([5, 5])) == pytest.approx(1.0, abs=1e-9)
    assert sureness(np.array([0.5, 0.0]), np.array([30, 10])) == pytest.approx(0.25, abs=1e-9)
    assert sureness(np.zeros(0), np.zeros(0, dtype=int)) == 0.0


def test_text_that_others_gave_stays_until_the_page_is_accepted(begin, tmp_path):
    given = LabelledPage(id="page-0", html=site_page(0), text="What somebody typed.", corpus="labels")
    path = tmp_path / "labels.jsonl"
    CorpusFile(path).put(given)
    for _ in range(2):
        with begin() as session:
            session.set_aside("page-0", "skipped")
            session.mark("page-0", [0], "headline")
            session.undo()
        assert list(read_corpus(path)) == [given]
    with begin() as session:
        session.accept("page-0")
        (labelled,) = read_corpus(path)
        assert labelled.roles is not None
        session.set_aside("page-0", "bad")
        assert list(read_corpus(path)) == []


def test_ids_that_come_again_are_numbered_in_linear_time():
    # Trying every number again for each of them takes minutes.
    pages = SessionPages.of(Document("same", "<p>x") for _ in range(30_000))
    assert (len(set(pages.ids)), pages.ids[:3]) == (30_000, ("same", "same#2", "same#3"))
    pages.close()
