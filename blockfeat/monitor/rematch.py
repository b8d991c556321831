"""Matching stored pages again with new brands, names and rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from blockfeat.errors import failure_reason
from blockfeat.extraction import extractor_of
from blockfeat.monitor.config import MonitorConfig
from blockfeat.monitor.mentions.matcher import BrandMatcher
from blockfeat.monitor.mentions.queries import QueryMatcher
from blockfeat.monitor.reading import ReaderSettings, all_mentions, found_mentions, stored_extraction
from blockfeat.monitor.store.mentions import Rematched
from blockfeat.monitor.store.records import FoundMention, StoredPage
from blockfeat.monitor.store.store import Store

_AT_ONCE = 100


def rematch(
    store: Store,
    config: MonitorConfig,
    *,
    brands: Collection[str] = (),
    announce: bool = False,
    now: float,
    on_pages: Callable[[int], None] | None = None,
    on_failure: Callable[[str, str], None] = lambda url, reason: None,
) -> Rematched:
    """Make the mentions of a store those that its configuration would find in the same pages today.

    Pages are read from their evidence, or else from their text; a run may go on meanwhile, and a page that it reads in
    between is left to it. Mentions that nothing finds any more stay as ruled out. May be repeated, and be broken off.

    Parameters
    ----------
    brands : collection of str
        Only these brands and queries; all where it is empty.
    announce : bool
        Whether what is added goes to the receivers too.
    now : float
        Seconds since 1970.
    on_pages : callable, optional
        Called with the number of pages that are done.
    on_failure : callable
        Called with the address of a page that could not be looked through, and the reason.
    """
    done = Rematched()
    for pages, found in _looked_through(store, config, brands, on_failure):
        failed = Rematched(pages - len(found), failed=pages - len(found))
        done += store.match_again(found, brands=brands, announce=announce, now=now) + failed
        if on_pages is not None:
            on_pages(done.pages)
    return done


def found_now(store: Store, config: MonitorConfig) -> Iterator[list[FoundMention]]:
    """Yield the mentions that count of each page of a store, as a configuration finds them; nothing is changed."""
    for _, found in _looked_through(store, config):
        for _, mentions in found:
            yield [mention for mention in mentions if mention.counted]


def _looked_through(
    store: Store,
    config: MonitorConfig,
    brands: Collection[str] = (),
    on_failure: Callable[[str, str], None] = lambda url, reason: None,
) -> Iterator[tuple[int, list[tuple[StoredPage, list[FoundMention]]]]]:
    """Yield some pages of a store at a time: how many, and those that could be looked through, with their mentions."""
    matcher = BrandMatcher.of(brand for brand in config.brands if not brands or brand.name in brands)
    queries = QueryMatcher.of(query for query in config.queries if not brands or query.name in brands)
    reading = ReaderSettings.of(config, store.lessons())
    extractor, last = extractor_of(reading.model), 0
    while pages := store.stored_pages(after=last, limit=_AT_ONCE):
        found = []
        for page in pages:
            try:
                extraction, parts, is_whole = stored_extraction(page, extractor)
                looked_at = page if is_whole else replace(page, evidence=None)
                settings = reading.for_origin(page.origin)
                mentions = all_mentions(extraction, matcher, queries, settings, parts)
                found.append((looked_at, [*found_mentions(extraction, mentions, settings, page.url)]))
            except Exception as error:
                on_failure(page.url, failure_reason(error))
        last = pages[-1].id
        yield len(pages), found
