"""Write experiments/results/vips.md: VIPS (Cai et al. 2003) with the oracle of Pasternack & Roth (2009), and rendering.

Usage::

    python -m experiments.vips --every 6 --table-every 4 --output experiments/results/vips.md
    python -m experiments.vips --every 6 --table-every 4 --only systems --output experiments/results/vips.md

Needs the extras ``render`` (Playwright) and ``web2text`` (PyTorch), Chromium, and ``peers`` for their rows. Renderings
and scores are kept in ``--folder``: what is there is not computed again.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from blockfeat.errors import BlockfeatError
from experiments.corpora import Corpora
from experiments.documents import add_page_options, write_page
from experiments.needs import check_needs
from experiments.vips.browser import Browser
from experiments.vips.gain_table import gain_section
from experiments.vips.rendering import rendering_section
from experiments.vips.study import ALL_CORPORA, Study
from experiments.vips.systems import granularity_section, systems_section

__all__ = ["main"]

_SECTIONS = {
    "rendering": rendering_section,
    "systems": systems_section,
    "granularity": granularity_section,
    "gain": gain_section,
}
_TEMPLATE = Path(__file__).with_name("page.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m experiments.vips", description=(__doc__ or "").split("\n")[0])
    Corpora.add_options(parser)
    parser.add_argument("--corpus", nargs="+", choices=ALL_CORPORA, default=ALL_CORPORA, help="corpora to take")
    parser.add_argument("--folder", type=Path, default=Path("build/vips"), help="folder of renderings and scores")
    parser.add_argument("--chromium", help="path of Chromium; found on the path by default")
    parser.add_argument("--seconds", type=float, default=30.0, help="longest time for a page")
    parser.add_argument("--retry", action="store_true", help="try pages again that could not be rendered")
    parser.add_argument(
        "--table-every", type=int, default=1, metavar="N", help="score each n-th of these pages by all systems"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="seeds of the trainings")
    add_page_options(parser, tuple(_SECTIONS))
    options = parser.parse_args(arguments)
    chosen = options.only or _SECTIONS
    check_needs(
        modules=["playwright", *(["torch"] if "gain" in chosen else [])], folder=options.corpora, corpora=options.corpus
    )
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    logging.getLogger("blockfeat").setLevel(logging.WARNING)
    study = Study(
        Corpora.of_options(options),
        tuple(options.corpus),
        options.folder,
        Browser(options.chromium, options.seconds),
        retry=options.retry,
        seeds=tuple(options.seeds),
        table_every=options.table_every,
    )
    try:
        write_page(options, _TEMPLATE, {name: partial(section, study) for name, section in _SECTIONS.items()})
    except BlockfeatError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
