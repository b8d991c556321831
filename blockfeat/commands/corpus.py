"""The commands ``blockfeat corpus validate``, ``count`` and ``convert``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.exit_codes import NOTHING_READ, SOME_FAILED
from blockfeat.commands.options import labelled_pages

HELP = "Check, count and convert labelled pages."
"""What the group of these commands is for."""


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
    from blockfeat.data import convert, parse_fields, write_corpus

    problems: list[str] = []
    renamed = parse_fields(fields) if fields else None
    pages = convert(source, layout, lang, gold=gold, fields=renamed, problems=problems)
    written = write_corpus(pages, output)
    for problem in problems:
        console.error(problem)
    console.show(f"{written} pages written: {output}")
    if problems:
        raise typer.Exit(SOME_FAILED if written else NOTHING_READ)
