"""Raised and lowered text (`sup`, `sub`) in plain text, where nothing but characters can show it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from blockfeat.blocks.element_codes import has_key
from blockfeat.blocks.table import Blocks
from blockfeat.content.code import code_parts
from blockfeat.lang.characters import character_classes, code_points
from blockfeat.page.tags import name_keys

_RAISED_KEYS = name_keys(["sup"])
_EITHER = name_keys(["sub", "sup"])
_SUPERSCRIPTS = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))
# Endings of ordinal numbers and titles, which are read as letters.
_ENDINGS_IN_USE = "a as de e eme er le lle mlle mme nd o os r rd re st te ten tes th ème ère"
_ENDINGS = frozenset(_ENDINGS_IN_USE.split())
_MOST_IN_BRACES = 20


def with_marked_scripts(blocks: Blocks) -> Blocks:
    """Return blocks with raised and lowered text written so that its meaning stays, where they have any.

    Numbers and signs become characters of Unicode (10²³, H₂O), all else stands in braces behind a mark (``x^{ab}``).
    What is a link is the mark of a footnote and stands behind a blank. Endings of ordinals ("7th"), symbols, and what
    stands at the beginning of a word stay as they are, and so does preformatted text.
    """
    if not has_key(blocks.tags.key, _EITHER):
        return blocks
    text, spans = blocks.page_text.text, _spans(blocks)
    pieces, places, shifts = [], [], [0]
    behind = 0
    for start, end, is_raised, is_link in spans:
        shown = _shown(text[start:end], is_raised=is_raised, is_link=is_link) if start >= behind else text[start:end]
        if shown != text[start:end]:
            pieces += [text[behind:start], shown]
            behind = end
            places.append(end)
            shifts.append(shifts[-1] + len(shown) - (end - start))
    if not places:
        return blocks
    marked = "".join([*pieces, text[behind:]])
    codes = code_points(marked)
    by_place = np.array(shifts, dtype=np.int32)
    starts, ends = (
        column + by_place[np.searchsorted(places, column, side="right")]
        for column in (blocks.block_starts, blocks.page_text.block_ends)
    )
    classes = character_classes().of(codes)
    page_text = replace(blocks.page_text, text=marked, codes=codes, classes=classes, block_ends=ends)
    return replace(blocks, block_starts=starts, page_text=page_text)


def _spans(blocks: Blocks) -> list[tuple[int, int, bool, bool]]:
    """Return where raised and lowered text behind words stands, which of it is raised, and which is a link."""
    tags, page = blocks.tags, blocks.page_text
    in_code = {
        block
        for part in code_parts(blocks, np.ones(len(blocks), dtype=np.bool_))
        for block in range(part.first, part.end)
    }
    starts, ends = blocks.anchors.start, blocks.anchors.end
    found = []
    for element in np.isin(tags.key, _EITHER).nonzero()[0].tolist():
        start, end = int(blocks.places[tags.opened[element]]), int(blocks.places[tags.closed[element]])
        if not 0 < start < end or not page.text[start - 1].strip() or not page.text[start:end].strip():
            continue
        block = int(page.block_ends.searchsorted(start, side="right"))
        if block < len(blocks) and block not in in_code and end <= page.block_ends[block]:
            is_link = bool(((starts < end) & (ends > start)).any())
            found.append((start, end, tags.key[element] in _RAISED_KEYS, is_link))
    return found


def _shown(text: str, *, is_raised: bool, is_link: bool) -> str:
    """Return what is written for raised or lowered text."""
    inner = text.strip()
    if inner.lower() in _ENDINGS or not any(character.isalnum() for character in inner):
        return text
    if is_link or len(inner) > _MOST_IN_BRACES:
        return f" {text}"
    characters = _SUPERSCRIPTS if is_raised else _SUBSCRIPTS
    if all(character in characters for character in inner):
        return "".join(characters[character] for character in inner)
    return f"{'^' if is_raised else '_'}{{{inner}}}"
