"""``Metadata``: the values that were found on a page, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from blockfeat.metadata.moment import Moment

SOURCES = (
    "json-ld",
    "microdata",
    "rdfa",
    "open-graph",
    "meta",
    "link",
    "html",
    "byline",
    "time",
    "heading",
    "title",
    "url",
    "htmldate",
)
"""Where values come from, in the order in which they are asked."""


@dataclass(frozen=True)
class Metadata:
    """What a page says of itself; a value that it does not give is None or empty.

    Attributes
    ----------
    title : str or None
        The title of the page, without the name of its site.
    headline : str or None
        The heading over the text as readers see it; the title where there is none.
    authors : tuple of str
        Names, without job titles; a team or the publisher only where the page names it as author and no person.
    agencies : tuple of str
        News agencies that the page names as author or source.
    published, modified : Moment or None
        Day, time and zone as far as the page gives them.
    site : str or None
        Name of the site or publisher.
    canonical_url : str or None
        The address that the page gives as its own, absolute where that can be known.
    description : str or None
        Summary for search engines and social networks.
    image : str or None
        Address of the lead image, absolute where that can be known.
    language : str or None
        Language tag as declared, such as ``"de"`` or ``"pt-BR"``.
    section : str or None
        Section of the site.
    tags : tuple of str
        Keywords.
    paywall : bool or None
        Whether the text is only for subscribers; None where the page does not say.
    licence : str or None
        Address or name of the licence.
    sources : mapping of str to str
        Where each value that is given was found, by its field: one of `SOURCES`.
    """

    title: str | None = None
    headline: str | None = None
    authors: tuple[str, ...] = ()
    agencies: tuple[str, ...] = ()
    published: Moment | None = None
    modified: Moment | None = None
    site: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    image: str | None = None
    language: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    paywall: bool | None = None
    licence: str | None = None
    sources: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; moments in ISO 8601."""
        plain: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, Moment):
                value = value.isoformat()
            elif isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            plain[each.name] = value
        return plain
