"""Columns of the demo pages' blocks as fingerprints that can be compared.

``python tests/golden_columns.py`` writes the file of ``tests/golden`` anew; the difference belongs into the review.
"""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks import BUNDLED_TABLES
from blockfeat.blocks.table import Blocks
from blockfeat.data import demo_pages
from blocks_of import blocks_of

FILE = Path(__file__).parent / "golden" / "columns.json"
_COUNTS = ("words", "anchor_words", "format_words", "sentences", "characters", "alphanumerics", "unspaced_words")


def columns(blocks: Blocks) -> dict[str, NDArray[np.generic]]:
    """Return the columns that do not depend on how the markup is written."""
    measures, text, containers = blocks.measures, blocks.page_text, blocks.containers
    return {
        "codes": text.codes,
        "block_starts": blocks.block_starts,
        "block_ends": text.block_ends,
        "piece_ends": text.pieces[0],
        "piece_flags": text.pieces[1],
        "container": blocks.container,
        "container_parent": containers.parent,
        "container_first": containers.first_block,
        "container_end": containers.end_block,
        "anchor_start": blocks.anchors.start,
        "anchor_end": blocks.anchors.end,
        "token_keys": measures.token_keys,
        "token_starts": measures.token_starts,
        "token_block": measures.token_block,
        **{f"role_{role}": counts for role, counts in blocks.role_counts.items()},
        **{name: getattr(measures, name) for name in _COUNTS},
    }


def fingerprint(column: NDArray[np.generic]) -> str:
    """Return a short fingerprint of a column of whole numbers, whatever their width."""
    return sha256(column.astype(np.uint64).tobytes()).hexdigest()[:8]


def fingerprints() -> dict[str, dict[str, str]]:
    """Return the fingerprints of each page and table, by column."""
    return {
        f"{page.id} {table}": {
            name: fingerprint(column) for name, column in columns(blocks_of(page.html, table)).items()
        }
        for table in BUNDLED_TABLES
        for page in demo_pages()
    }


def main() -> None:
    """Write the file."""
    lines = [f"{json.dumps(page)}: {json.dumps(found)}" for page, found in fingerprints().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
