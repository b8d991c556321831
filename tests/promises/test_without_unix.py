"""The command line where there is nothing that only Unix has: what Windows lacks is hidden from every process."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blockfeat.data.corpus import demo_pages

# Imported by every interpreter that starts, workers included.
_HIDE = """
import sys
sys.modules.update(dict.fromkeys(("crypt", "fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")))
import asyncio, multiprocessing, os, signal
for module, names in {
    os: "chown fork forkpty getegid geteuid getgid getuid getpgid killpg mkfifo pread pwrite "
    "sched_getaffinity setsid sysconf wait4",
    signal: "SIGALRM SIGHUP SIGPIPE SIGUSR1 SIGUSR2 alarm pause pthread_kill setitimer siginterrupt",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
asyncio.SelectorEventLoop.add_signal_handler = asyncio.AbstractEventLoop.add_signal_handler
multiprocessing.get_all_start_methods = lambda: ["spawn"]
def no_processes(event, arguments):
    if event == "open" and str(arguments[0]).startswith("/proc/"):
        raise FileNotFoundError(2, "no such file", arguments[0])
sys.addaudithook(no_processes)
"""
_CODE = "from blockfeat.cli import main; main()"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a few pages and a corpus, and beside it what hides."""
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding" / "sitecustomize.py").write_text(_HIDE, encoding="utf-8")
    here = tmp_path / "here"
    (here / "pages").mkdir(parents=True)
    records = []
    for page in demo_pages()[:4]:
        (here / "pages" / f"{page.id}.html").write_text(page.html, encoding="utf-8")
        records.append({"id": page.id, "html": page.html, "text": page.text, "url": page.url})
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (here / "own.jsonl").write_text(lines, encoding="utf-8")
    return here


def _environment(folder: Path) -> dict[str, str]:
    path = os.pathsep.join([str(folder.parent / "hiding"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


@contextmanager
def _started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    call, pipe = [sys.executable, "-c", _CODE, *words], subprocess.PIPE
    with subprocess.Popen(call, cwd=folder, env=_environment(folder), stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def _done(folder: Path, *words: str) -> tuple[int | None, str, str]:
    with _started(folder, *words) as process:
        printed, said = process.communicate(timeout=600)
        return process.returncode, printed, said


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("extract", "pages", "--quiet"), "\n"),
        (("extract", "pages", "--jobs", "2", "--format", "json", "--quiet"), '"status"'),
        (("evaluate", "--corpus", "own.jsonl", "--jobs", "2", "--quiet"), "word F1"),
        (("bench", "--corpus", "own.jsonl", "--peers", "none", "--quiet"), "written: bench-output"),
    ],
)
@pytest.mark.rest
def test_a_command_runs(words: tuple[str, ...], printed: str, folder: Path) -> None:
    code, found, said = _done(folder, *words)
    assert (code, said) == (0, "")
    assert printed in found


@pytest.mark.rest
@pytest.mark.parametrize("code", ["import resource", "import fcntl", "import os; os.fork", "open('/proc/self/statm')"])
def test_what_is_hidden_is_not_there(code: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], env=_environment(folder), stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"Error" in done.stderr


@pytest.mark.rest
def test_the_monitor_reads_the_demo_and_stops_by_a_signal(folder: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="needs the extra monitor")
    from blockfeat.monitor.config import example_config
    from blockfeat.monitor.demo import DemoServer

    with DemoServer() as server:
        text = example_config().replace(":8750", f":{server.port}")
        (folder / "monitor.toml").write_text(text, encoding="utf-8")
        code, printed, said = _done(folder, "monitor", "monitor.toml", "--once")
        assert (code, said) == (0, "")
        assert "pages: 64 new" in printed
        assert _done(folder, "monitor", "report", "monitor.toml")[0] == 0
        if os.name == "nt":  # which sends no such signal to one process
            return
        with _started(folder, "monitor", "monitor.toml", "--every", "1h") as process:
            assert process.stdout is not None
            assert re.match("feeds: ", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=600)
            assert process.returncode == 130, said
            assert "finishing the pages in hand" in said
