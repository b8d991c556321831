"""Checking a corpus file: everything counted, every problem told with its line."""

import json
from pathlib import Path

import pytest

from blockfeat.data import LabelledPage, validate, write_corpus
from blockfeat.data.validate import gold_found
from blockfeat.errors import CorpusError

TEXT = "Der Hafen liegt seit dem Morgen im Nebel, und kein Schiff fährt aus."


def page(number: int, **values: object) -> LabelledPage:
    usual = {"html": f"<title>{number}</title><p>{TEXT}</p>", "text": TEXT, "lang": "de"}
    return LabelledPage(**{"id": str(number), **usual, "url": f"http://a.example/{number}", **values})  # type: ignore[arg-type]


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl.xz"
    snippets = page(2, url="http://b.example/", text=None, present=("Schiff",))
    write_corpus([page(1), snippets, page(3, lang="de-CH", absent=("x",)), page(4, lang=None)], path)
    report = validate(path)
    assert (report.corpus, report.pages, report.hosts, report.ok) == ("good", 4, 2, True)
    assert report.languages == {"de": 3, "unknown": 1}


def test_every_problem_is_told_and_reading_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    records: list[object] = [
        {"id": "1", "html": f"<p>{TEXT}</p>", "text": TEXT},
        {"id": "2", "text": TEXT},
        {"id": "3", "html": " ", "text": TEXT},
        {"id": "4", "html": "<p>4", "text": " "},
        {"id": "5", "html": f"<p>etwas anderes</p><script>{TEXT}</script>", "text": TEXT},
        {"id": "1", "html": "<p>Nebel", "text": "Nebel"},
        {"id": "7", "html": f"<p>{TEXT}</p>", "text": TEXT},
        {"id": "8", "html": "<p>8", "with": ["Leuchtturm"]},
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n{\n")
    report = validate(path)
    assert [(problem.line, problem.kind) for problem in report.problems] == [
        (2, "record"),
        (3, "empty html"),
        (4, "empty gold"),
        (5, "gold not found"),
        (6, "duplicate id"),
        (7, "duplicate html"),
        (8, "gold not found"),
        (9, "record"),
    ]
    assert (report.pages, report.ok) == (7, False)
    assert str(report.problems[5]) == "line 7: '7' has the same html as line 1"


def test_a_damaged_file_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    write_corpus([page(number) for number in range(3)], path)
    path.write_bytes(path.read_bytes()[:-12])
    (problem,) = validate(path).problems
    assert (problem.line, problem.kind) == (0, "file")
    assert "cannot be read" in str(problem)


def test_missing_files_and_wrong_suffixes_are_errors(tmp_path: Path) -> None:
    for name, reason in (("a.jsonl", "no such file"), ("a.csv", "must end in")):
        with pytest.raises(CorpusError, match=reason):
            validate(tmp_path / name)


@pytest.mark.parametrize(
    ("html", "gold", "share"),
    [
        ("<p>one two</p>", "one two three four", 0.5),
        ("<p>one &amp; tw&ouml;", "one twö", 1.0),
        ("<p>你好</p>", "你好", 1.0),
        ("", "one", 0.0),
        ("<p>x", "", 1.0),
    ],
)
def test_gold_found(html: str, gold: str, share: float) -> None:
    assert gold_found(LabelledPage("1", html, gold)) == share
