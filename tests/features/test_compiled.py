from blockfeat.data import demo_pages
from blockfeat.features.measuring import context_columns
from random_pages import measured_of
from uncompiled import load_uncompiled_chain

# Modules that rest on the compiled ones, in the order in which they import each other.
_ORDER = ("keys", "cue_scan", "cues", "nesting", "block_kernel", "context_kernel", "measuring")


def test_compiled_and_uncompiled_give_the_same_columns():
    uncompiled = load_uncompiled_chain("blockfeat.features", _ORDER)
    for page in demo_pages():
        measured = measured_of(page.html)
        assert (context_columns(measured) == uncompiled.context_columns(measured)).all(), page.id
