"""Runs the blocks of one document, one after the other, in one folder, each with the install that its marker names."""

import ast
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from documented.command_lines import commands_of, problem_of
from documented.console import PORTS, end_served, write_client
from documented.environments import Environment, Unavailable, environment_of, extras_of
from documented.fences import ROOT, Fence, installs_named_in
from documented.outputs import difference
from documented.scratch import names_of

_NAMED_FILE = re.compile(r"\A# ([\w.-]+\.toml)\n")
_EXAMPLE = re.compile(r"https://(?:www\.)?example\.org\b")
_PROGRAMS = ("curl", "jq", "sqlite3")  # of the system: blocks that name one wait for a machine that has it
_LONGEST = 600


class _Python:
    """An interpreter with the names of the Python blocks of a document."""

    def __init__(self, environment: Environment, log: Path, folder: Path) -> None:
        self._log = log.open("w+", encoding="utf-8", errors="replace")
        here, there = socket.socketpair()
        script = str(ROOT / "tests" / "documented" / "python_blocks.py")
        self._process = subprocess.Popen(
            [str(environment.programs / "python"), "-I", "-u", script, str(there.fileno())],
            cwd=folder, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
            env=_variables_with(environment.programs) | dict(environment.variables),
        )  # fmt: skip
        there.close()
        self._socket, self._file = here, here.makefile("rw", encoding="utf-8")

    def run(self, text: str, place: str) -> str:
        """Run a block; return what it prints."""
        start = self._log.seek(0, os.SEEK_END)
        print(json.dumps({"text": text, "place": place}), file=self._file, flush=True)
        ready, _, _ = select.select([self._socket], [], [], _LONGEST)
        answer = self._file.readline() if ready else ""
        self._log.seek(start)
        printed = self._log.read()
        assert answer, f"{place}: Python ended, or took longer than {_LONGEST} s:\n{printed[-3000:]}"
        problem = json.loads(answer)
        assert problem is None, f"{problem}\n{printed[-1500:]}".rstrip()
        return printed

    def end(self) -> None:
        """Let it end, as nothing more comes."""
        self._file.close()
        self._socket.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


@dataclass
class Session:
    """What the blocks of a document share: the folder, the namespaces of Python, servers that a block has started.

    ``https://example.org`` is replaced by ``site``, a server of this machine, and documented ports by those of
    ``ports``; both the other way round in what was printed. ``work`` is a folder for what the session itself needs.
    """

    folder: Path
    work: Path
    site: str
    ports: Mapping[int, int]
    environments: Callable[[str], Environment]
    left_out: list[str] = field(default_factory=list)
    _made: dict[str, Environment] = field(default_factory=dict)
    _pythons: dict[str, _Python] = field(default_factory=dict)
    _printed: str | None = None

    def run(self, fence: Fence) -> None:
        """Run a block; an `AssertionError` names its place and what is wrong."""
        if fence.mark == "not code":
            return
        if fence.mark == "output":
            self._compare(fence)
        elif fence.language == "toml":
            self._read_toml(fence)
        elif fence.language == "json":
            json.loads(fence.text)
        else:
            assert fence.is_shell or fence.language == "python", f"{fence.place}: nothing runs {fence.language!r}"
            self._parse(fence)
            self._printed = None
            if fence.mark is None:
                self._run(fence)

    def end(self) -> list[str]:
        """End what still runs; return what did not end well."""
        for python in self._pythons.values():
            python.end()
        return [problem for place in self.work.glob("bin-*") for problem in end_served(place)]

    def _parse(self, fence: Fence) -> None:
        if fence.language == "python":
            ast.parse(fence.text)
            return
        for words in commands_of(fence.text):
            problem = problem_of(words)
            assert problem is None, f"{fence.place}: {problem}"

    def _run(self, fence: Fence) -> None:
        self._check_install(fence)
        try:
            if fence.install not in self._made:
                self._made[fence.install] = self.environments(fence.install)
            for program in _PROGRAMS:
                if re.search(rf"\b{program}\b", fence.text) and shutil.which(program) is None:
                    raise Unavailable(f"{program} is not installed")
        except Unavailable as reason:
            self.left_out.append(f"{fence.place}: {reason}")
            return
        run = self._run_shell if fence.is_shell else self._run_python
        self._printed = self._as_documented(run(fence, self._made[fence.install], self._here(fence.text)))

    def _check_install(self, fence: Fence) -> None:
        """A reader has been told to install what a block is run with, in a line before it or in it."""
        extras = extras_of(fence.install)
        lines = fence.path.read_text(encoding="utf-8").splitlines()[: fence.line + fence.text.count("\n")]
        told = extras in installs_named_in("\n".join(lines)) or not extras
        assert told, f"{fence.place}: no line above installs blockfeat[{fence.install}]"
        other = [one for one in installs_named_in(re.sub(r"#.*", "", fence.text)) if one != extras]
        installed = ",".join(sorted(other[0])) if other else ""
        assert not other, f"{fence.place}: it installs blockfeat[{installed}], and names {fence.install}"

    def _run_shell(self, fence: Fence, environment: Environment, text: str) -> str:
        """Run by bash, which stops at the first command that fails."""
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", re.sub(r"\bpython (tools|examples)/", rf"python {ROOT}/\1/", text)],
            cwd=self.folder, env=self._variables(fence.install, environment), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_LONGEST, check=False,
        )  # fmt: skip
        printed = done.stdout.decode(errors="replace")
        assert done.returncode == 0, f"{fence.place} ends with {done.returncode}:\n{printed[-3000:]}"
        return printed

    def _variables(self, install: str, environment: Environment) -> dict[str, str]:
        """Return the variables of a shell, whose blockfeat serves on free ports, whose pip installs what is there."""
        place = self.work / f"bin-{install}"
        if not place.exists():
            place.mkdir()
            write_client(place, environment.programs / "blockfeat", self.ports)
            pip = place / "pip"
            pip.write_text(f'#!/bin/sh\nexec {environment.programs}/python -m pip "$@" --no-index --quiet\n')
            pip.chmod(0o755)
            (place / ".curlrc").write_text("fail-with-body\n")  # an answer that is an error is one of the block
        variables = _variables_with(place, environment.programs)
        return variables | {"COLUMNS": "120", "CURL_HOME": str(place)} | dict(environment.variables)

    def _run_python(self, fence: Fence, environment: Environment, text: str) -> str:
        python = self._pythons.get(fence.install)
        if python is None:
            log = self.work / f"python-{fence.install}.log"
            python = self._pythons[fence.install] = _Python(environment, log, self.folder)
            python.run(names_of(fence.path.name, fence.install), "names that documents use")
        return python.run(text, fence.place)

    def _read_toml(self, fence: Fence) -> None:
        """Read; what names itself in its first line is written for the blocks behind it."""
        tomllib.loads(fence.text)
        named = _NAMED_FILE.match(fence.text)
        if named:
            (self.folder / named[1]).write_text(self._here(fence.text), encoding="utf-8")

    def _compare(self, fence: Fence) -> None:
        if self._printed is not None:
            problem = difference(fence.text, self._printed, within=float(fence.reason.removeprefix("within ") or 0))
            assert problem is None, f"{fence.place}: {problem}"

    def _here(self, text: str) -> str:
        for documented, port in self.ports.items():
            text = text.replace(f":{documented}", f":{port}")
        return _EXAMPLE.sub(self.site, text)

    def _as_documented(self, text: str) -> str:
        text = text.replace(self.site, "https://example.org")
        for documented, port in self.ports.items():
            text = text.replace(f":{port}", f":{documented}")
        return text


@contextmanager
def new_session(
    place: Path, site: str, environments: Callable[[str], Environment] = environment_of
) -> Iterator[Session]:
    """Begin a session in an empty folder, and end it; servers that do not end well are an `AssertionError`."""
    for name in ("page", "work"):
        (place / name).mkdir()
    session = Session(place / "page", place / "work", site, _free_ports(), environments)
    try:
        yield session
    except BaseException:
        session.end()
        raise
    problems = session.end()
    assert not problems, problems


def _free_ports() -> dict[int, int]:
    """Return a port of this machine for each one that is documented: another program may have that."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in PORTS]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return dict(zip(PORTS.values(), ports, strict=True))


def _variables_with(*programs: Path) -> dict[str, str]:
    """Return the variables of this process with other programs in front, and without its own environment of Python."""
    own = str(Path(sys.executable).parent)
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    places = [place for place in os.environ.get("PATH", "").split(os.pathsep) if place != own]
    return variables | {"PATH": os.pathsep.join([*map(str, programs), *places])}
