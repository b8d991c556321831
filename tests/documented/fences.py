"""The fenced blocks of a document, each with its language and the mark in front of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["ROOT", "Fence", "documents", "fences_of"]

ROOT = Path(__file__).parents[2]
_MARK = re.compile(r"<!-- (not run|not code): (.*?) -->\s*\Z", re.DOTALL)
_SHELL = ("", "bash", "console", "sh", "shell")


@dataclass(frozen=True)
class Fence:
    """A block of code; ``mark`` is "not run" or "not code" with its ``reason``, or ``None``. Lines count from 1."""

    path: Path
    line: int
    language: str
    text: str
    mark: str | None
    reason: str

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
    """Return the blocks of a document, indented ones with the language "indented"."""
    return list(_fences(path, MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))))


def _fences(path: Path, tokens: list[Token]) -> Iterator[Fence]:
    before = ""
    for token in tokens:
        if token.type in ("fence", "code_block"):
            language = token.info.partition(" ")[0] if token.type == "fence" else "indented"
            found = _MARK.search(before)
            mark, reason = (found[1], found[2].strip()) if found else (None, "")
            yield Fence(path, (token.map or [0])[0] + 1, language, token.content, mark, reason)
        before = token.content if token.type == "html_block" else ""
