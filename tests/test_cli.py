"""The command line, as a user calls it: in this process, where the process is not the point."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from blockfeat import __version__
from blockfeat.compiled import uncompiled_modules
from cases import CASES
from command_line import call as blockfeat
from pages import BRAND, SENTENCES, article_page
from warc_file import write_warc

_TIMES = re.compile(r"[\d.,]+ s, [\d.,]+ pages a second")


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(article_page(), encoding="utf-8")
    return path


def test_version_and_help() -> None:
    version = blockfeat("--version").stdout.strip()
    slow = ", ".join(uncompiled_modules())
    assert version.startswith(f"blockfeat {__version__} ({'pure Python (slow): ' if slow else 'compiled)'}")
    assert slow.count(",") > 2 or slow in version
    listed = blockfeat("--help").stdout
    assert all(command in listed for command in ("extract", "train", "evaluate", "explain", "models", "corpus"))


def _modules_of(*words: str | Path) -> set[str]:
    """Return the modules that a command has imported when it is done."""
    code = (
        "import sys, blockfeat.cli\n"
        f"sys.argv = ['blockfeat', *{[str(word) for word in words]!r}]\n"
        "try:\n    blockfeat.cli.main()\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=600, check=True)
    return set(done.stderr.decode().split())


_HEAVY = {"spacy", "pyswarms", "matplotlib", "pandas", "scipy", "torch", "httpx2", "pyarrow", "fastwarc", "pydantic"}


def test_a_result_stands_in_the_folder_that_is_read_and_no_page_of_it_is_overwritten(page: Path) -> None:
    folder, result = page.parent, page.with_name("out.jsonl")
    for _ in range(2):
        assert blockfeat("extract", folder, "-o", result, "--quiet").returncode == 0
        assert len(result.read_text().splitlines()) == 1
    other = folder / "own.jsonl"
    other.write_text(json.dumps({"html": article_page()}))
    for command in ("clean", "evaluate --corpus"):
        before = other.read_bytes()
        assert blockfeat(*command.split(), other, "-o", other).returncode == 2
        assert other.read_bytes() == before
    for target in (other, page):
        before = target.read_bytes()
        assert blockfeat("extract", folder, "-o", target).returncode == 2
        assert target.read_bytes() == before


def test_help_of_a_terminal_of_many_columns_is_not_filled_with_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20000000")
    assert len(blockfeat("--help").stdout) < 50_000


def test_help_loads_nothing_heavy() -> None:
    loaded = _modules_of("extract", "--help") | _modules_of("--help")
    assert not loaded & {*_HEAVY, "numpy", "lxml", "asyncio", "socket"}


def test_extract_loads_nothing_that_it_does_not_need(page: Path) -> None:
    loaded = _modules_of("extract", page, "--model", "default", "--quiet")
    assert "numpy" in loaded
    assert not loaded & {*_HEAVY, "rich", "logging", "multiprocessing", "socket", "typer", "asyncio"}
    assert not {name for name in loaded if name.startswith(("blockfeat.training", "blockfeat.training.evaluation"))}
    assert "blockfeat.commands.train" not in loaded
    assert "typer" in _modules_of("extract", page, "--headline")


_CALLS = (
    "page.html | page.html empty.html nowhere.html | page.html --format markdown empty.html | folder | pages.jsonl | "
    "-f json page.html nowhere.html | nowhere.html | empty.html | folder -f nothing | page.html --format | - | "
    "-- page.html | page.html -f xml -f html | -q empty.html -m thresholds page.html | -m nothing page.html | "
    "page.html -m | --quiet --quiet page.html | page.html --model -q | - --quiet"
)


@pytest.mark.parametrize("words", [*map(str.split, _CALLS.split(" | ")), [], [""]], ids=" ".join)
def test_the_plain_way_is_the_full_one(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.html").touch()
    Path("folder").mkdir()
    Path("folder", "page.html").write_text(article_page(3), encoding="utf-8")
    Path("folder", "picture.png").write_bytes(b"\x89PNG")
    Path("pages.jsonl").write_text(json.dumps({"id": "a", "html": article_page()}) + "\n{\n", encoding="utf-8")
    plain = blockfeat("extract", *words, given=article_page())
    # An option that changes nothing, which only typer reads.
    full = blockfeat("extract", "--jobs", "1", *words, given=article_page())
    assert (plain.returncode, plain.stdout) == (full.returncode, full.stdout)
    assert _TIMES.sub("", plain.stderr) == _TIMES.sub("", full.stderr)


def test_the_plain_way_ends_as_the_full_one_where_nobody_reads(page: Path) -> None:
    for options in ([], ["--jobs", "1"]):
        call = [sys.executable, "-m", "blockfeat", "extract", *([page] * 300), *options]
        with subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            assert running.stderr.read() == b""
        assert running.returncode == 0


def test_extract_from_a_file_and_from_stdin(page: Path) -> None:
    for done in (blockfeat("extract", page), blockfeat("extract", given=article_page())):
        assert done.returncode == 0
        assert SENTENCES[0] in done.stdout
        assert BRAND not in done.stdout
    for format, expected in (("markdown", "harbour council"), ("html", "<p>"), ("xml", "<TEI")):
        assert expected in blockfeat("extract", page, "--format", format).stdout


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_damaged_archive_ends_with_1_and_a_mended_one_is_resumed(tmp_path: Path, jobs: str) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    pages = [article_page(number).encode() for number in range(3, 9)]
    begin = write_warc(tmp_path / "a.warc.gz", pages[:2]).stat().st_size
    path = write_warc(tmp_path / "a.warc.gz", pages)
    whole = path.read_bytes()
    path.write_bytes(whole[: begin + 200] + b"damage" + whole[begin + 206 :])
    words = ("extract", path, "-o", tmp_path / "out.jsonl", "--jobs", jobs)
    damaged = blockfeat(*words)
    assert (damaged.returncode, "5 ok, 1 failed (damaged from this byte on: 1)" in damaged.said) == (1, True)
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    gaps = [record["id"] if record["error"] else "" for record in map(json.loads, lines)]
    assert gaps == ["", "", f"{path}@{begin}", "", "", ""]
    assert blockfeat(*words, "--resume").returncode == 1
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines() == lines
    path.write_bytes(whole)
    assert blockfeat(*words, "--resume").returncode == 0
    mended = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"][-1] for line in mended] == list("012345")


def test_json_lines_in_and_out_with_one_bad_page(tmp_path: Path) -> None:
    source = tmp_path / "pages.jsonl"
    lines = [json.dumps({"id": f"p{number}", "html": article_page()}) for number in range(5)]
    lines[2] = "{broken"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    target = tmp_path / "out.jsonl"
    done = blockfeat("extract", source, "--format", "json", "--output", target, "--jobs", "2")
    records = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert done.returncode == 1
    assert "pages.jsonl" in done.stderr
    assert [bool(record["error"]) for record in records] == [False, False, True, False, False]
    again = blockfeat("extract", source, "--format", "json", "--output", target, "--resume")
    assert again.returncode == 1
    assert "4 done earlier" in again.stderr
    lines[2] = lines[1].replace("p1", "pages.jsonl:3")
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = blockfeat("extract", source, "--output", target, "--resume", "--favour", "recall")
    assert other.returncode == 2
    assert "the run was made with favour by default" in other.stderr
    assert len(target.read_text(encoding="utf-8").splitlines()) == 5


@pytest.mark.parametrize(("words", "code", "told"), CASES["exit_codes"])
def test_exit_codes(page: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], code: int, told: str) -> None:
    monkeypatch.chdir(page.parent)
    Path("empty").mkdir()
    Path("empty.html").touch()
    Path("empty.jsonl").touch()
    done = blockfeat(*words)
    assert (done.returncode, told in done.said, "Traceback" in done.stderr) == (code, True, False)


def test_explain(tmp_path: Path, page: Path) -> None:
    html = tmp_path / "missing" / "explained.html"
    done = blockfeat("explain", page, "--output", html)
    assert (done.returncode, done.stdout) == (0, f"written: {html}\n")
    shown = blockfeat("explain", page, "--model", "thresholds").stdout
    assert ("stop-word ratio" in shown, "blocks kept" in shown) == (True, True)
    assert BRAND in html.read_text(encoding="utf-8")
    headline = blockfeat("explain", page, "--headline", "--favour", "recall", "--no-tables", "--comments").stdout
    assert headline not in ("", blockfeat("explain", page).stdout)


def test_many_pages_are_explained_as_the_output_is_named(tmp_path: Path, page: Path) -> None:
    pages = (page, tmp_path / "nowhere.html", page)
    shown = blockfeat("explain", *pages)
    assert (shown.returncode, shown.stdout.count("blocks kept"), "1 failed" in shown.said) == (1, 2, True)
    assert blockfeat("explain", *pages, "-o", tmp_path / "e.json", "-q").returncode == 1
    records = [json.loads(line) for line in (tmp_path / "e.json").read_text(encoding="utf-8").splitlines()]
    assert [bool(record.get("blocks")) for record in records] == [True, False, True]
    for output in ("e.html", "folder/"):
        assert blockfeat("explain", page, page, "-o", output, folder=tmp_path).returncode == 0
    assert (tmp_path / "e.html").read_text(encoding="utf-8").count("<iframe") == 2
    assert len([*(tmp_path / "folder").iterdir()]) == 2
    assert ".html, .json, or a folder" in blockfeat("explain", page, "-o", tmp_path / "e.md").said


def test_corpora_are_converted_and_checked(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(article_page(), encoding="utf-8")
    (tmp_path / "a.txt").write_text("\n".join(SENTENCES), encoding="utf-8")
    target = tmp_path / "made.jsonl"
    assert blockfeat("corpus", "convert", tmp_path, "-o", target, "--lang", "en").returncode == 0
    assert blockfeat("corpus", "validate", target).returncode == 0
    target.write_text("{broken\n", encoding="utf-8")
    assert blockfeat("corpus", "validate", target).returncode == 126


def test_evaluate_favours_precision_or_recall_and_counts_the_headline(tmp_path: Path) -> None:
    found = []
    for options in (("precision",), ("recall",), ("precision", "--headline")):
        scores = tmp_path / "scores.json"
        words = ("evaluate", "--corpus", "demo", "--lang", "de", "--quiet", "--output", scores, "--favour", *options)
        done = blockfeat(*words)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(scores.read_text(encoding="utf-8"))["all"])
    precise, complete, headline = found
    assert precise["precision"] > complete["precision"]
    assert precise["recall"] < complete["recall"]
    assert headline["recall"] > precise["recall"]


def test_json_lines_on_standard_input_are_told_from_a_page() -> None:
    lines = "".join(json.dumps({"id": f"p{number}", "content": article_page()}) + "\n" for number in range(3))
    done = blockfeat("extract", "--format", "json", "--fields", "html=content", given=lines)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["p0", "p1", "p2"]
    assert done.returncode == 0
    assert done.stderr.startswith("blockfeat: 3 pages: 3 ok; ")
    assert "content" in blockfeat("extract", given=lines).stderr
    page = blockfeat("extract", "--format", "json", "--input-format", "html", given=lines)
    assert [json.loads(line)["id"] for line in page.stdout.splitlines()] == ["-"]


def test_an_output_is_a_file_unless_it_is_called_a_folder(tmp_path: Path, page: Path) -> None:
    assert blockfeat("extract", page, "--output", tmp_path / "result1").returncode == 0
    assert (tmp_path / "result1").is_file()
    assert blockfeat("extract", page, "--output", f"{tmp_path / 'result2'}/", "--format", "markdown").returncode == 0
    assert [path.suffix for path in (tmp_path / "result2").iterdir()] == [".md"]
    assert blockfeat("extract", page, "--output", tmp_path / "result2").returncode == 0
    assert len(list((tmp_path / "result2").iterdir())) == 2
    for wrong in (tmp_path / "out.jsonl.gz", page):
        assert blockfeat("extract", page, "--output", wrong).returncode == 2
    assert blockfeat("extract", page, "--format", "csv", "--output", tmp_path / "result2").returncode == 2


def test_a_table_by_suffix(tmp_path: Path, page: Path) -> None:
    target = tmp_path / "out.csv"
    assert blockfeat("extract", page, "--output", target, "--text", "markdown", "--front-matter").returncode == 0
    with target.open(encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert (row["id"], "body" in row, row["text"].startswith("'---\n")) == (str(page), False, True)
    assert SENTENCES[0] in row["text"]


def test_what_a_folder_holds_beside_pages_is_said(tmp_path: Path, page: Path) -> None:
    for name in ("notes.txt", "paper.pdf", "more.txt", "README"):
        (tmp_path / name).write_text("no page")
    (tmp_path / "saved").write_text(article_page(), encoding="utf-8")
    done = blockfeat("extract", tmp_path, "--format", "json")
    assert [Path(json.loads(line)["id"]).name for line in done.stdout.splitlines()] == ["page.html", "saved"]
    for told in ("passed over 4 files in folders", "2 .txt", "1 without a suffix"):
        assert told in done.stderr
    assert blockfeat("extract", tmp_path, "--format", "json", "--quiet").stderr == ""


def test_a_summary_counts_failures_by_reason(tmp_path: Path, page: Path) -> None:
    (tmp_path / "paper.html").write_bytes(b"%PDF-1.7")
    done = blockfeat("extract", tmp_path, tmp_path / "nowhere.html")
    assert done.returncode == 1
    *messages, last = done.stderr.splitlines()
    for told in ("3 pages: 1 ok, 2 failed", "no such file or folder: 1", "the bytes are PDF, not HTML: 1"):
        assert told in last
    assert any("paper.html" in message and "PDF" in message for message in messages)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("extract", "-h"), "Usage: "),
        (("monitor", "run", "-h"), "Usage: "),
        (("train", "--help"), "[corpora]"),  # the table of the settings file
        (("models",), "ziegler2007"),
        (("corpus", "count", "demo"), "demo"),
    ],
)
def test_help_and_what_there_is_are_printed(words: tuple[str, ...], printed: str) -> None:
    done = blockfeat(*words)
    assert done.returncode == 0
    assert printed in done.stdout


def test_python_runs_the_package() -> None:
    done = subprocess.run([sys.executable, "-m", "blockfeat", "-h"], capture_output=True, timeout=600, check=True)
    assert b"Usage: " in done.stdout


def test_an_empty_result_says_why(tmp_path: Path) -> None:
    (tmp_path / "menu.html").write_text("<nav><a href=/a>Home</a> <a href=/b>About</a></nav>")
    (tmp_path / "empty.html").write_text("<html></html>")
    done = blockfeat("extract", tmp_path / "menu.html")
    assert (done.returncode, done.stdout.strip()) == (0, "")
    assert done.stderr.startswith(f"blockfeat: {tmp_path / 'menu.html'}: no main text was found on the page: the model")
    assert "the page has no text" in blockfeat("extract", tmp_path / "empty.html").stderr
    assert blockfeat("extract", tmp_path / "menu.html", "--quiet").stderr == ""


def test_a_file_without_markup_is_plain_text_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("name,age\nAnn,31\n", encoding="utf-8")
    (tmp_path / "noise.html").write_bytes(bytes(number * 37 % 256 for number in range(26_000)))
    done = blockfeat("extract", tmp_path / "table.csv")
    assert (done.returncode, done.stdout) == (0, "name,age\nAnn,31\n")
    assert "table.csv: the page has no markup: it is taken as plain text" in done.stderr
    done = blockfeat("extract", tmp_path / "noise.html", tmp_path / "table.csv", "--format", "json")
    refused, taken = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, refused["status"]) == (1, "error")
    assert refused["error"] == "the bytes look binary, not like HTML"
    assert (taken["kind"], taken["confidence"]) == ("other", None)


def test_records_that_hold_an_address_fail_alone(tmp_path: Path) -> None:
    lines = [{"html": "https://example.org/a"}, {"html": "page.html"}, {"html": "<p>The ferry leaves at nine."}]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = blockfeat("extract", tmp_path / "pages.jsonl", "--format", "json")
    assert done.returncode == 1
    errors = [json.loads(line)["error"] for line in done.stdout.splitlines()]
    assert errors[2] is None
    assert "blockfeat.fetch(url)" in errors[0]
    assert "an address, not a page: 1, a path, not a page: 1" in done.stderr


@pytest.mark.parametrize("locale", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}])
def test_tables_go_to_a_terminal_of_any_charset(monkeypatch: pytest.MonkeyPatch, locale: dict[str, str]) -> None:
    for name, value in locale.items():
        monkeypatch.setenv(name, value)
    done = _in_a_process("models")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ziegler2007" in done.stdout


def test_help_is_shown_where_a_terminal_says_that_it_has_no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    assert "Extract the main text" in _in_a_process("extract", "--help").stdout


def _in_a_process(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "blockfeat", *words]
    return subprocess.run(command, capture_output=True, text=True, encoding="latin-1", check=False, timeout=60)
