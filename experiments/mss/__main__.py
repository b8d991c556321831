"""Write experiments/results/mss.md: Pasternack & Roth (2009) on our corpora.

Usage::

    python -m experiments.mss --every 2 --output experiments/results/mss.md
    python -m experiments.mss --every 2 --only penalties --output experiments/results/mss.md

Everything is trained here, on folds by host; the bundled token models are not used.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from experiments.corpora import CLEANEVAL, NEWS, Corpora
from experiments.documents import add_page_options, write_page
from experiments.mss.cleaneval import clean_eval_table
from experiments.mss.decoders import decoder_table
from experiments.mss.sites import site_tables
from experiments.mss.sources import sources_table
from experiments.mss.study import Study
from experiments.mss.tables import penalty_table, system_table
from experiments.needs import check_needs

__all__ = ["main"]

_SECTIONS = {
    "systems": system_table,
    "penalties": penalty_table,
    "sources": sources_table,
    "sites": site_tables,
    "cleaneval": clean_eval_table,
    "decoders": decoder_table,
}
_TEMPLATE = Path(__file__).with_name("page.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.mss", description=(__doc__ or "").split("\n")[0])
    Corpora.add_options(parser)
    add_page_options(parser, tuple(_SECTIONS))
    options = parser.parse_args(arguments)
    check_needs(modules=["snowballstemmer"], folder=options.corpora, corpora=[*NEWS, *CLEANEVAL])
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    study = Study(Corpora.of_options(options))
    write_page(options, _TEMPLATE, {name: partial(section, study) for name, section in _SECTIONS.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
