"""The model Crunch: blocks are kept where their text survives the filters (Gupta, Kaiser, Neistadt & Grimm 2003)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from blockfeat._config import stored
from blockfeat._files import bundled_table
from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.table import Blocks, elements_behind, text_places
from blockfeat.blocks.tagtable import TagTable, load_table
from blockfeat.errors import ModelError, how_many
from blockfeat.features.measuring import FeatureExtractor, PageFeatures
from blockfeat.lang.identify import Identifier
from blockfeat.models.model import Arrays, BlockReason, Documented, Prediction, ReadFile
from blockfeat.page.page import Page
from blockfeat.papers.crunch.clean import decide_on
from blockfeat.papers.crunch.decision import Decision, Held, HostList, Walked, host_list
from blockfeat.papers.crunch.settings import CleanSettings

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ElementText:
    """Numbers of characters, without white space, that each block has directly in each element.

    Attributes
    ----------
    block, element, count : int array, k
        The pairs of a block and the innermost element of some of its characters, and the number of these characters.
    total : int array, n
        Number of characters of each block.
    """

    block: Indices
    element: Indices
    count: Indices
    total: Indices

    def share_left(self, is_left: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the share of each block's characters that are in remaining elements: float array, n, from 0 to 1."""
        left = np.bincount(self.block, weights=self.count * is_left[self.element], minlength=self.total.size)
        return np.asarray(left / np.maximum(self.total, 1))


@dataclass(frozen=True, eq=False)
class MeasuredTree(PageFeatures):
    """A measured page with its tree of elements.

    Attributes
    ----------
    page : Page
        The page with its tree.
    text : ElementText
        The elements that contain the text of the blocks.
    """

    page: Page
    text: ElementText

    @cached_property
    def walked(self) -> Walked:
        """The elements of the page's tree, with the same numbers as in the tags of the blocks."""
        root = self.page.tree
        return Walked([], [], [], []) if root is None else Walked.of(root)

    def __getstate__(self) -> dict[str, object]:
        """Leave out the tree, whose elements cannot be pickled; it is walked again at its next use."""
        return {name: value for name, value in vars(self).items() if name != "walked"}


@dataclass(frozen=True)
class CrunchMeasurer(FeatureExtractor):
    """Cuts pages into blocks, of which no features are computed, and keeps their trees."""

    def measure(self, page: Page, *, lang: str | None = None) -> MeasuredTree:
        """Measure a page; ``lang`` is its language where the caller knows it, identified otherwise."""
        measured = super().measure(page, lang=lang)
        return MeasuredTree(**vars(measured), page=page, text=element_text(measured.blocks))


def element_text(blocks: Blocks) -> ElementText:
    """Return the elements that contain the characters of a page's blocks; linear in the size of the page."""
    if not len(blocks):
        nothing = np.zeros(0, dtype=np.int64)
        return ElementText(nothing, nothing, nothing, nothing)
    places, elements = text_places(blocks), np.int64(len(blocks.tags))
    pairs, count = np.unique(places.block * elements + elements_behind(blocks)[places.tag], return_counts=True)
    total = np.bincount(places.block, minlength=len(blocks))
    return ElementText(pairs // elements, pairs % elements, count, total)


FEATURE_NAMES = ("share_left", "links_around", "words_around")
"""Evidence for a block: the share of its text that remains, and the numbers of links and of words outside of links that
remained in the nearest table, cell or container when the filters checked it."""

_CELLS = ("td", "th")
_REASONS = bundled_table("blockfeat.papers.crunch", "reasons.toml")
_WORDS = {name: reason for reason, names in _REASONS.items() for name in names.split()}
_HALF = 0.5
_FAVOUR = 2.0


@dataclass(frozen=True)
class Reasons:
    """The reasons of the blocks of one page.

    Attributes
    ----------
    decision : Decision
        Which elements are removed.
    settings : CleanSettings
        The settings of the decision.
    text : ElementText
        The elements that contain the text of the blocks.
    """

    decision: Decision
    settings: CleanSettings
    text: ElementText

    def of_blocks(self, shares: NDArray[np.float64]) -> Iterator[BlockReason]:
        """Yield the reason of each block; ``shares`` are those of `ElementText.share_left`."""
        decision = self.decision
        # For each element, of itself and those around it: the innermost removed or emptied, and the innermost checked.
        takes = [bool(removed or emptied) for removed, emptied in zip(decision.removed, decision.emptied, strict=True)]
        taker = decision.walked.innermost(takes)
        looked_at = decision.walked.innermost([index in decision.held for index in range(len(takes))])
        main, taken = self._main_elements(taker)
        for block, share in enumerate(shares.tolist()):
            element = main[block]
            around = looked_at[element] if element >= 0 else -1
            if share > 0.5:
                reason = self._kept(share, around)
            else:
                around = taken[block] if taken[block] in self.decision.held else around
                reason = f"dropped: {self._taken(taken[block])}"
            held = self.decision.held.get(around)
            values = (share, held.links, self._words(held)) if held else (share,)
            yield BlockReason(reason, dict(zip(FEATURE_NAMES, map(float, values), strict=False)))

    def _main_elements(self, taker: list[int]) -> tuple[list[int], list[int]]:
        """Return for each block the element with most of its text, and the one that removes most of it; -1 for none."""
        main, taken = [-1] * self.text.total.size, [-1] * self.text.total.size
        most = [0] * len(main)
        by_taker: Counter[tuple[int, int]] = Counter()
        rows = zip(self.text.block.tolist(), self.text.element.tolist(), self.text.count.tolist(), strict=True)
        for block, element, count in rows:
            if count > most[block]:
                main[block], most[block] = element, count
            if taker[element] >= 0:
                by_taker[block, taker[element]] += count
        for block, element in sorted(by_taker, key=by_taker.__getitem__):
            taken[block] = element
        return main, taken

    def _kept(self, share: float, around: int) -> str:
        reason = "kept: no filter takes it out" if share == 1 else f"kept: {share:.0%} of its text stays"
        held = self.decision.held.get(around)
        if held is None or not self._is_list_candidate(around):
            return reason
        return f"{reason}; the {self._name(around)} around it has {self._counted(held)}"

    def _taken(self, element: int) -> str:
        """Return the reason why an element is removed."""
        decision = self.decision
        if element < 0:
            return "it has no text"
        name = decision.walked.names[element]
        if decision.is_advertisement[element]:
            return f"it belongs to an advertisement, by the host that its {name} element refers to"
        held = decision.held.get(element)
        if held is not None and self._is_list_candidate(element):
            article = "an" if name[0] in "aeiou" and name not in _CELLS else "a"
            words = f"in {article} {self._name(element)} that is mostly links: {self._counted(held)}"
            limit = self.settings.link_lists.ratio if name in _CELLS else self.settings.link_lists.container_ratio
            return f"{words} (at most {limit:.2g} a word)"
        if held is not None:
            least = self.settings.empty_tables.least_characters
            return f"in an empty table: {how_many(held.letters, 'letter')} (at least {least})"
        return _WORDS.get(name, f"in a removed {name} element")

    def _is_list_candidate(self, element: int) -> bool:
        """Return whether the filters check an element for being a list of links."""
        lists, name = self.settings.link_lists, self.decision.walked.names[element]
        return lists.remove and (name in lists.containers or (lists.cells and name in _CELLS))

    def _name(self, element: int) -> str:
        name = self.decision.walked.names[element]
        return "table cell" if name in _CELLS else f"{name} element"

    def _counted(self, held: Held) -> str:
        words = round(self._words(held), 1)
        shown = f"{words:.0f}" if words == int(words) or words >= 10 else f"{words:.1f}"
        return f"{how_many(held.links, 'link')} for {shown} {'word' if shown == '1' else 'words'} outside of links"

    def _words(self, held: Held) -> float:
        return held.unlinked / self.settings.link_lists.letters_per_word


@dataclass(frozen=True)
class CrunchModel(Documented):
    """The settings of Crunch's filters, and the tag table of the blocks that are kept or dropped.

    Attributes
    ----------
    settings : CleanSettings
        What is removed. Filters that change no text (styles, widths, meta elements, removed links) have no effect here;
        of host lists, only the bundled one is used.
    name : str
        Name of the model.
    table : TagTable
        How pages are cut into the blocks that are kept or not.
    languages, record
        As for every model.
    """

    kind: ClassVar[str] = "crunch"
    decoding: ClassVar[str] = "filters"
    feature_names: ClassVar[tuple[str, ...]] = FEATURE_NAMES

    settings: CleanSettings = field(default_factory=CleanSettings)
    name: str = "crunch"
    table: TagTable = field(default_factory=lambda: load_table("html5"))

    def __post_init__(self) -> None:
        """Check that the model needs no file beside it."""
        if self.settings.advertisements.lists:
            raise ModelError(f"model {self.name!r}: a model uses the bundled list of hosts only, not 'lists'")

    @cached_property
    def hosts(self) -> HostList | None:
        """Hosts of advertisements; None where the settings keep these."""
        advertisements = self.settings.advertisements
        return host_list(advertisements) if advertisements.remove else None

    def measurer(self, identifier: Identifier) -> CrunchMeasurer:
        """Return the measuring stage: blocks by the model's table, and the page's tree beside them."""
        return CrunchMeasurer(Blockifier.of(self.table), (), identifier, self.languages)

    def favouring(self, side: str) -> CrunchModel:
        """Return a copy that favours ``"precision"`` or ``"recall"``: half or twice the links allowed for each word."""
        lists = self.settings.link_lists
        factor = _FAVOUR if side == "recall" else 1 / _FAVOUR
        changed = replace(lists, ratio=lists.ratio * factor, container_ratio=lists.container_ratio * factor)
        return replace(self, settings=replace(self.settings, link_lists=changed))

    def predict(self, measured: PageFeatures) -> Prediction:
        """Keep the blocks of which more than half of the characters remain; the score is their share - 0.5."""
        tree = tree_of(measured)
        decision = self._decision(tree)
        gone = np.frombuffer(decision.gone(), dtype=np.uint8) | np.frombuffer(decision.emptied, dtype=np.uint8)
        scores = tree.text.share_left(gone == 0) - _HALF
        return Prediction(scores, scores > 0)

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return the reason for each block: which filter removes its text, and the counts of links and words."""
        tree = tree_of(measured)
        decision = self._decision(tree)
        return tuple(Reasons(decision, self.settings, tree.text).of_blocks(prediction.scores + _HALF))

    def _decision(self, tree: MeasuredTree) -> Decision:
        return decide_on(tree.walked, self.settings, self.hosts)

    def own_values(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return {"settings": json.loads(json.dumps(asdict(self.settings)))}

    @classmethod
    def own_attributes(cls, document: Mapping[str, Any], arrays: Arrays, read: ReadFile | None) -> dict[str, Any]:
        """Return the attributes that `own_values` and `own_arrays` wrote."""
        return {"settings": stored(CleanSettings(), document["settings"], "settings")}


def tree_of(measured: PageFeatures) -> MeasuredTree:
    """Return a measured page; raise ModelError for one without its tree."""
    if not isinstance(measured, MeasuredTree):
        raise ModelError("crunch needs a page with its tree, as its own measurer gives it")
    return measured
