"""Exit codes and messages of the command line where input, output or options are wrong."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from blockfeat._files import written_alone
from cases import CASES
from pages import SENTENCES, article_page

_CALL = [sys.executable, "-c", "from blockfeat.cli import main; main()"]
_PATHS = [str(Path(blockfeat.__file__).parent.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
# As users have it: what is printed is buffered, whatever the tests run with.
_ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
_ENVIRONMENT |= {"PYTHONPATH": os.pathsep.join(_PATHS)}
_FULL = Path("/dev/full")
_NEEDS_FULL = pytest.mark.skipif(not _FULL.exists(), reason="this system has no /dev/full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a page, a small corpus, and a regular file that no path can lead through."""
    folder = tmp_path_factory.mktemp("exit")
    (folder / "page.html").write_text(article_page(), encoding="utf-8")
    page = {"html": article_page(), "text": SENTENCES[0]}
    records = [page | {"id": f"p{n}", "url": f"http://h{n}.example/"} for n in (1, 2)]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n", encoding="utf-8")
    (folder / "file").write_text("a regular file", encoding="utf-8")
    return folder


def _run(folder: Path, *words: str, output: Path | None = None) -> tuple[int, list[str]]:
    """Run a command in a folder; return its exit code and the lines on standard error."""
    settings: dict[str, Any] = {"cwd": folder, "env": _ENVIRONMENT, "timeout": 600, "check": False}
    with open(output or os.devnull, "wb") as stdout:
        done = subprocess.run([*_CALL, *words], stdout=stdout, stderr=subprocess.PIPE, **settings)
    return done.returncode, done.stderr.decode().splitlines()


@_NEEDS_FULL
@pytest.mark.parametrize("words", CASES["a_full_disk_behind_standard_output_is_one_line"])
def test_a_full_disk_behind_standard_output_is_one_line(folder: Path, words: str) -> None:
    code, lines = _run(folder, *words.split(), output=_FULL)
    where = "/dev/full" if "/dev/full" in words else "standard output"
    where = "" if words == "--help" else f"{where}: cannot be written: "
    assert (code, lines) == (126, [f"blockfeat: {where}No space left on device"])


@_NEEDS_FULL
def test_a_full_disk_behind_standard_error_fails_no_page(folder: Path) -> None:
    words = [*_CALL, "extract", "pages.jsonl", "--format", "json"]
    with _FULL.open("wb") as full:
        done = subprocess.run(words, cwd=folder, env=_ENVIRONMENT, stdout=subprocess.PIPE, stderr=full, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)


@pytest.mark.skipif(os.name == "nt", reason="closed as a shell of Unix does it")
@pytest.mark.parametrize(("closed", "said"), [("<&-", "-: "), (">&-", "standard output: cannot be written: ")])
@pytest.mark.parametrize("options", ["", "-f json --jobs 2"])
def test_a_closed_stream_is_one_line(folder: Path, closed: str, said: str, options: str) -> None:
    words = ["sh", "-c", f'"$0" "$@" {closed}', *_CALL, "extract", *options.split()]
    words += ["page.html"] if closed == ">&-" else []
    done = subprocess.run(words, cwd=folder, env=_ENVIRONMENT, timeout=600, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (126, f"blockfeat: {said}Bad file descriptor\n")


@pytest.mark.skipif(os.name == "nt", reason="a folder that is in use stays there")
@pytest.mark.parametrize(
    ("output", "named"), [("x.jsonl", "x.jsonl: cannot be written"), ("x.csv", "the current folder")]
)
def test_a_current_folder_that_is_gone_is_one_line(folder: Path, output: str, named: str) -> None:
    (folder / "gone").mkdir()
    words = ["sh", "-c", 'cd gone && rmdir ../gone && "$0" "$@"', *_CALL, "extract", str(folder / "page.html")]
    done = subprocess.run([*words, "-o", output], cwd=folder, env=_ENVIRONMENT, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (126, f"blockfeat: {named}: No such file or directory\n")


@pytest.mark.skipif(os.name == "nt", reason="an open file keeps its name there")
@pytest.mark.parametrize("options", ["alone.jsonl", "alone.jsonl --resume", "alone.csv"])
def test_a_file_that_another_run_writes_is_left_to_it(folder: Path, options: str) -> None:
    output = folder / options.split()[0]
    words = ("extract", "pages.jsonl", "-q", "-o", *options.split())
    assert _run(folder, *words) == (0, [])
    output.with_name(output.name + ".new").write_bytes(b"half")
    with written_alone(output):
        before = {path: path.read_bytes() for path in folder.glob("alone*")}
        assert _run(folder, *words) == (126, [f"blockfeat: {output.name}: another run is writing it"])
        assert {path: path.read_bytes() for path in folder.glob("alone*")} == before
    assert _run(folder, *words) == (0, [])
    assert not list(folder.glob(".alone*"))


def test_a_name_does_nothing_to_the_terminal(folder: Path) -> None:
    code, lines = _run(folder, "extract", "\x1b]0;x\a\u202eé\u200c\x9b")
    shown = r"\x1b]0;x\x07\u202e" + "é\u200c" + r"\x9b"
    assert (code, lines) == (126, [f"blockfeat: {shown}: no such file or folder"])


@pytest.mark.parametrize("output", ["x.txt", "old.txt", "x.html", "x.jsonl", "old.jsonl", "x/", "file/x.jsonl"])
def test_what_reads_nothing_leaves_nothing(folder: Path, output: str) -> None:
    (folder / "void").mkdir(exist_ok=True)
    for name in ("old.txt", "old.jsonl"):
        (folder / name).write_text("old", encoding="utf-8")
    before = sorted(folder.rglob("*"))
    assert _run(folder, "extract", "void", "--output", output)[0] == 126
    assert sorted(folder.rglob("*")) == before
    assert (folder / "old.txt").read_text("utf-8") == (folder / "old.jsonl").read_text("utf-8") == "old"


@pytest.mark.parametrize("words", CASES["a_path_that_cannot_be_written_is_one_line_that_names_it"])
def test_a_path_that_cannot_be_written_is_one_line_that_names_it(folder: Path, words: str) -> None:
    code, (line,) = _run(folder, *words.split())
    assert (code, line.startswith("blockfeat: file/")) == (126, True)
    assert line.endswith(("Not a directory", "file is no folder", "File exists"))


@pytest.mark.parametrize("words", ["models", "--help", "extract page.html" + " pages.jsonl" * 50, "corpus count demo"])
@pytest.mark.parametrize("is_closed_at_once", [True, False])
def test_a_broken_pipe_is_no_failure(folder: Path, words: str, is_closed_at_once: bool) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([*_CALL, *words.split()], stdout=pipe, stderr=pipe, cwd=folder, env=_ENVIRONMENT) as process:
        if not is_closed_at_once:
            assert process.stdout.readline()
        process.stdout.close()
        messages = process.stderr.read()
        assert (process.wait(timeout=600), messages) == (0, b"")


def _wait_until_it_waits(pid: int) -> None:
    """Wait until a process sleeps: Python may lose a Ctrl-C that comes while it imports a module."""
    asleep = 0
    while asleep < 5:
        time.sleep(0.05)
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        asleep = asleep + 1 if state == "S" else 0


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C, again where a loaded machine lost it to an import, until the process ends."""
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=30)
            return
    process.kill()


def test_ctrl_c_is_130_and_one_line(folder: Path) -> None:
    # The second input, standard input, never ends.
    call = [*_CALL, "extract", "page.html", "-", "--format", "json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(call, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=_ENVIRONMENT) as process:
        assert process.stdout.readline()
        _wait_until_it_waits(process.pid)
        _interrupt(process)
        assert (process.returncode, process.stderr.read()) == (130, b"blockfeat: stopped\n")
