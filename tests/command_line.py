"""The command line called in this process: all that ``blockfeat …`` does, without the start of a program."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import httpx2

from blockfeat.cli import main


@dataclass(frozen=True)
class Called:
    """What a call printed, and its exit code."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        """What was said on standard error, without the frames and line breaks of a terminal."""
        return " ".join(self.stderr.replace("│", " ").split())


@contextmanager
def serving(
    *words: str, folder: Path | None = None, before: str = ""
) -> Iterator[tuple[str, subprocess.Popen[str], list[str]]]:
    """Run a command that serves; yield its address, its process, and what it printed up to there."""
    main_of = f"{before}\nimport sys; from blockfeat.cli import main; sys.argv = ['blockfeat', *sys.argv[1:]]; main()"
    command, pipe = [sys.executable, "-c", main_of, *words, "--port", "0"], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            lines = [process.stdout.readline()]
            while lines[-1] and "http://" not in lines[-1]:
                lines.append(process.stdout.readline())
            found = re.search(r"http://\S+?(?=/(?:mcp)?(?: |$))", lines[-1])
            assert found is not None, process.stderr.read() if process.stderr else ""
            yield found[0], process, lines
        finally:
            process.kill()


@contextmanager
def client_of(url: str, process: subprocess.Popen[str]) -> Iterator[httpx2.Client]:
    """Return a client of a server once that answers."""
    with httpx2.Client(base_url=url, timeout=600, trust_env=False) as client:
        while process.poll() is None:
            try:
                client.get("/")
                break
            except httpx2.ConnectError:
                time.sleep(0.05)
        yield client


def call(
    *words: str | Path, given: str = "", folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> Called:
    """Call ``blockfeat`` with words, what stands on standard input, a working directory, and more variables."""
    with TemporaryDirectory() as kept, ExitStack() as stack:
        names = [Path(kept, name) for name in ("in", "out", "err")]
        names[0].write_text(given, encoding="utf-8")
        # Files, as the command line needs descriptors.
        stdin = stack.enter_context(names[0].open(encoding="utf-8", newline=""))
        stdout, stderr = (stack.enter_context(name.open("w", encoding="utf-8", newline="")) for name in names[1:])
        if folder is not None:
            stack.enter_context(chdir(folder))
        stack.enter_context(patch.dict(os.environ, environment or {}))
        stack.enter_context(patch.object(sys, "argv", ["blockfeat", *map(str, words)]))
        stack.enter_context(patch.object(sys, "stdin", stdin))
        stack.enter_context(redirect_stdout(stdout))
        stack.enter_context(redirect_stderr(stderr))
        try:
            main()
        except SystemExit as end:
            code = end.code
        stdout.flush()
        stderr.flush()
        printed, said = (name.read_bytes().decode() for name in names[1:])
    assert isinstance(code, int), f"an exit code that is no number: {code!r}"
    return Called(code, printed, said)
