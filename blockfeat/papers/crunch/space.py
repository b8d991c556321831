"""The search space of Crunch: what a particle's position means as settings of its filters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log

import numpy as np
from numpy.typing import NDArray

from blockfeat.papers.crunch.settings import CleanSettings

Array = NDArray[np.float64]
_RATIO = (0.01, 10.0)
_MOST_LINKS = 10
_MOST_CHARACTERS = 1000.0
_NUMBERS = 4
_ON = 0.5

CANDIDATES = CleanSettings().link_lists.containers
"""Containers of today that a particle may look at beside table cells."""


@dataclass(frozen=True)
class CrunchSpace:
    """Four numbers and a switch for each filter that is on or off; all dimensions lie in [0, 1].

    The numbers: links for each word in table cells and in containers (0.01 to 10, logarithmic), links that a list has
    at least (1 to 10), letters and digits that a table has at least (0 to 999, logarithmic). The switches, on from 0.5:
    text links, forms, empty tables, table cells, each candidate container. Letters for each word stay those of
    ``base``: they divide the ratios only.

    Attributes
    ----------
    base : CleanSettings
        Everything that is not looked for.
    """

    base: CleanSettings

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return _NUMBERS + 4 + len(CANDIDATES)

    def settings(self, position: Array) -> CleanSettings:
        """Return the settings that a position stands for; beyond the ends of a range it means the end."""
        values = np.clip(position, 0.0, 1.0)
        ratio, container_ratio = (float(f"{_between(_RATIO, share):.4g}") for share in values[:2].tolist())
        text_links, forms, tables, cells, *containers = (values[_NUMBERS:] >= _ON).tolist()
        base = self.base
        return replace(
            base,
            filters=replace(base.filters, text_links=text_links, forms=forms),
            link_lists=replace(
                base.link_lists,
                remove=cells or any(containers),
                ratio=ratio,
                container_ratio=container_ratio,
                least_links=min(_MOST_LINKS, 1 + floor(values[2] * _MOST_LINKS)),
                cells=cells,
                containers=tuple(name for name, is_on in zip(CANDIDATES, containers, strict=True) if is_on),
            ),
            empty_tables=replace(
                base.empty_tables, remove=tables, least_characters=floor(_MOST_CHARACTERS ** float(values[3])) - 1
            ),
        )

    def position(self, settings: CleanSettings) -> Array:
        """Return a position that stands for settings, as far as the space has them."""
        lists, tables = settings.link_lists, settings.empty_tables
        ratios = [_share(_RATIO, ratio) for ratio in (lists.ratio, lists.container_ratio)]
        least = [
            (lists.least_links - 0.5) / _MOST_LINKS,
            _share((1.0, _MOST_CHARACTERS), tables.least_characters + 1.5),
        ]
        is_on = [settings.filters.text_links, settings.filters.forms, tables.remove, lists.remove and lists.cells]
        is_on += [lists.remove and name in lists.containers for name in CANDIDATES]
        return np.asarray(np.clip(np.array([*ratios, *least, *(0.75 if on else 0.25 for on in is_on)]), 0.0, 1.0))


def _between(limits: tuple[float, float], share: float) -> float:
    """Point between two limits on a logarithmic scale."""
    low, high = limits
    return float(low * (high / low) ** share)


def _share(limits: tuple[float, float], value: float) -> float:
    """Where a value lies between two limits on a logarithmic scale."""
    low, high = limits
    return log(max(value, low) / low) / log(high / low)
