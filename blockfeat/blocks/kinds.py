"""What each block is: heading, list item, quote, caption, table cell …, by the elements around it."""

from __future__ import annotations

from typing import NamedTuple

from blockfeat.blocks.table import Blocks
from blockfeat.page.tags import name_key

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_ITEMS = frozenset({"li", "dd", "dt"})
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_KIND_OF_TAG = {
    **dict.fromkeys(("pre", "listing", "xmp"), "preformatted"),
    "blockquote": "quote",
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    **dict.fromkeys(("td", "th"), "table_cell"),
}
_NAMES = {name_key(name): name for name in (*_HEADINGS, *_ITEMS, *_LISTS, *_KIND_OF_TAG)}


class Kind(NamedTuple):
    """What a block is, its level (of headings and list items), and whether its list is numbered."""

    name: str
    level: int
    ordered: bool


_PARAGRAPH = Kind("paragraph", 0, False)


def kinds_of_containers(blocks: Blocks) -> list[Kind]:
    """Return the kind of every container, by the innermost ancestor that says something, and last that of none."""
    kinds: list[Kind] = []
    # Number of lists around each container and whether the innermost is numbered.
    lists: list[tuple[int, bool]] = []
    keys = blocks.tags.key[blocks.containers.element].tolist()
    for key, around in zip(keys, blocks.containers.parent.tolist(), strict=True):
        tag = _NAMES.get(key)
        in_lists = lists[around] if around >= 0 else (0, False)
        if tag is None:
            lists.append(in_lists)
            kinds.append(kinds[around] if around >= 0 else _PARAGRAPH)
            continue
        depth, ordered = in_lists
        if tag in _LISTS:
            depth, ordered = depth + 1, tag == "ol"
        lists.append((depth, ordered))
        if tag in _HEADINGS:
            kinds.append(Kind("heading", _HEADINGS[tag], False))
        elif tag in _ITEMS:
            kinds.append(Kind("list_item", max(1, depth), ordered))
        elif tag in _KIND_OF_TAG:
            kinds.append(Kind(_KIND_OF_TAG[tag], 0, False))
        else:
            kinds.append(kinds[around] if around >= 0 else _PARAGRAPH)
    return [*kinds, _PARAGRAPH]
