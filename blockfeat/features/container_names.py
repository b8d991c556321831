"""The container around a block that a cue is about, as people call it: the class or id that said so, or the tag."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from blockfeat.blocks.table import Blocks
from blockfeat.features.container_cues import AROUND, ContainerCues
from blockfeat.features.containers import Containers, running_total, sums_of_containers
from blockfeat.features.cue_scan import CLASS, PROPERTY, ROLE, WORD_BYTES
from blockfeat.features.cues import Cues, bundled_cues

_SCOPES = {"role": ROLE, "itemprop": PROPERTY}
_WORD = re.compile(r"[A-Z]*[a-z\x80-\U0010ffff]+|[A-Z]+")
_NOT_SHOWN = re.compile(r"[^\w.:-]+")
_LONGEST = 30


@dataclass(frozen=True)
class ContainerNames:
    """Names the containers around the blocks of a page, where it is asked for.

    Attributes
    ----------
    blocks : Blocks
        The page's blocks.
    """

    blocks: Blocks
    _found: dict[str, list[str | None]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def _cues(self) -> Cues:
        return bundled_cues()

    @cached_property
    def _containers(self) -> Containers:
        return Containers.of(self.blocks)

    @cached_property
    def _bits(self) -> list[int]:
        """Cues of each container that count."""
        words = running_total(self.blocks.measures.words)
        widths = sums_of_containers(self._containers, words) / max(float(words[-1]), 1.0)
        found = self._cues.of_elements(self.blocks.tags, self._containers.element).bits
        bits: list[int] = ContainerCues.of(self._containers, found, widths, self._cues.masks).bits.tolist()
        return bits

    def around(self, block: int, feature: str) -> str | None:
        """Return the innermost container around a block with the cue that a feature counts; None where none has it.

        Parameters
        ----------
        block : int
            The block.
        feature : str
            Name of a feature, such as ``"around_related"``.
        """
        found = self._found.get(feature)
        if found is None:
            found = self._found[feature] = self._innermost(self._cues.masks.get(feature.removeprefix(AROUND), 0))
        return found[int(self._containers.inner[block])]

    def _innermost(self, mask: int) -> list[str | None]:
        """Return for each container the name of the innermost with a cue, itself included; linear in their number."""
        found: list[str | None] = []
        columns = (self._bits, self._containers.element.tolist(), self._containers.parent.tolist())
        for bits, element, parent in zip(*columns, strict=True):
            found.append(self._name(element, mask) if bits & mask else found[parent] if parent >= 0 else None)
        return found

    def _name(self, element: int, mask: int) -> str:
        """Return the word of an element's attributes that has a cue, else its tag."""
        for attribute, value in self.blocks.tags.attributes(element).items():
            for token in value.split():
                if any(self._says(word, _SCOPES.get(attribute, CLASS)) & mask for word in _WORD.findall(token)):
                    return f"'{_NOT_SHOWN.sub('', token)[:_LONGEST]}'"
        return f"<{self.blocks.tags.name(element)}>"

    def _says(self, word: str, scope: int) -> int:
        """Return the cues of a word of an attribute."""
        letters = (bytes([scope] if scope else []) + word.lower().encode("utf-8", "replace"))[:WORD_BYTES]
        key = np.uint64(int.from_bytes(letters.ljust(WORD_BYTES, b"\0"), "big"))
        lexicon = self._cues.attributes
        return int(lexicon.cues[int(np.searchsorted(lexicon.bounds, key, side="right"))])
