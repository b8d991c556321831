"""Every code block of README and docs is run, or says why not and is parsed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from documented.command_lines import commands_of, problem_of
from documented.command_server import write_client
from documented.fences import ROOT, Fence, documents, fences_of
from documented.running import Session
from documented.scratch import demo_records, names_of, write_scratch

pytest.importorskip("sqlalchemy", reason="some blocks need the extra monitor")

from blockfeat.monitor.demo import DemoServer

_NAMES = [str(path.relative_to(ROOT)) for path in documents()]


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Serve a demo page under every path: the example.org of the documents."""
    page = demo_records()[1]["html"].encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Give shells the command blockfeat, served by one process, and a demo server."""
    folder = tmp_path_factory.mktemp("bin")
    address = folder / "socket"
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "documented" / "command_server.py"), str(address)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,
    )
    write_client(folder / "blockfeat", address)
    pip = folder / "pip"  # what it is asked for is checked, nothing is installed
    pip.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    pip.chmod(0o755)
    while not address.exists():
        assert process.poll() is None, "the server of commands did not start"
        time.sleep(0.05)
    with DemoServer() as demo:
        yield {"PATH": path, "BLOCKFEAT_TEST_DEMO_PORT": str(demo.port), "PYTHONPATH": str(ROOT), "COLUMNS": "120"}
    os.killpg(process.pid, signal.SIGKILL)  # commands of a block that took too long, too
    process.wait()


@pytest.mark.parametrize("name", _NAMES)
def test_blocks_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, site: str, environment: dict[str, str]
) -> None:
    fences = fences_of(ROOT / name)
    is_run = any(fence.mark is None for fence in fences)
    names = {}
    if is_run:
        write_scratch(tmp_path, site)
        names = {"__name__": "__main__", **names_of(Path(name).name)}
    monkeypatch.chdir(tmp_path)
    session = Session(tmp_path, site, names, environment)
    for fence in fences:
        session.run(fence)
    for told in session.missing:
        warnings.warn(f"not run, an extra is not installed: {told}", stacklevel=1)


@pytest.mark.parametrize("name", _NAMES)
def test_a_block_that_is_not_run_says_why(name: str) -> None:
    fences = fences_of(ROOT / name)
    assert [fence.place for fence in fences if fence.language == "indented"] == [], "write code in fences"
    assert [fence.place for fence in fences if fence.mark and len(fence.reason) < 8] == []


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("blockfeat extract page.html --modl margin", "No such option: --modl"),
        ("blockfeat extrct page.html", "blockfeat has no command 'extrct'"),
        ("blockfeat monitor report m.toml --formt csv", "No such option: --formt"),
        ("blockfeat monitor m.toml --onc", "No such option: --onc"),
        ("C=x; cat a | blockfeat corpus validat x", "blockfeat corpus has no command 'validat'"),
        ("*/10 * * * *  cd /srv && blockfeat monitor m.toml --twice", "No such option: --twice"),
        ("python -m experiments.nothing", "there is no module experiments.nothing"),
        ("python -m experiments.nested_folds --bye host", "has no option --bye"),
        ("python tools/nothing.py", "there is no tools/nothing.py"),
        ("make nothing JOBS=2", "make has no target nothing"),
        ("pip install 'blockfeat[nothing]'", "blockfeat has no extra nothing"),
    ],
)
def test_what_is_not_run_is_parsed(line: str, problem: str) -> None:
    found = [problem_of(words) for words in commands_of(line)]
    assert any(problem in one for one in found if one), found


def test_a_value_that_a_comment_gives_is_compared(tmp_path: Path) -> None:
    def block(text: str) -> Fence:
        return Fence(ROOT / "README.md", 1, "python", text, None, "")

    session = Session(tmp_path, "", {}, {})
    session.run(block("x = 3\nx + 1   # 4\nx + 2   # more\n"))
    with pytest.raises(AssertionError, match="the document says 5, it is 4"):
        session.run(block("x + 1   # 5\n"))


def test_a_language_that_nothing_runs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="nothing runs 'perl'"):
        Session(tmp_path, "", {}, {}).run(Fence(ROOT / "README.md", 1, "perl", "die", None, ""))
