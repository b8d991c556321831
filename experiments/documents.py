"""Pages of the documentation that a command writes: a template whose sections are computed."""

from __future__ import annotations

import argparse
import logging
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from blockfeat.errors import InputError

__all__ = ["add_page_options", "fill", "kept_sections", "write_page"]

_SLOT = re.compile(r"^\{(\w+)\}$", re.MULTILINE)
_SECTION = re.compile(r"^<!-- section (\w+) -->\n(.*?)\n<!-- end of \1 -->$", re.MULTILINE | re.DOTALL)
_logger = logging.getLogger(__name__)
Sections = Mapping[str, Callable[[], str]]


def fill(template: str, sections: Sections) -> str:
    """Return a template with each line ``{name}`` replaced by the section of that name, between comments.

    Parameters
    ----------
    template : str
        Markdown with slots.
    sections : mapping
        Functions that return Markdown.

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
        return f"<!-- section {name} -->\n{sections[name]().strip()}\n<!-- end of {name} -->"

    return _SLOT.sub(text, template)


def kept_sections(page: str) -> dict[str, str]:
    """Return the sections of a page that `fill` wrote, by name."""
    return dict(_SECTION.findall(page))


def write_page(options: argparse.Namespace, template: Path, sections: Sections) -> None:
    """Fill a template and write it to the file of ``--output``, or to standard output.

    With ``--only``, the other sections stay as the file has them.

    Raises
    ------
    SystemExit
        A section is neither to be computed nor in the file; or there is no file.
    """
    if options.only and options.output is None:
        raise SystemExit("--only needs --output: the page that has the other sections")
    there = options.output is not None and options.output.exists()
    kept = kept_sections(options.output.read_text(encoding="utf-8")) if options.only and there else {}
    missing = [name for name in sections if options.only and name not in options.only and name not in kept]
    if missing:
        raise SystemExit(f"{options.output}: sections {', '.join(missing)} are not there yet: name them with --only")

    def computed(name: str) -> str:
        if options.only and name not in options.only:
            return kept[name]
        _logger.info("section %s", name)
        return sections[name]()

    text = fill(template.read_text(encoding="utf-8"), {name: partial(computed, name) for name in sections})
    write_output(text, options.output)


def write_output(text: str, output: Path | None) -> None:
    """Write a text to a file, or to standard output where none is named."""
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")


def add_page_options(parser: argparse.ArgumentParser, sections: tuple[str, ...]) -> None:
    """Add ``--only`` and ``--output``."""
    parser.add_argument(
        "--only", choices=sections, nargs="+", default=[], help="sections to compute anew in a page that is there"
    )
    parser.add_argument("--output", type=Path, help="file to write; standard output by default")
