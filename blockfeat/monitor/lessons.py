"""What a monitor has been taught: senses of brands, and places of sites that are part of articles or are not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.senses import SenseModel, senses_of
from blockfeat.monitor.store.records import FoundMention

_COUNTER = re.compile(r"\[\d+\]")
_SITE = "site: judged to be outside of the article"


@dataclass(frozen=True)
class Lessons:
    """What a monitor has been taught, beside its configuration.

    Attributes
    ----------
    senses : mapping of str to SenseModel
        By brand.
    places : mapping of (str, str) to bool
        By host and path of elements (`plain_path`), whether mentions there are part of the article.
    """

    senses: Mapping[str, SenseModel] = field(default_factory=dict)
    places: Mapping[tuple[str, str], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, stored: Iterable[tuple[str, str, Mapping[str, Any]]], brands: Iterable[Brand]) -> Lessons:
        """Return the lessons that a store has, and those that the words of brands are."""
        senses, places = senses_of(brands), dict[tuple[str, str], bool]()
        for kind, subject, value in stored:
            if kind == "sense":
                senses[subject] = SenseModel.from_dict(value)
            elif isinstance(value.get("host"), str) and isinstance(value.get("path"), str):
                places[value["host"], value["path"]] = bool(value.get("inside"))
        return cls(senses, places)

    def judged(self, mention: FoundMention, host: str) -> FoundMention:
        """Return a mention as what is known of its place on the site has it."""
        inside = self.places.get((host, plain_path(mention.xpath))) if self.places else None
        if inside is False and mention.counted:
            return replace(mention, counted=False, because=_SITE, rule=_SITE, relevance=0.0)
        if inside is True and not mention.counted and mention.rule is None:
            return replace(mention, counted=True, because=None)
        return mention


def plain_path(xpath: str) -> str:
    """Return a path without the numbers of its elements: the same for all paragraphs of a box."""
    return _COUNTER.sub("", xpath)
