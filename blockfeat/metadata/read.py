"""Combine all sources, in order of priority, into one `Metadata`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cached_property, lru_cache, partial
from itertools import chain
from operator import and_, eq
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from blockfeat.blocks.table import Blocks
from blockfeat.metadata.dates import Dated, Moment, choose_publication, moment_in_url, most_precise, parse_moment
from blockfeat.metadata.metadata import (
    Candidates,
    Metadata,
    alike,
    claims_of_head,
    folded,
    plain,
    source_records,
    support_of,
)
from blockfeat.metadata.names import clean_names, is_agency, is_declared, is_headline_of, without_site
from blockfeat.metadata.schema_org import claims_of_nodes, read_microdata, read_rdfa
from blockfeat.metadata.visible import Place, place_of, visible_authors
from blockfeat.metadata.visible_dates import SeenDate, day_by_htmldate, only_date, visible_dates
from blockfeat.page.document import host_of
from blockfeat.page.json_ld import read_linked_data
from blockfeat.page.page import Page
from blockfeat.page.tags import Tags

_LONGEST_TITLE, _MOST_HEADINGS = 400, 4
_Read = TypeVar("_Read")
_NO_LANGUAGES = ("mul", "und", "x-default", "zxx")
# Descriptions are cut short: so many letters of the shorter one are compared.
_LETTERS = 60


def read_metadata(page: Page, blocks: Blocks, kept: NDArray[np.bool_], headline: int | None) -> Metadata:
    """Return the metadata of a page.

    Parameters
    ----------
    page : Page
        The page.
    blocks : Blocks
        Its blocks.
    kept : bool array, n
        Which of them are text.
    headline : int or None
        The block that is the headline.
    """
    return Metadata() if page.tags is None else _Reading(page, page.tags, blocks, kept, headline).metadata()


def declared_claims(page: Page, blocks: Blocks, kept: NDArray[np.bool_], headline: int | None) -> list[Candidates]:
    """Return what each source of a page's markup declares, in the order of `blockfeat.metadata.metadata.SOURCES`."""
    return [] if page.tags is None else _Reading(page, page.tags, blocks, kept, headline).claims


class _Reading:
    """State of reading one page; sources are read lazily."""

    def __init__(self, page: Page, tags: Tags, blocks: Blocks, kept: NDArray[np.bool_], headline: int | None) -> None:
        self.page, self.tags, self.blocks, self.kept, self.headline = page, tags, blocks, kept, headline
        self.sources: dict[str, str] = {}
        head = claims_of_head(self.tags)
        self.url = page.url or next((url for claims in head for url in claims["url"]), None)
        self.host = host_of(self.url).removeprefix("www.") if self.url else ""
        self.visible = None if headline is None else blocks.text(headline)
        self.claims: list[Candidates] = [*self._items(), *head]

    def _items(self) -> list[Candidates]:
        """Return what JSON-LD says, and microdata and RDFa where that leaves something open."""
        title = self.visible or self.page.title
        found = claims_of_nodes(read_linked_data(self.page.linked_data), source="json-ld", url=self.url, title=title)
        if _is_complete(found):
            return found
        for source, read in (("microdata", read_microdata), ("rdfa", read_rdfa)):
            found += claims_of_nodes(read(self.tags), source=source, url=self.url, title=title)
            if _is_complete(found):
                break
        return found

    @cached_property
    def place(self) -> Place | None:
        """Where the article begins."""
        return place_of(self.blocks, self.kept, self.headline)

    @cached_property
    def is_month_first(self) -> bool:
        """Whether 4/5/2023 is the fifth of April: on English pages outside of countries that write days first."""
        lang = (self.page.declared_lang or "en").lower().replace("_", "-")
        elsewhere = self.host.endswith((".uk", ".au", ".nz", ".ie", ".in", ".za", ".sg", ".eu"))
        return (lang == "en" or lang.startswith("en-us")) and not elsewhere

    def metadata(self) -> Metadata:
        """Return all values."""
        site = self._first("site", _short)
        title, title_source = self._title(site), self.sources.get("title", "")
        authors, agencies = self._authors(site)
        published, modified = self._dates()
        declared = _language(self.page.declared_lang or "")
        language = self._first("language", _language) or self._set("language", declared, "html")
        paywall = self._first("paywall", str)
        found: dict[str, Any] = {
            "title": title,
            "headline": self._set("headline", self.visible, "heading") or self._set("headline", title, title_source),
            "authors": authors,
            "agencies": agencies,
            "published": published,
            "modified": modified,
            "site": site,
            "canonical_url": self._first("url", self._absolute, named="canonical_url"),
            "description": self._first("description", plain),
            "image": self._first("image", self._absolute),
            "language": language,
            "section": self._first("section", _short),
            "tags": self._tags(),
            "paywall": None if paywall is None else paywall == "true",
            "licence": self._first("licence", lambda value: plain(value)[:300]),
        }
        sources = {name: self.sources[name] for name in sorted(self.sources)}
        support = dict(self._supports(found))
        return Metadata(**found, sources=sources, support=support, confidences=self._confidences(support))

    def _supports(self, found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Return the fields whose sources have records, and what other sources of the page say of their values."""
        if found["title"]:
            declared = self._others("title", "title", lambda values: plain(values[0]))
            seen = {"heading": self.visible, "title": self.page.title} | {self.sources["title"]: None}
            yield "title", support_of(found["title"], chain(declared, filter(None, seen.values())), alike)
        if found["authors"]:
            named = self._others("authors", "author", lambda values: frozenset(map(folded, clean_names(values))))
            yield "authors", support_of(frozenset(map(folded, found["authors"])), filter(None, named), and_)
        if found["published"]:
            moments = self._others("published", "published", self._day)
            in_url = moment_in_url(self.url) if self.url and self.sources["published"] != "url" else None
            days = (*moments, in_url and in_url.day)
            yield "published", support_of(found["published"].day, filter(None, days), eq)
        if found["description"]:
            given = self._others("description", "description", lambda values: plain(values[0]))
            yield "description", support_of(found["description"], given, _begin_alike)
        if found["tags"]:
            keywords = self._others("tags", "tag", lambda values: frozenset(map(folded, _split_tags(values))))
            yield "tags", support_of(frozenset(map(folded, found["tags"])), filter(None, keywords), and_)

    def _others(self, name: str, claimed: str, read: Callable[[list[str]], _Read]) -> Iterator[_Read]:
        """Return what sources claim, other than the one that a field's value is from."""
        own = self.sources[name]
        return (read(each.values[claimed]) for each in self.claims if claimed in each.values and each.source != own)

    def _day(self, values: list[str]) -> date | None:
        moment = parse_moment(values[0], month_first=self.is_month_first)
        return moment.day if moment else None

    def _confidences(self, support: Mapping[str, str]) -> dict[str, float]:
        records = source_records()
        found = ((name, records.confidence(name, self.sources[name], said)) for name, said in support.items())
        return {name: confidence for name, confidence in found if confidence is not None}

    def _set(self, name: str, value: str | None, source: str) -> str | None:
        if value:
            self.sources[name] = source
        return value or None

    def _given(self, name: str) -> list[tuple[str, str]]:
        """Return all claims of a field with their sources, in order."""
        claiming = [claims for claims in self.claims if name in claims.values]
        ordered = source_records().ordered(name, claiming) if len(claiming) > 1 else claiming
        return [(value, claims.source) for claims in ordered for value in claims.values[name]]

    def _first(self, name: str, clean: Callable[[str], str], *, named: str | None = None) -> str | None:
        for value, source in self._given(name):
            if cleaned := clean(value):
                return self._set(named or name, cleaned, source)
        return None

    def _title(self, site: str | None) -> str | None:
        """Return the visible headline where the declared titles are like it, else the first of these."""
        given = [(plain(value), source) for value, source in self._given("title")]
        if self.visible and is_declared(self.visible, (text for text, _ in given), site=site, host=self.host):
            return self._set("title", *(self._title_for_links(given, site) or (self.visible, "heading")))
        chosen = None
        for text, source in (*given, (self.visible or "", "heading"), (self.page.title or "", "title")):
            if text and len(text) <= _LONGEST_TITLE:
                title = without_site(text, site=site, host=self.host, known=self.visible)
                chosen = chosen or (title, source)
                if folded(title) != folded(site):
                    chosen = title, source
                    break
        if chosen is None:
            return None
        # A heading may hold more than the block of the headline.
        headings = map(self.tags.text, self.tags.named("h1")[:_MOST_HEADINGS].tolist())
        if self.visible and is_headline_of(self.visible, chosen[0], self.page.title or "", headings):
            chosen = (without_site(self.visible, site=site, host=self.host, known=None), "heading")
        return self._set("title", *chosen)

    def _title_for_links(self, given: list[tuple[str, str]], site: str | None) -> tuple[str, str] | None:
        """Return the title of Open Graph where it alone is another one: it was written for links, by hand."""
        first = {source: text for text, source in reversed(given) if len(text) <= _LONGEST_TITLE}
        clean = partial(without_site, site=site, host=self.host, known=self.visible)
        own, shared = folded(self.visible), clean(first.get("open-graph", ""))
        if not shared or own in folded(shared) or folded(shared) == folded(site):
            return None
        others = (clean(first.get("json-ld", "")), clean(self.page.title or ""))
        return (shared, "open-graph") if all(folded(other) == own for other in others) else None

    def _authors(self, site: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the authors, and the agencies among those that the page names."""
        agencies: dict[str, str] = {}
        teams: tuple[tuple[str, ...], str] = ((), "")
        for claims in self._author_claims():
            names = clean_names(claims["author"]) or clean_names(claims["organisation"])
            for name in (*names, *clean_names(claims["organisation"])):
                if is_agency(name):
                    agencies.setdefault(name, claims.source)
            names = tuple(name for name in names if not is_agency(name))
            persons = tuple(name for name in names if not self._is_site(name, site)) if claims["author"] else ()
            if persons:
                teams = (persons, claims.source)
                break
            if names and not teams[0]:
                teams = (names, claims.source)
        if teams[0]:
            self.sources["authors"] = teams[1]
        if agencies:
            self.sources["agencies"] = next(iter(agencies.values()))
        return teams[0], tuple(agencies)

    def _author_claims(self) -> Iterator[Candidates]:
        yield from (claims for claims in self.claims if claims["author"] or claims["organisation"])
        if self.place is not None:
            yield visible_authors(self.place, title=self.visible or self.page.title or "")

    def _is_site(self, name: str, site: str | None) -> bool:
        """Return whether an author is the site itself."""
        own = folded(name)
        return own in (folded(site), folded(self.host), folded(self.host.rsplit(".", 1)[0]))

    def _dates(self) -> tuple[Moment | None, Moment | None]:
        modified = self._moments("modified")
        in_url = moment_in_url(self.url) if self.url else None
        url_day = in_url.day if in_url else None
        published = choose_publication(self._moments("published"), modified, url_day, self._visible_publications)
        if published is None:
            seen = list(self._visible())
            published = self._undeclared([each for each in seen if not each.is_update] or seen, in_url)
            modified = modified or [(each.moment, "time") for each in seen if each.is_update]
            if published is None and not modified and self.place is not None:
                published = self._anywhere(self.place)
        changed = most_precise(modified[0], modified) if modified else None
        self.sources |= {name: each[1] for name, each in (("published", published), ("modified", changed)) if each}
        return published and published[0], changed and changed[0]

    def _undeclared(self, seen: list[SeenDate], in_url: Moment | None) -> Dated | None:
        """Return the visible date of a page that declares none, else the day in its address."""
        # A date that is alone counts, whatever the word in front of it.
        if seen:
            given = [(each.moment, "time") for each in seen]
            return most_precise(next((each for each in given if in_url and each[0].day == in_url.day), given[0]), given)
        return (in_url, "url") if in_url else None

    def _visible(self) -> Iterator[SeenDate]:
        return iter(()) if self.place is None else visible_dates(self.place, month_first=self.is_month_first)

    def _visible_publications(self) -> Iterator[Dated]:
        return ((each.moment, "time") for each in self._visible() if not each.is_update)

    def _moments(self, name: str) -> list[Dated]:
        read = ((parse_moment(value, month_first=self.is_month_first), source) for value, source in self._given(name))
        return [(moment, source) for moment, source in read if moment]

    def _anywhere(self, place: Place) -> Dated | None:
        """Return the date that stands anywhere in the article."""
        if not self.kept.any():
            return None
        moment = only_date(place, month_first=self.is_month_first)
        if moment is not None:
            return moment, "time"
        day = day_by_htmldate(place, self.url)
        return (Moment(day), "htmldate") if day else None

    def _tags(self) -> tuple[str, ...]:
        """Return the keywords of the first source that has any."""
        for claims in self.claims:
            if found := dict.fromkeys(_split_tags(claims["tag"])):
                self.sources["tags"] = claims.source
                return tuple(found)
        return ()

    def _absolute(self, address: str) -> str:
        address = plain(address)
        if address.startswith(("data:", "javascript:", "blob:")) or " " in address:
            return ""
        if address.startswith(("https://", "http://")) and address[8:9].isalnum():
            return address
        try:
            joined = urljoin(self.url or "", address)
            parts = urlsplit(joined)
        except ValueError:
            return ""
        return joined if parts.netloc or (not self.url and "/" in address) else ""


def _begin_alike(one: str, other: str) -> bool:
    first, second = folded(one), folded(other)
    compared = min(len(first), len(second), _LETTERS)
    return compared > 0 and first[:compared] == second[:compared]


def _is_complete(claims: list[Candidates]) -> bool:
    """Return whether title, author and the instants of an article are declared."""
    article = claims[0].values if claims else {}
    is_told = all(article.get(name) for name in ("title", "author", "published"))
    published = parse_moment(article["published"][0]) if is_told else None
    return published is not None and published.instant is not None


def _short(value: str) -> str:
    text = plain(value)
    return text if len(text) <= 120 else ""


@lru_cache(maxsize=512)
def _language(value: str) -> str:
    """Return a language tag in its standard form (BCP 47); empty for what is none, and for "undetermined"."""
    from langcodes import standardize_tag, tag_is_valid
    from langcodes.tag_parser import LanguageTagError

    # "en_US.UTF-8" names an encoding too.
    tag = value.strip().partition(".")[0]
    try:
        return standardize_tag(tag) if tag_is_valid(tag) and tag.lower() not in _NO_LANGUAGES else ""
    except LanguageTagError:
        return ""


def _split_tags(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        for tag in plain(value).replace(";", ",").replace("、", ",").split(","):
            if 0 < len(text := tag.strip()) <= 80:
                yield text
