"""All features of blocks: the eight of the paper, then what stands around a block, in the tree and on the page."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.errors import ModelError
from blockfeat.features.block import NEIGHBOURS, OWN, add_neighbours, add_own, anchor_ratios, terminals
from blockfeat.features.container_cues import CONTAINER_CUES, ContainerCues, add_container_cues, containers_around
from blockfeat.features.containers import (
    CONTAINER_SUMS,
    PATH_LENGTHS,
    PATH_SUMS,
    Containers,
    add_container_sums,
    add_path_lengths,
    add_path_sums,
    paths_of,
    running_total,
    sums_of_containers,
)
from blockfeat.features.cue_scan import ElementCues
from blockfeat.features.cues import Cues, bundled_cues
from blockfeat.features.declared import DECLARED, add_declared, title_words
from blockfeat.features.neighbourhood import (
    GOOD_TEXT,
    MAIN_CONTAINER,
    WINDOWS,
    GoodText,
    add_good_text,
    add_main_container,
    add_windows,
    good_words,
)
from blockfeat.features.schema import Columns, Feature, Measured
from blockfeat.features.text_cues import (
    CUE_WORDS,
    HEADINGS,
    TITLE_WORDS,
    add_cue_words,
    add_headings,
    add_title_words,
    cue_word_counts,
)
from blockfeat.features.ziegler2007 import CANONICAL, CANONICAL_NAMES, PAPER_STOP_WORD_RATIO

Floats = NDArray[np.float64]


@cache
def context_features() -> tuple[Feature, ...]:
    """Return the eight features of the paper, then the context features as ``context.toml`` lists them."""
    document = tomllib.loads(files("blockfeat.features").joinpath("context.toml").read_text(encoding="utf-8"))
    context = (Feature(name=name, title=name.replace("_", " "), **entry) for name, entry in document.items())
    return (*CANONICAL, *context)


@cache
def context_places() -> Mapping[str, int]:
    """Return the column of each feature in `context_columns`, in order."""
    return {feature.name: place for place, feature in enumerate(context_features())}


def context_columns(measured: Measured, *, names: Sequence[str] | None = None) -> NDArray[np.float32]:
    """Return features of a page by name; families of features that no name asks for are not computed.

    Parameters
    ----------
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.
    names : sequence of str, optional
        Names of features, k of them; all, in the order of `context_features`, if not given.

    Returns
    -------
    float32 array, n × k
        Each column lies in one piece. Linear in the page, but for sorting.

    Raises
    ------
    ModelError
        A name is not that of a feature.
    """
    return PageContext(measured, bundled_cues()).columns(tuple(context_places()) if names is None else names)


@dataclass(frozen=True, eq=False)
class PageContext:
    """What the features of a page rest on; each part is computed when the first feature asks for it.

    Attributes
    ----------
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.
    cues : Cues
        What tags, attributes and words say.
    """

    measured: Measured
    cues: Cues

    def columns(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return the features of these names, each named once: float32 array, n × k."""
        plan = _plan_of_all() if list(names) == list(context_places()) else Plan.of(names)
        columns = Columns.empty(plan.place, len(self.blocks))
        if len(self.blocks):
            for feature in plan.functions:
                if feature.compute is not None:
                    columns[feature.name] = feature.compute(self.measured)
            for family in plan.families:
                family.add(self, columns)
        return columns.values[: len(names)].T

    @property
    def blocks(self) -> Blocks:
        """The page's blocks."""
        return self.measured.blocks

    @property
    def words(self) -> NDArray[np.int32]:
        """Words of each block."""
        return self.blocks.measures.words

    @cached_property
    def density(self) -> Floats:
        """Anchor ratio of each block."""
        return anchor_ratios(self.blocks)

    @cached_property
    def terminal(self) -> Floats:
        """How each block ends."""
        return terminals(self.blocks)

    @cached_property
    def containers(self) -> Containers:
        """The containers that hold text, c of them."""
        return Containers.of(self.blocks)

    @cached_property
    def elements(self) -> ElementCues:
        """What tags and attributes of the containers say."""
        return self.cues.of_elements(self.blocks.tags, self.containers.element)

    @cached_property
    def words_before(self) -> Floats:
        """Words before each block, and of all."""
        return running_total(self.words)

    @cached_property
    def container_words(self) -> Floats:
        """Words of each container."""
        return sums_of_containers(self.containers, self.words_before)

    @cached_property
    def page_words(self) -> float:
        """Words of the page, at least 1."""
        return max(float(self.words_before[-1]), 1.0)

    @cached_property
    def container_cues(self) -> ContainerCues:
        """The cues of each container and of those around it."""
        widths = self.container_words / self.page_words
        return ContainerCues.of(self.containers, self.elements.bits, widths, self.cues.masks)

    @cached_property
    def path(self) -> NDArray[np.int32]:
        """Number of the path of tags and classes of each block."""
        return paths_of(self.containers, self.elements.names)

    @cached_property
    def good(self) -> GoodText:
        """The good words of blocks and containers."""
        good = good_words(self.containers, self.container_cues, self.words, self.density, self.terminal)
        return GoodText.of(self.containers, self.words_before, self.container_words, good)

    @cached_property
    def cue_words(self) -> Mapping[str, NDArray[np.int32]]:
        """Words of each kind of cue in each block."""
        return cue_word_counts(self.blocks.measures, self.cues.words)

    def add_containers(self, columns: Columns) -> None:
        """Fill the columns about the containers around each block."""
        linked = sums_of_containers(
            self.containers, running_total(self.blocks.measures.anchor_words.astype(np.int32, copy=False))
        )
        add_container_sums(columns, self.containers, self.container_words, linked, self.page_words)

    def add_headings(self, columns: Columns) -> None:
        """Fill the columns about the last heading."""
        heading = containers_around(self.containers, self.container_cues, "heading")
        add_headings(columns, self.blocks.measures, self.cue_words, heading)


@dataclass(frozen=True, eq=False)
class Family:
    """Features that are computed together.

    Attributes
    ----------
    names : tuple of str
        Their names.
    add : callable
        Fills their columns.
    """

    names: tuple[str, ...]
    add: Callable[[PageContext, Columns], object]


FAMILIES = (
    Family(OWN, lambda page, columns: add_own(columns, page.blocks, page.terminal)),
    Family(NEIGHBOURS, lambda page, columns: add_neighbours(columns, page.density, page.terminal)),
    Family(CONTAINER_SUMS, PageContext.add_containers),
    Family(CONTAINER_CUES, lambda page, columns: add_container_cues(columns, page.containers, page.container_cues)),
    Family(CUE_WORDS, lambda page, columns: add_cue_words(columns, page.blocks.measures, page.cue_words)),
    Family(HEADINGS, PageContext.add_headings),
    Family(
        TITLE_WORDS,
        lambda page, columns: add_title_words(columns, page.blocks.measures, title_words(page.blocks.tags)),
    ),
    Family(DECLARED, lambda page, columns: add_declared(columns, page.blocks)),
    Family(PATH_LENGTHS, lambda page, columns: add_path_lengths(columns, page.path)),
    Family(
        PATH_SUMS,
        lambda page, columns: add_path_sums(columns, page.path, page.good.words, page.words),
    ),
    Family(GOOD_TEXT, lambda page, columns: add_good_text(columns, page.containers, page.good)),
    Family(WINDOWS, lambda page, columns: add_windows(columns, page.good)),
    Family(MAIN_CONTAINER, lambda page, columns: add_main_container(columns, page.containers, page.good)),
)
"""All features but those of the paper."""

_FAMILY_OF = {name: family for family in FAMILIES for name in family.names}


@dataclass(frozen=True)
class Plan:
    """What is to be computed for features of some names.

    Attributes
    ----------
    place : mapping
        The row of each column to fill: those of the names in their order, then others of the same families.
    functions : tuple of Feature
        Features that are functions of single blocks.
    families : tuple of Family
        Families of the others.
    """

    place: Mapping[str, int]
    functions: tuple[Feature, ...]
    families: tuple[Family, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> Plan:
        """Find out what names ask for."""
        unknown = [name for name in names if name not in _FAMILY_OF and name not in CANONICAL_NAMES]
        if unknown:
            raise ModelError(f"unknown features: {', '.join(unknown)}")
        functions = tuple(feature for feature in CANONICAL if feature.name in names)
        families = dict.fromkeys(_FAMILY_OF[name] for name in names if name in _FAMILY_OF)
        columns = dict.fromkeys(names)
        for family in families:
            columns.update(dict.fromkeys(family.names))
        return cls({name: row for row, name in enumerate(columns)}, functions, tuple(families))


@cache
def _plan_of_all() -> Plan:
    """Return the plan of all features in their order, a constant that is made at its first use."""
    return Plan.of(tuple(context_places()))


def feature_matrix(features: Sequence[Feature], measured: Measured) -> NDArray[np.floating[Any]]:
    """Return the features of all blocks of a page.

    Parameters
    ----------
    features : sequence of Feature
        What to compute, k of them; none where nothing is to be measured.
    measured : Measured
        The blocks of a page, n of them, and their stop-word ratios.

    Returns
    -------
    float array, n × k
        One column a feature, in the order asked for: 64 bits where all are functions of single blocks, 32 bits where
        context features, which rest on shared sums, are among them.
    """
    functions = [feature.compute for feature in features]
    if None in functions:
        return context_columns(measured, names=[feature.name for feature in features])
    matrix = np.empty((len(measured.blocks), len(features)), dtype=np.float64)
    for column, compute in enumerate(functions):
        if compute is not None:
            matrix[:, column] = compute(measured)
    return matrix


def registered_features() -> tuple[Feature, ...]:
    """Return every feature: the canonical eight, the paper's own stop-word ratio, and the context features."""
    return (*context_features(), PAPER_STOP_WORD_RATIO)


def features_named(names: Sequence[str], *, where: str = "") -> tuple[Feature, ...]:
    """Return the features of these names, in this order.

    Parameters
    ----------
    names : sequence of str
        Names of features.
    where : str
        What the message of an error begins with.

    Raises
    ------
    ModelError
        A name is not in the registry; the message lists the closest names.
    """
    known = {feature.name: feature for feature in (*CANONICAL, PAPER_STOP_WORD_RATIO)}
    if not known.keys() >= set(names):
        known = {feature.name: feature for feature in registered_features()}
    for name in names:
        if name not in known:
            prefix, closest = f"{where}: " if where else "", get_close_matches(name, known, cutoff=0.0)
            raise ModelError(f"{prefix}unknown feature {name!r}; the closest names are {', '.join(closest)}")
    return tuple(known[name] for name in names)
