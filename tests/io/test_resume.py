"""Interrupted runs: what is done stays, what failed is tried again, nothing is lost."""

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat import Extractor
from blockfeat.commands.batch import Target
from blockfeat.errors import ResumeError
from blockfeat.io import resume as resuming
from blockfeat.io.batch import StreamWriter, Tally, run
from blockfeat.io.inputs.options import as_read
from blockfeat.io.outputs.formats import Formatter, Rendered
from blockfeat.io.resume import Resumption, check_same_run, run_record
from blockfeat.page.document import Document
from pages import article_page


@pytest.fixture(scope="module")
def renderer() -> Formatter:
    return Formatter(Extractor.load("thresholds"), format="json")


def documents(count: int, *, bad: frozenset[int] = frozenset({3})) -> Iterator[Document]:
    for number in range(count):
        yield Document(id=f"page {number}", data=b"%PDF-1" if number in bad else article_page(2))


def resume(path: Path, pages: Iterator[Document], work: Formatter, *, jobs: int = 1) -> list[str]:
    """Resume a run; return the identifiers of the documents that were extracted."""
    seen: list[str] = []
    resumed = Resumption(path)
    run(resumed.remaining(pages), work, resumed, jobs=jobs, on_document=lambda rendered: seen.append(rendered.id))
    return seen


@pytest.mark.parametrize("cut", [0, 1, 40, 3000, 10**9])
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_goes_on_where_it_stopped(renderer: Formatter, tmp_path: Path, cut: int, jobs: int) -> None:
    path = tmp_path / "out.jsonl"
    run(documents(10), renderer, StreamWriter(path.open("wb"), True))
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    done = {json.loads(line)["id"] for line in whole[:cut].splitlines()[:-1] if b'"error": null' in line}
    seen = resume(path, documents(10), renderer, jobs=jobs)
    assert path.read_bytes() == whole
    assert "page 3" in seen
    assert not done & set(seen)
    assert list(tmp_path.iterdir()) == [path]


@given(st.lists(st.booleans(), max_size=8), st.integers(0, 4), st.lists(st.integers(0, 12), max_size=4), st.booleans())
def test_kills_at_any_moment_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, failed: list[bool], new: int, stops: list[int], torn: bool
) -> None:
    path = tmp_path_factory.mktemp("run") / "out.jsonl"
    names = [f"p{number}" for number in range(len(failed) + new)]
    found = ({"id": name, "error": "bad" if bad else None} for name, bad in zip(names, failed, strict=False))
    path.write_text("".join(json.dumps(record) + "\n" for record in found))
    done = {name for name, bad in zip(names, failed, strict=False) if not bad}
    for stop in [*stops, None]:
        writer = Resumption(path)
        assert writer.done == len(done)
        pages = writer.remaining(Document(name, "x") for name in names)
        for count, document in enumerate(pages):
            if count == stop:
                break
            assert document.id not in done
            writer.write(Rendered(document.id, json.dumps({"id": document.id, "error": None}) + "\n", None))
            done.add(document.id)
        else:
            writer.close()
        if torn and stop is not None:
            with max(path.parent.iterdir(), key=lambda file: file.suffix == ".part").open("ab") as file:
                file.write(b'{"id": "torn')
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == names
    assert done == set(names)


def test_names_with_bytes_that_are_no_text_are_resumed(renderer: Formatter, tmp_path: Path) -> None:
    pages = [Document(id=id, data=article_page(2)) for id in ("\udcff.html", "a\0b", "line\r\nend", "new")]
    path = tmp_path / "out.jsonl"
    run(iter(pages[:3]), renderer, StreamWriter(path.open("wb"), True))
    assert resume(path, iter(pages), renderer) == ["new"]


def test_other_inputs_are_not_resumed(renderer: Formatter, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    run(documents(3), renderer, StreamWriter(path.open("wb"), True))
    path.write_text(path.read_text().replace('"id": "', '"id": "./'))
    for other, reason in ((iter([Document(id="other", data="<p>")] * 3), "line 1"), (documents(2), "line 3 .* any ")):
        with pytest.raises(ResumeError, match=reason):
            resume(path, other, renderer)
    path.write_text("no json\n")
    with pytest.raises(ResumeError, match="line 1"):
        resume(path, documents(2), renderer)


def test_a_run_that_stops_leaves_the_old_result_and_says_how_to_go_on(
    renderer: Formatter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.jsonl"
    for name in ("out.jsonl", "out.jsonl.part", "out.jsonl.new.run.json", "out.jsonl.new", "out.jsonl.new.part"):
        (tmp_path / name).write_text("old")
    target, tally = Target(output, is_folder=False, format="json"), Tally()
    with suppress(KeyboardInterrupt), target.begun(documents(2), renderer, {}, tally, resume=False) as (pages, writer):
        writer.write(renderer(as_read(next(pages))))
        raise KeyboardInterrupt
    assert output.read_text() == "old"
    assert capsys.readouterr().err.endswith("out.jsonl.new; --resume continues it\n")
    with target.begun(documents(2), renderer, {}, tally, resume=True) as (pages, writer):
        run(pages, renderer, writer)
    assert tally.earlier == 1
    assert [json.loads(line)["id"] for line in output.read_bytes().splitlines()] == ["page 0", "page 1"]
    for name in ("csv", "parquet"):  # a table of a header alone is of no use
        target = Target(tmp_path / "out", is_folder=False, format=name)
        with suppress(KeyboardInterrupt), target.begun(documents(2), renderer, {}, Tally(), resume=False):
            raise KeyboardInterrupt
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "out.jsonl.run.json"]


def test_a_run_is_resumed_with_its_record_model_and_options_only(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    thresholds, margin = Extractor.load("thresholds").model, Extractor.load("margin").model
    made = run_record(thresholds, {"favour": "recall", "lang": None})
    resuming.write_run_record(made, path)
    check_same_run(made, path)
    for other, message in (
        (run_record(margin, {"favour": "recall"}), "model thresholds, not margin"),
        (run_record(thresholds, {}), 'favour "recall", not by default'),
        (run_record(thresholds, {"favour": "recall", "lang": "de"}), 'lang by default, not "de"'),
    ):
        with pytest.raises(ResumeError, match=message):
            check_same_run(other, path)
    for content in ("", "[]", "{}", '{"schema": 99}', "[" * 100_000):
        resuming.run_record_path(path).write_text(content)
        with pytest.raises(ResumeError, match=r"out\.jsonl\.run\.json"):
            check_same_run(made, path)
    with pytest.raises(ResumeError, match="missing"):
        check_same_run(made, tmp_path / "other.jsonl")
