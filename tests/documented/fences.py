"""The fenced blocks of a document, each with the install that it is run with and the mark in front of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
_MARK = re.compile(r"<!-- (install|not run|not code|output)(?:: (.*?))? -->", re.DOTALL)
_INSTALL_LINE = re.compile(r"pip install (?:-\S+ )*['\"]?blockfeat(?:\[([\w,-]+)\])?(?![\w./-])")
_SHELL = ("", "bash", "console", "sh", "shell")


@dataclass(frozen=True)
class Fence:
    """A block of code. Lines count from 1.

    ``install`` is what the last marker names: extras, "plain", "development", or "". ``mark`` is "not run", "not code"
    or "output" with its ``reason``, or ``None``.
    """

    path: Path
    line: int
    language: str
    text: str
    install: str = ""
    mark: str | None = None
    reason: str = ""

    @property
    def place(self) -> str:
        """File and line, for messages."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"

    @property
    def is_shell(self) -> bool:
        """A block without a language is one of commands."""
        return self.language in _SHELL


def documents() -> list[Path]:
    """Return the documents whose blocks are run."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fences_of(path: Path) -> list[Fence]:
    """Return the blocks of a document, indented ones with the language "indented", and tables that are outputs."""
    text = path.read_text(encoding="utf-8")
    return list(_fences(path, MarkdownIt("commonmark").enable("table").parse(text), text.splitlines(keepends=True)))


def _fences(path: Path, tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Fence]:
    install, marks = "", {}
    for token in tokens:
        if token.type == "html_block":
            marks |= {mark: reason.strip() for mark, reason in _MARK.findall(token.content)}
            install = marks.pop("install", install)
            continue
        if token.type in ("fence", "code_block"):
            language = token.info.partition(" ")[0] if token.type == "fence" else "indented"
            mark, reason = next(iter(marks.items()), (None, ""))
            yield Fence(path, (token.map or [0])[0] + 1, language, token.content, install, mark, reason)
        elif token.type == "table_open" and "output" in marks:
            start, end = token.map or (0, 0)
            text = "".join(["…\n", *lines[start:end], "…\n"])  # a table is a part of what was printed
            yield Fence(path, start + 1, "table", text, install, "output", marks["output"])
        marks = {}


def installs_named_in(text: str) -> list[frozenset[str]]:
    """Return the extras of each line of a text that installs blockfeat, empty where it is installed plainly."""
    return [frozenset(filter(None, extras.split(","))) for extras in _INSTALL_LINE.findall(text)]
