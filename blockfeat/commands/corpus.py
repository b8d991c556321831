"""The commands ``blockfeat corpus …``, and the choice of corpora: named, of the settings file, or demo pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from blockfeat._files import is_same_file
from blockfeat.commands import console
from blockfeat.commands.console import NOTHING_READ, SOME_FAILED
from blockfeat.commands.options import labelled_pages, language
from blockfeat.errors import ConfigError

HELP = "Check, count and convert labelled pages."
"""Help text of the command group."""


def validate(paths: Annotated[list[str], typer.Argument(help="Corpus files.")]) -> None:
    """Check corpus files record by record."""
    from blockfeat.data import validate

    reports = [validate(path) for path in paths]
    for report in reports:
        problems = len(report.problems)
        console.show(f"{report.path}: {report.pages} pages, {report.hosts} hosts, {problems} problems")
        for problem in report.problems:
            console.show(f"  {problem}")
    if not all(report.ok for report in reports):
        raise typer.Exit(SOME_FAILED if any(report.pages for report in reports) else NOTHING_READ)


def count(paths: Annotated[list[str], typer.Argument(help="Corpus files, or 'demo'.")]) -> None:
    """Count the pages of corpora by language."""
    counts: dict[str, Counter[str]] = {}
    for page in labelled_pages(paths):
        counts.setdefault(page.corpus, Counter())[page.lang or "unknown"] += 1
    rows = [
        [corpus, str(found.total()), ", ".join(f"{lang} {pages}" for lang, pages in found.most_common())]
        for corpus, found in counts.items()
    ]
    console.show_table("", ["corpus", "pages", "languages"], rows)


def convert(
    source: Annotated[Path, typer.Argument(help="Folder or file to convert.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Corpus file to write.")],
    layout: Annotated[str, typer.Option(help="folders, cleaneval or jsonl.")] = "folders",
    gold: Annotated[Path | None, typer.Option(help="Folder of the gold texts, if it is another one.")] = None,
    lang: Annotated[str | None, typer.Option(help="Language of all pages.")] = None,
    fields: Annotated[str | None, typer.Option(help="For jsonl, names of the fields: html=body,text=content.")] = None,
) -> None:
    """Convert another layout of labelled pages to a corpus file."""
    from blockfeat.data import LAYOUTS, convert, parse_fields, write_corpus

    problems: list[str] = []
    console.check_choice(layout, LAYOUTS, "--layout")
    if is_same_file(source, output):
        raise console.wrong(f"{output} is what is converted", "--output")
    renamed = parse_fields(fields) if fields else None
    pages = convert(source, layout, lang and language(lang), gold=gold, fields=renamed, problems=problems)
    written = write_corpus(pages, output)
    for problem in problems:
        console.error(problem)
    console.show(f"{written} pages written: {output}")
    if problems:
        raise typer.Exit(SOME_FAILED if written else NOTHING_READ)


DEMO = "demo"


def choose_corpora(named: Sequence[str], files: Sequence[Path]) -> tuple[list[Path | str], str]:
    """Return the corpora that are named, or those of the first settings file with some, or the demo pages.

    Parameters
    ----------
    named : sequence of str
        Paths of corpus files, ``"demo"``, or names from ``[corpora]`` of a settings file.
    files : sequence of Path
        Settings files, of which the first one with ``[corpora]`` is used; missing ones are skipped.

    Returns
    -------
    corpora : list of Path or str
        The corpus files, behind ``"demo"`` where the demo pages are among them.
    origin : str
        Where they were named, for messages.

    Raises
    ------
    ConfigError
        A settings file is not TOML, or its ``[corpora]`` does not hold paths; the message names file and key.
    """
    found = console.settings_of("corpora", files)
    listed = {name: _paths(found[0], name, value) for name, value in found[1].items()} if found else {}
    chosen: list[Path | str] = [DEMO] if DEMO in named or not (named or found) else []
    for name in named or listed:
        if name != DEMO:
            chosen += listed[name] if name in listed and not (named and Path(name).exists()) else [Path(name)]
    return chosen, "--corpus" if named else str(found[0]) if found else "the bundled demo pages"


def _paths(file: Path, name: str, value: Any) -> list[Path]:
    """Return the paths of one entry: a path, or an array of them."""
    entries = value if isinstance(value, list) else [value]
    if not entries or not all(isinstance(entry, str) for entry in entries):
        raise ConfigError(f"{file}: 'corpora.{name}' must be a path or an array of paths, not {value!r}")
    return [file.parent / Path(entry).expanduser() for entry in entries]
