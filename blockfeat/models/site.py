"""Rules of sites on top of a model: places of pages that are always kept or dropped, as labelled pages showed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks, Mask
from blockfeat.blocks.tagtable import TagTable
from blockfeat.errors import ModelError
from blockfeat.features.measuring import PageFeatures
from blockfeat.lang.identify import Identifier
from blockfeat.models.model import (
    Arrays,
    BlockReason,
    Model,
    PageMeasurer,
    Prediction,
    ReadFile,
    check_schema,
    reading_values,
)
from blockfeat.page.tags import parsed_selector, selected

Places = Mapping[str, NDArray[np.int64]]

KIND = "site"
REDESIGNED = "the page has none of the places that the rules of its site name: it may have been redesigned"
"""Warning of a page that is another than those that rules were learnt from."""
_SIDES, _CSS = ("after ", "before "), "css "
_VERBS = {"keep": "kept", "drop": "dropped", "only": "dropped"}
HEADLINE = "headline"
_MOST_STEPS, _MOST_CLASSES, _LONGEST_TEXT, _MOST_WORDS = 12, 6, 80, 12
_NUMBER, _LONG_NUMBER, _PLACE_IN_PATH = re.compile(r"\d+"), re.compile(r"\d{2,}"), re.compile(r"\[\d+\]")
_NUMBERS, _NAME, _ATTRIBUTES = re.compile("N"), re.compile(r"^[^\"/<]*?[.#](.+)"), re.compile(rb"\s(?:class|id)=")


def places_of(
    blocks: Blocks, headline: int | None, wanted: Sequence[str] | None = None
) -> dict[str, NDArray[np.int64]]:
    """Return the blocks at each place of a page that a rule can name, or at those that some do; linear in the page.

    ``.class`` and ``#id`` of the boundary elements around a block, numbers in them as ``N``; ``tag.class`` and
    ``<tag>`` of the innermost; ``/path`` of tags; ``"text"`` of at most twelve words, in lower case; ``headline``; and
    ``css`` with a selector behind it, if that is asked for.
    """
    asked = None if wanted is None else frozenset(where.removeprefix(side_of(where)) for where in wanted)
    selectors = [] if asked is None else [where for where in asked if where.startswith(_CSS)]
    asked = None if asked is None else asked.difference(selectors)
    parents, names = blocks.containers.parent.tolist(), _names(blocks, asked)
    found: dict[str, list[int]] = defaultdict(list)
    keys_of: dict[int, list[str]] = {}
    for block, container in enumerate(blocks.container.tolist()):
        if container not in keys_of:
            keys, around = _innermost(blocks, container, names.get(container, ())), container
            for _ in range(_MOST_STEPS):
                keys += names.get(around, ()) if around >= 0 else ()
                around = parents[around] if around >= 0 else -1
            keys_of[container] = list(dict.fromkeys(keys) if asked is None else asked.intersection(keys))
        for key in keys_of[container]:
            found[key].append(block)
    if asked is None or any(where.startswith("/") for where in asked):
        for block, path in enumerate(blocks.xpaths()):
            found[plain_path(path)].append(block)
    if asked is None or any(where.startswith('"') for where in asked):
        for block in (blocks.measures.words <= _MOST_WORDS).nonzero()[0].tolist():
            found[f'"{blocks.text(block)[:_LONGEST_TEXT].lower()}"'].append(block)
    if headline is not None:
        found[HEADLINE] = [headline]
    for where in selectors:
        if (inside := blocks_in(blocks, where.removeprefix(_CSS)).nonzero()[0]).size:
            found[where] = inside.tolist()
    return {key: np.array(at) for key, at in found.items()}


def plain_path(xpath: str) -> str:
    """Return a path without the numbers of its elements: the same for all paragraphs of a box."""
    return _PLACE_IN_PATH.sub("", xpath)


def blocks_in(blocks: Blocks, selector: str) -> Mask:
    """Return the blocks that stand in the elements that a CSS selector selects."""
    tags = blocks.tags
    elements = selected(tags, selector)
    if not elements.any():
        return np.zeros(len(blocks), dtype=np.bool_)
    starts = tags.start[tags.opened[elements]]
    ends = np.maximum.accumulate(tags.start[tags.closed[elements]])
    last = starts.searchsorted(blocks.first_byte, side="right") - 1
    return np.asarray((last >= 0) & (blocks.end_byte <= ends[last]))


def _innermost(blocks: Blocks, container: int, names: Sequence[str]) -> list[str]:
    """Return the places that the innermost element around a block alone is."""
    tag = blocks.tags.name(int(blocks.containers.element[container])) if container >= 0 else ""
    return [f"<{tag}>", *(f"{tag}{name}" for name in names if name.startswith("."))]


def _names(blocks: Blocks, asked: frozenset[str] | None) -> dict[int, tuple[str, ...]]:
    """Return classes and ids of the containers that have any, or that have some that are asked for."""
    elements = blocks.containers.element
    starts = blocks.tags.start_tags(elements)
    # Attributes are read where a piece of a name that is asked for stands in the tag.
    pieces = {max(_NUMBERS.split(where), key=len) for where in asked or () for where in _NAME.findall(where)}
    mark = re.compile("|".join(map(re.escape, pieces)).encode()) if asked is not None else _ATTRIBUTES
    chosen = [number for number, start in enumerate(starts) if mark.search(start)] if asked is None or pieces else []
    found = {}
    for number, given in zip(chosen, map(blocks.tags.attributes, elements[chosen].tolist()), strict=True):
        classes = [f".{_LONG_NUMBER.sub('N', name)}" for name in given.get("class", "").split()[:_MOST_CLASSES]]
        identity = given.get("id", "")
        found[number] = (*classes, *([f"#{_NUMBER.sub('N', identity)}"] if identity else []))
    return found


def side_of(where: str) -> str:
    """Return what stands in front of a place whose side is meant, empty where the place itself is."""
    return next((side for side in _SIDES if where.startswith(side)), "")


def blocks_at(places: Places, count: int, where: str) -> NDArray[np.int64] | None:
    """Return the blocks of a place, of all that stand after or before its first one; None where a page has it not."""
    side = side_of(where)
    found = places.get(where.removeprefix(side))
    if found is None or not side:
        return found
    return np.arange(found[0], count) if side == "after " else np.arange(found[0] + 1)


class SiteRule(NamedTuple):
    """A place whose blocks are always kept, or dropped.

    Attributes
    ----------
    do : str
        ``"keep"``, ``"drop"``, or ``"only"``: what is elsewhere is dropped.
    where : str
        The place; see `places_of`. With ``after`` or ``before`` in front, also all on that side of its first block.
    why : str
        What the labelled pages showed.
    """

    do: str
    where: str
    why: str = ""

    @property
    def reason(self) -> str:
        """Why it decided about a block, for `blockfeat explain`."""
        return f"{_VERBS[self.do]}: a rule of the site, {self.do} {self.where}" + (f" ({self.why})" if self.why else "")


def with_rules(kept: Mask, places: Places, rules: Sequence[SiteRule]) -> tuple[Mask, dict[int, str]]:
    """Return what is kept by rules, one after the other, and the reasons of blocks that they decided otherwise about.

    What would leave nothing of a page is not done.
    """
    changed, decided = kept.copy(), {}
    for rule in rules:
        if (found := blocks_at(places, kept.size, rule.where)) is not None:
            if rule.do == "only":
                found = np.delete(np.arange(kept.size), found)
            changed[found] = rule.do == "keep"
            decided.update(dict.fromkeys(found.tolist(), rule.reason))
    if not changed.any():
        return kept, {}
    return changed, {block: decided[block] for block in (changed != kept).nonzero()[0].tolist()}


@dataclass(frozen=True)
class SiteRules:
    """The rules of one site.

    Attributes
    ----------
    rules : tuple of SiteRule
        In the order in which they are applied.
    learnt : mapping
        From how many labelled pages, and their word F1 without and with rules, on pages not learnt from.
    """

    rules: tuple[SiteRule, ...] = ()
    learnt: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as plain values that JSON can hold."""
        return {"learnt": dict(self.learnt), "rules": [rule._asdict() for rule in self.rules]}


@dataclass(frozen=True, eq=False)
class SiteModel:
    """A model, with rules for some sites.

    Attributes
    ----------
    base : Model
        What labels the blocks.
    sites : mapping
        The rules of each site by its registered domain.
    name : str
        Name of the model.
    record : mapping
        How it was made.
    kind, table, feature_names, decoding, languages
        As of the model that labels the blocks.
    """

    base: Model
    sites: Mapping[str, SiteRules]
    name: str = KIND
    record: Mapping[str, Any] = field(default_factory=dict)
    kind: str = field(init=False)
    table: TagTable = field(init=False)
    feature_names: tuple[str, ...] = field(init=False)
    decoding: str = field(init=False)
    languages: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Take what is the same as of the model that labels the blocks."""
        for name in ("kind", "table", "feature_names", "decoding", "languages"):
            object.__setattr__(self, name, getattr(self.base, name))

    @classmethod
    def over(cls, model: Model, sites: Mapping[str, SiteRules]) -> SiteModel:
        """Return a model with rules for some sites, behind those that it has."""
        base, known = (model.base, model.sites) if isinstance(model, SiteModel) else (model, {})
        own = {site: SiteRules((*known.get(site, SiteRules()).rules, *more.rules)) for site, more in sites.items()}
        return cls(base, {**known, **own})

    def rules(self, host: str | None) -> tuple[SiteRule, ...]:
        """Return the rules of a site; where it is not known those of the only one, if there are no others."""
        known = next(iter(self.sites)) if host is None and len(self.sites) == 1 else host
        return self.sites.get(known or "", SiteRules()).rules

    def measurer(self, identifier: Identifier) -> PageMeasurer:
        """Return the measuring stage of the model that labels the blocks."""
        return self.base.measurer(identifier)

    def predict(self, measured: PageFeatures) -> Prediction:
        """Return scores and labels, before the rules of a site."""
        return self.base.predict(measured)

    def explain(self, measured: PageFeatures, prediction: Prediction) -> tuple[BlockReason, ...]:
        """Return for each block why the model keeps or drops it."""
        return self.base.explain(measured, prediction)

    def favouring(self, side: str) -> SiteModel:
        """Return a copy whose model favours ``"precision"`` or ``"recall"``."""
        return replace(self, base=self.base.favouring(side))

    def to_document(self) -> tuple[dict[str, Any], Arrays]:
        """Return the rules as plain values; of the model, which is a bundled one, its name."""
        sites = {host: rules.to_dict() for host, rules in self.sites.items()}
        document = {"kind": KIND, "schema": 1, "name": self.name, "from": self.base.name, "sites": sites}
        return {**document, "record": dict(self.record)}, {}

    @classmethod
    def from_document(
        cls, document: Mapping[str, Any], arrays: Arrays, *, where: str = "model", read: ReadFile | None = None
    ) -> SiteModel:
        """Make a model from what `to_document` returned.

        Raises
        ------
        ModelError
            Something is missing or wrong, or there is no bundled model of that name.
        """
        from blockfeat.models.store import bundled_models, load_model

        check_schema(document, where=where)
        with reading_values(where):
            if (base := document["from"]) not in bundled_models():
                raise ModelError(f"'from' names no bundled model: {base!r}")
            sites = {str(host): SiteRules(tuple(_rules(values)), dict(values.get("learnt", {})))
                     for host, values in document["sites"].items()}  # fmt: skip
            return cls(load_model(base), sites, str(document["name"]), dict(document.get("record", {})))


def _rules(values: Mapping[str, Any]) -> Iterator[SiteRule]:
    for rule in values["rules"]:
        if rule["do"] not in _VERBS or not isinstance(rule["where"], str) or not rule["where"]:
            raise ModelError(f"a rule keeps or drops a place, not {rule['do']!r} {rule['where']!r}")
        if (place := rule["where"].removeprefix(side_of(rule["where"]))).startswith(_CSS):
            parsed_selector(place.removeprefix(_CSS))
        yield SiteRule(rule["do"], rule["where"], str(rule.get("why", "")))
