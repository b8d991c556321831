"""Pages of the documentation that a command writes: a template whose sections are computed."""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from blockfeat.errors import InputError

__all__ = ["add_page_options", "fill", "write_page"]

_SLOT = re.compile(r"^\{(\w+)\}$", re.MULTILINE)
_logger = logging.getLogger(__name__)


def fill(template: str, sections: Mapping[str, Callable[[], str]], only: frozenset[str] = frozenset()) -> str:
    """Return a template with each line ``{name}`` replaced by the section of that name.

    Parameters
    ----------
    template : str
        Markdown with slots.
    sections : mapping
        Functions that return Markdown.
    only : frozenset of str
        Sections to compute; the slots of the others stay. All where it is empty.

    Raises
    ------
    InputError
        A slot has no section, or a section no slot.
    """
    slots = _SLOT.findall(template)
    if sorted(slots) != sorted(sections):
        raise InputError(f"the template has slots {slots}, the sections are {list(sections)}")

    def text(match: re.Match[str]) -> str:
        name = match[1]
        if only and name not in only:
            return match[0]
        _logger.info("section %s", name)
        return sections[name]().rstrip("\n")

    return _SLOT.sub(text, template)


def write_page(options: argparse.Namespace, template: Path, sections: Mapping[str, Callable[[], str]]) -> None:
    """Fill a template and write it to the file of ``--output``, or to standard output."""
    text = fill(template.read_text(encoding="utf-8"), sections, frozenset(options.only))
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")


def add_page_options(parser: argparse.ArgumentParser, sections: tuple[str, ...]) -> None:
    """Add ``--only`` and ``--output``."""
    parser.add_argument("--only", choices=sections, nargs="+", default=[], help="sections to compute; all by default")
    parser.add_argument("--output", type=Path, help="file to write; standard output by default")
