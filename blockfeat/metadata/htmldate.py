"""The day of publication by htmldate: the last resort, where the page declares no date and shows none near its text."""

from __future__ import annotations

import re
from datetime import date

from blockfeat.blocks.table import Blocks
from blockfeat.metadata.dates import find_span
from blockfeat.metadata.place import Place

_LIKE_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?:[^\d<>]{1,3}\d|\d{4}(?!\d))|\d[^\d<>]{1,14}(?:19|20)\d\d(?!\d)")
_LARGEST, _BEHIND, _SHORT, _MOST_DAYS = 20_000, 2_000, 80, 2


def day_by_htmldate(blocks: Blocks, url: str | None, place: Place) -> date | None:
    """Return the day that htmldate finds in the article, or None.

    It gets the stretch from the headline on, as its time grows with the page, the head was read before, and dates of
    other articles and comments are none of this one. It is not asked where no short block holds a date, as those in
    sentences are not the day of publication, nor where they hold several, as lists of reviews do.
    """
    texts = (blocks.raw_text(index) for index in place.short(blocks))
    spans = (find_span(text) for text in texts if len(text) <= _SHORT and _LIKE_DATE.search(text))
    if not 0 < len({span[2].day for span in spans if span}) <= _MOST_DAYS:
        return None
    end = int(blocks.end_byte[place.last]) + _BEHIND
    source = b"<html><body>" + blocks.tags.source[place.first_byte : min(end, place.first_byte + _LARGEST)]
    import logging

    try:
        from htmldate import find_date
    except ModuleNotFoundError:  # installed for extraction alone, by requirements-extract.txt
        return None
    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    try:
        found = find_date(source.decode("utf-8", "replace"), original_date=True, extensive_search=False, url=url)
        return date.fromisoformat(found) if found else None
    except Exception:  # a last resort may fail, the page is read without it
        return None
