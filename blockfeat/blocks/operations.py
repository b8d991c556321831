"""What the elements of a tag table mean, as numbers: an operation in the lowest bits, and roles."""

from __future__ import annotations

from blockfeat.blocks.tagtable import TagTable

OPERATION = 7
"""The bits of a code that hold the operation."""
REMOVE = 0
"""The tags go, the text around them is joined."""
REMOVE_WITH_SPACE = 1
"""The tags go, a space stands for each."""
BOUNDARY = 2
"""The tags end the block before them."""
PRUNE = 3
"""The element goes with all that it holds."""
KEEPABLE = 4
"""A boundary if the element holds a paragraph, pruned if not."""
REMOVE_BETWEEN_WORDS = 5
"""The tags go, a space stands for each that would join two words."""

ANCHOR_ROLE = 8
"""Words inside count as anchor words."""
FORMAT_ROLE = 16
"""Words inside count as format words, the elements as formatting elements."""
LINE_BREAK = 32
"""A line ends here; several in a row end a block."""
LIST_ROLE = 64
"""The elements count as list elements."""
STRUCTURE_ROLE = 128
"""The elements count as structuring elements."""

_OPERATIONS = {
    "remove_without_space": REMOVE,
    "remove_with_space": REMOVE_WITH_SPACE,
    "boundary": BOUNDARY,
    "prune": PRUNE,
}
_ROLES = {"anchor": ANCHOR_ROLE, "format": FORMAT_ROLE, "list": LIST_ROLE, "structure": STRUCTURE_ROLE}
# What ruby writes beside its text: readings and the brackets around them.
_READINGS = ("rp", "rt", "rtc")


def default_code(table: TagTable) -> int:
    """Return the code of the tags that a table does not name."""
    return _OPERATIONS[table.other]


def tag_codes(table: TagTable) -> dict[str, int]:
    """Return the code of every tag that a table names."""
    other = default_code(table)
    codes = {tag: _OPERATIONS[operation] for tag, operation in table.operations.items()}
    for tag in table.guards.keep_if_it_holds_paragraphs:
        codes[tag] = KEEPABLE
    for role, bit in _ROLES.items():
        for tag in table.roles[role]:
            codes[tag] = codes.get(tag, other) | bit
    codes["br"] = codes.get("br", other) | LINE_BREAK
    for tag in _READINGS:
        codes.setdefault(tag, PRUNE)
    return codes
