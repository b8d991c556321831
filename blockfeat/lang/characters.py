"""Character classes: what each Unicode code point means for words and sentences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

ALPHANUMERIC = 1
"""Letters and numbers."""
MARK = 2
"""Combining marks, which belong to the letter before them (vowel signs of Indic scripts, Thai tones)."""
UNSPACED = 4
"""Letters and marks of scripts that put no space between words."""
STOP = 8
"""Characters that may end a sentence."""
CLOSER = 16
"""Quotes and brackets that may stand between the end of a sentence and the space after it."""
SPACE = 32
"""White space, zero-width space and byte-order mark."""
LOWERCASE = 64
"""Lower-case letters."""
CONTROL = 128
"""Control characters and surrogates, which no output holds."""


@dataclass(frozen=True)
class CharacterClasses:
    """Class bits by code point: a uint8 array of 1,114,112 entries."""

    table: NDArray[np.uint8]

    @classmethod
    def load(cls) -> CharacterClasses:
        """Read the bundled table (made by ``tools/make_character_classes.py``), about 2 ms."""
        document = json.loads(files("blockfeat.lang").joinpath("characters.json").read_bytes())
        runs = np.array(document["runs"], dtype=np.int64)
        lengths = np.diff(np.append(runs[:, 0], 0x110000))
        return cls(np.repeat(runs[:, 1].astype(np.uint8), lengths))

    def of(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Return the class bits of each code point."""
        return self.table.take(codes)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text as an array; surrogates are let through."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


@cache
def character_classes() -> CharacterClasses:
    """Return the bundled table, a constant that is read at its first use."""
    return CharacterClasses.load()
