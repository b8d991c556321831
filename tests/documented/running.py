"""Runs the blocks of one document, one after the other, in one folder and one namespace."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import tokenize
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from documented.command_lines import commands_of, problem_of
from documented.fences import ROOT, Fence

__all__ = ["Session"]

_ELSEWHERE = re.compile(r"^.*# in another terminal.*\n", re.MULTILINE)
_NAMED_FILE = re.compile(r"\A# ([\w.-]+\.toml)\n")
_LONGEST = 300


@dataclass
class Session:
    """What the blocks of a document share: the folder, the names of Python, the environment of the shell.

    ``https://example.org`` is replaced by ``site``, a server of this machine.
    """

    folder: Path
    site: str
    names: dict[str, Any]
    environment: Mapping[str, str]
    missing: list[str] = field(default_factory=list)

    def run(self, fence: Fence) -> None:
        """Run a block; an `AssertionError` names its place and what is wrong."""
        if fence.mark == "not code":
            return
        if fence.mark == "not run":
            if fence.is_shell:
                self._parse(fence)
            elif fence.language == "python":
                ast.parse(fence.text)
        elif fence.is_shell:
            self._run_shell(fence)
        elif fence.language == "python":
            self._run_python(fence)
        elif fence.language == "toml":
            self._read_toml(fence)
        elif fence.language == "json":
            json.loads(fence.text)
        else:
            raise AssertionError(f"{fence.place}: nothing runs {fence.language!r}: mark it, see CONTRIBUTING.md")

    def _parse(self, fence: Fence) -> None:
        for words in commands_of(fence.text):
            problem = problem_of(words)
            assert problem is None, f"{fence.place}: {problem}"

    def _run_shell(self, fence: Fence) -> None:
        """Run by bash, which stops at the first command that fails; what another terminal runs is only parsed."""
        self._parse(fence)
        script = _ELSEWHERE.sub("", fence.text).replace("https://example.org", self.site)
        script = re.sub(r"\bpython (tools|examples)/", rf"python {ROOT}/\1/", script)
        script = re.sub(r"^\$ ", "", script, flags=re.MULTILINE)
        missing = self.folder / "missing-extra"
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env={**os.environ, **self.environment, "BLOCKFEAT_TEST_MISSING": str(missing)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LONGEST,
            check=False,
        )
        told = (done.stderr or done.stdout).decode(errors="replace")[-1500:]
        assert done.returncode == 0, f"{fence.place} ends with {done.returncode}:\n{told}"
        if missing.exists():
            self.missing.append(f"{fence.place}: {missing.read_text(encoding='utf-8')}")
            missing.unlink()

    def _run_python(self, fence: Fence) -> None:
        """Run statement by statement; a value whose comment is a literal has to be that value."""
        comments = _comments(fence.text)
        for statement in ast.parse(fence.text).body:
            name = f"{fence.place}, line {statement.lineno} of the block"
            if not isinstance(statement, ast.Expr):
                exec(compile(ast.Module([statement], []), name, "exec"), self.names)
                continue
            value = eval(compile(ast.Expression(statement.value), name, "eval"), self.names)
            said = comments.get(statement.end_lineno or 0)
            if said is not None:
                assert value == said[0], f"{name}: the document says {said[0]!r}, it is {value!r}"

    def _read_toml(self, fence: Fence) -> None:
        """Read; what names itself in its first line is written for the blocks behind it."""
        tomllib.loads(fence.text)
        named = _NAMED_FILE.match(fence.text)
        if named:
            text = fence.text.replace(":8750", f":{self.environment.get('BLOCKFEAT_TEST_DEMO_PORT')}")
            (self.folder / named[1]).write_text(text, encoding="utf-8")


def _comments(text: str) -> dict[int, tuple[Any]]:
    """Return the comments that are literals, by line, as tuples of one."""
    found: dict[int, tuple[Any]] = {}
    for token in tokenize.generate_tokens(StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            try:
                found[token.start[0]] = (ast.literal_eval(token.string.removeprefix("#").strip()),)
            except (SyntaxError, ValueError):
                continue
    return found
