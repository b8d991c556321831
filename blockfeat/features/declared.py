"""Agreement with what the page declares itself: its title, its descriptions, and its text in JSON-LD."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.features.schema import Columns
from blockfeat.features.text_cues import KeyTable, WordCues
from blockfeat.lang.measures import keys_of_text, runs_of_three
from blockfeat.page.tags import Tags

TITLE, DESCRIPTION = "title", "description"
"""Kinds of the words of `title_words`."""

_LONGEST = 600
_MOST_DESCRIPTIONS = 4
_NAME = b'escription"'
_CONTENT = re.compile(rb'\scontent="([^"]*)"')

Keys = NDArray[np.uint64]
DECLARED = ("declared_share", "declared_other", "page_declared", "page_declared_words")
"""Columns that `add_declared` fills."""
_RUN = 3


def title_words(tags: Tags) -> WordCues:
    """Return the words of a page's title and of its descriptions (plain, og, twitter)."""
    title = " ".join(tags.text(element)[:_LONGEST] for element in tags.named("title")[:1].tolist())
    keys, starts = keys_of_text(f"{title}\n{_descriptions(tags.source)}")
    in_title = int(starts.searchsorted(len(title)))
    return WordCues.of({TITLE: keys[:in_title], DESCRIPTION: keys[in_title:]})


def _descriptions(source: bytes) -> str:
    """Return the page's descriptions, one a line."""
    head = source.find(b"<body")
    head = head if head >= 0 else len(source)
    found: list[str] = []
    at = source.find(_NAME, 0, head)
    while at >= 0 and len(found) < _MOST_DESCRIPTIONS:
        stop = source.find(b">", at)
        tag = source[source.rfind(b"<", 0, at) : stop]
        content = _CONTENT.search(tag) if tag.startswith(b"<meta ") else None
        if content:
            found.append(unescape(content[1][:_LONGEST].decode("utf-8", "replace")))
        at = source.find(_NAME, stop, head)
    return "\n".join(dict.fromkeys(found))


def add_declared(columns: Columns, blocks: Blocks) -> None:
    """Fill the columns about the page's JSON-LD; all are 0 where it declares no text.

    Parameters
    ----------
    columns : Columns
        What is filled.
    blocks : Blocks
        The blocks of a page.
    """
    for name in DECLARED:
        columns[name] = 0.0
    if not blocks.declared:
        return
    own = runs_of_three(blocks.measures.token_keys)
    body, other = blocks.declared.body, blocks.declared.other
    if body:
        table = _table(body)
        places = table.places(own)
        columns["declared_share"], covered = _covered_share(places >= 0, blocks)
        distinct = np.count_nonzero(np.bincount(places + 1, minlength=2)[1:])
        columns["page_declared"] = distinct / max(table.keys.size, 1)
        columns["page_declared_words"] = np.log1p(covered)
    if other:
        columns["declared_other"], _ = _covered_share(_table(other).places(own) >= 0, blocks)


def _table(text: str) -> KeyTable:
    """Return the runs of three words of a text."""
    runs = runs_of_three(keys_of_text(text)[0])
    runs.sort()
    is_first = np.ones(runs.size, dtype=np.bool_)
    np.not_equal(runs[1:], runs[:-1], out=is_first[1:])
    return KeyTable.of(runs[is_first])


def _covered_share(is_found: NDArray[np.bool_], blocks: Blocks) -> tuple[NDArray[np.float64], int]:
    """Return the share of each block's words that are in runs that were found; and how many of the page's are."""
    measures = blocks.measures
    covered = np.zeros(measures.token_block.size, dtype=np.bool_)
    for shift in range(_RUN):
        covered[shift : shift + is_found.size] |= is_found
    counts = np.bincount(measures.token_block[covered], minlength=len(blocks))
    return counts / np.maximum(measures.words, 1), int(np.count_nonzero(covered))
