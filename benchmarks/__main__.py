"""Benchmarks of a checkout: ``python -m benchmarks growth|footprint|formats|stages``; ``--help`` says more."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.footprint import cold_start_table, cold_starts, memory_growth
from benchmarks.formats import formats_table, measure_formats
from benchmarks.growth import measure_growth
from benchmarks.stages import profile_stages
from blockfeat.commands.options import labelled_pages
from blockfeat.data.corpus import LabelledPage
from blockfeat.extraction.extractor import Extractor
from blockfeat.training.evaluation.bench import sampled
from blockfeat.training.evaluation.peers import peers_named
from blockfeat.training.evaluation.speed import systems_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark and print its tables."""
    options = _parser().parse_args(arguments)
    for table in options.run(options):
        sys.stdout.write(f"{table}\n\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="growth|footprint|formats|stages")
    growth = commands.add_parser("growth", help="time on synthetic pages from 1 KB to 16 MB, with exponents")
    growth.set_defaults(run=_growth)
    growth.add_argument("--peers", default="none", help="all that are installed, none, or names with commas")
    growth.add_argument("--limit", type=float, default=20.0, metavar="S", help="seconds that one page may take")
    growth.add_argument("--output", type=Path, metavar="FOLDER", help="where growth.csv and growth.png go")
    footprint = commands.add_parser("footprint", help="resident memory over many pages, and cold starts")
    footprint.set_defaults(run=_footprint)
    footprint.add_argument("--pages", type=int, default=10_000, metavar="N", help="pages after the warm-up")
    stages = commands.add_parser("stages", help="process time of each stage of the chain")
    stages.set_defaults(run=_stages)
    formats = commands.add_parser("formats", help="process time of each format, beside trafilatura")
    formats.set_defaults(run=_formats)
    for command in (formats, stages):
        command.add_argument("--passes", type=int, default=5, help="timed passes; the fastest counts")
    for command in (growth, footprint, formats, stages):
        command.add_argument("--model", default="default", help="bundled name or model file")
    for command in (footprint, formats, stages):
        command.add_argument("--corpus", action="append", required=True, metavar="FILE", help="repeatable")
        command.add_argument("--sample", type=int, metavar="N", help="pages of each corpus; all by default")
    return parser


def _growth(options: argparse.Namespace) -> list[str]:
    systems = systems_of([Extractor.load(options.model)], peers_named(options.peers.split(",")))
    grown = measure_growth(systems, limit=options.limit)
    if options.output is not None:
        grown.write(options.output)
    return [grown.to_markdown()]


def _footprint(options: argparse.Namespace) -> list[str]:
    pages = [page.html for page in _pages(options)]
    memory = memory_growth(Extractor.load(options.model), pages, options.pages)
    return [memory.to_markdown(), cold_start_table(cold_starts(model=options.model))]


def _stages(options: argparse.Namespace) -> list[str]:
    pages = [page.html.encode("utf-8", "replace") for page in _pages(options)]
    return [profile_stages(Extractor.load(options.model), pages, passes=options.passes).to_markdown()]


def _formats(options: argparse.Namespace) -> list[str]:
    return [formats_table(measure_formats(Extractor.load(options.model), _pages(options), passes=options.passes))]


def _pages(options: argparse.Namespace) -> list[LabelledPage]:
    return sampled(labelled_pages(options.corpus), options.sample)


if __name__ == "__main__":
    sys.exit(main())
