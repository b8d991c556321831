"""List of the modules that ``setup.py`` compiles, and a check for those that run uncompiled here."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

COMPILED_MODULES: tuple[str, ...] = (
    "blockfeat.blocks.element_codes",
    "blockfeat.blocks.tag_walk",
    "blockfeat.blocks.text_reader",
    "blockfeat.content.text_writer",
    "blockfeat.extraction.signs",
    "blockfeat.features.block_kernel",
    "blockfeat.features.context_kernel",
    "blockfeat.features.cue_scan",
    "blockfeat.features.keys",
    "blockfeat.features.nesting",
    "blockfeat.lang.counting",
    "blockfeat.lang.ngrams",
    "blockfeat.lang.word_keys",
    "blockfeat.models.decoding",
    "blockfeat.models.layers",
    "blockfeat.page.markup",
    "blockfeat.page.scanner",
    "blockfeat.page.tokens",
    "blockfeat.page.tree",
    "blockfeat.page.utf_8",
    "blockfeat.pso.shared_terms",
    "blockfeat.training.run_masks",
)
"""Modules in Cython's pure Python mode: plain Python that runs uncompiled too, with the same results, far slower."""

SHARED_MODULE = "blockfeat._cython_shared"
"""Module with Cython's runtime code, shared by the compiled modules; nothing else imports it."""


def uncompiled_modules() -> tuple[str, ...]:
    """Return the modules of the list that run uncompiled in this installation; looks at files and imports nothing."""
    root = Path(__file__).parents[1]
    places = ((name, root.joinpath(*name.split("."))) for name in COMPILED_MODULES)
    return tuple(
        name
        for name, place in places
        if not any(place.with_name(place.name + suffix).exists() for suffix in EXTENSION_SUFFIXES)
    )
