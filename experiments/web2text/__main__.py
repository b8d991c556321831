"""Write experiments/results/web2text.md: Vogels, Ganea & Eickhoff (2018) on our corpora.

Usage::

    python -m experiments.web2text --output experiments/results/web2text.md
    python -m experiments.web2text --only cost --output experiments/results/web2text.md

Needs the extras ``web2text`` (PyTorch), ``peers`` and ``retrieval``, and python-crfsuite; for Unfluff Node.js, and a
folder in which ``npm install unfluff`` was run.
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
from experiments.needs import check_needs
from experiments.web2text.ad_hoc import ad_hoc_section
from experiments.web2text.aligners import aligner_section
from experiments.web2text.cost import cost_section
from experiments.web2text.held_out import held_out_section
from experiments.web2text.model_card import bundled_section
from experiments.web2text.retrieval import retrieval_section
from experiments.web2text.study import Study
from experiments.web2text.table import leaf_table_section

__all__ = ["main"]

_SECTIONS = {
    "bundled": bundled_section,
    "table": leaf_table_section,
    "aligners": aligner_section,
    "cost": cost_section,
    "held_out": held_out_section,
    "ad_hoc": ad_hoc_section,
    "retrieval": retrieval_section,
}
_TEMPLATE = Path(__file__).with_name("page.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.web2text", description=(__doc__ or "").split("\n")[0])
    Corpora.add_options(parser)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="seeds of the trainings of Table 1")
    parser.add_argument("--unfluff", type=Path, metavar="FOLDER", help="where unfluff is installed")
    add_page_options(parser, tuple(_SECTIONS))
    options = parser.parse_args(arguments)
    check_needs(
        modules=["torch", "bm25s", "python-crfsuite"],
        folder=options.corpora,
        corpora=[*NEWS, *CLEANEVAL],
        files=[options.unfluff / "node_modules" / "unfluff"] if options.unfluff else [],
        programs=["node"] if options.unfluff else [],
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    logging.getLogger("blockfeat").setLevel(logging.WARNING)
    study = Study(Corpora.of_options(options), tuple(options.seeds), options.unfluff)
    write_page(options, _TEMPLATE, {name: partial(section, study) for name, section in _SECTIONS.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
