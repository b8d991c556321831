"""Dates that readers see near the headline or at the end of the text, where the page declares none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from blockfeat.metadata.dates import Moment, find_moment, find_span, parse_moment, recent
from blockfeat.metadata.metadata import LONGEST_ATTRIBUTE, listed, pattern
from blockfeat.metadata.visible import DATE_WORDS, MOST_CHARACTERS, Place, short_text

# Patterns without case are several times as fast on text in lower case.
_NAMED_DATE = re.compile("|".join(listed("date_marks")))
_DATE_NAMES = re.compile(r'\s(?:class|id|itemprop|data-testid|data-qa)="([^"]*)"')
_UPDATED, _PUBLISHED = (re.compile(pattern(name)) for name in ("updated", "published"))
_DATED = re.compile(r"\b(?:datum|date|stand|fecha|data|dato|dátum|дата|tarih)\b")
_NOT_A_DATE = re.compile(r"comment|related|event|duration|read-?time|reading|footer|copyright|birth")
_KEYS = listed("date_attributes")
_DIGITS = re.compile(r"\d.*\d\d", re.DOTALL)
_SHORT_DATE, _LITTLE = 60, 4
# A date in a sentence begins behind so many characters; one that the text begins with stands in the first blocks.
_SENTENCE, _DATELINE, _FIRST_BLOCKS = 40, 60, 3

_LIKE_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?:[^\d<>]{1,3}\d|\d{4}(?!\d))|\d[^\d<>]{1,14}(?:19|20)\d\d(?!\d)")
_LARGEST, _BYTES_BEHIND, _SHORT_BLOCK, _MOST_DAYS = 20_000, 2_000, 80, 2


class SeenDate(NamedTuple):
    """A date that readers see, and whether it is marked as that of an update."""

    moment: Moment
    is_update: bool


def visible_dates(place: Place, *, month_first: bool) -> Iterator[SeenDate]:
    """Return the dates in ``<time>`` and elements named for dates, else in short blocks, the nearest first.

    Lazy: later candidates are searched only if they are consumed.
    """
    is_published = False
    for finder in (_dates_in_elements, _near, _dates_at_end):
        for seen in finder(place, month_first=month_first):
            is_published = is_published or not seen.is_update
            yield seen
        if is_published:
            return


def _dates_in_elements(place: Place, *, month_first: bool) -> Iterator[SeenDate]:
    tags = place.blocks.tags
    for element in place.elements(DATE_WORDS):
        start = tags.start_tag(element)
        names = " ".join(_DATE_NAMES.findall(start)).lower()
        if _NOT_A_DATE.search(names):
            continue
        is_dated = start.startswith("<time") or ' datetime="' in start or ' created-timestamp="' in start
        if not (is_dated or _NAMED_DATE.search(names)):
            continue
        attributes = tags.attributes(element, most=LONGEST_ATTRIBUTE)
        text = short_text(tags, element)
        if (moment := _moment_of(attributes, text, month_first=month_first)) is not None:
            is_update = _UPDATED.search(f"{names} {text.lower()}") and not _PUBLISHED.search(names)
            yield SeenDate(moment, bool(is_update))


def _near(place: Place, *, month_first: bool) -> Iterator[SeenDate]:
    for index, text in place.near.items():
        yield from _in_block(place, index, text, month_first=month_first)


def _dates_at_end(place: Place, *, month_first: bool) -> Iterator[SeenDate]:
    for index, text in place.at_end.items():
        lower = text.lower()
        if _PUBLISHED.search(lower) or _DATED.search(lower):
            yield from _in_block(place, index, text, month_first=month_first)


def _moment_of(attributes: dict[str, str], text: str, *, month_first: bool) -> Moment | None:
    """Return the moment of an element: of its attributes, else of its text."""
    given = (parse_moment(attributes[key], month_first=month_first) for key in _KEYS if attributes.get(key))
    return next(filter(None, given), None) or find_moment(text, month_first=month_first)


def only_date(place: Place, *, month_first: bool) -> Moment | None:
    """Return the date of the article's short blocks, else of the page's dated elements, else that its text begins with.

    Those that differ give none.
    """
    given = (
        _in_short_blocks(place, month_first=month_first),
        (seen.moment for seen in _dates_in_elements(place.whole(), month_first=month_first)),
        _datelines(place, month_first=month_first),
    )
    return next(filter(None, map(_of_one_day, given)), None)


def _of_one_day(moments: Iterator[Moment]) -> Moment | None:
    """Return the first of some moments; None where another one, up to which they are read, is of another day."""
    first = next(moments, None)
    return first if first is not None and all(each.day == first.day for each in moments) else None


def _datelines(place: Place, *, month_first: bool) -> Iterator[Moment]:
    """Return the dates that the first blocks of the text begin with: "Lindau, 5 May 2021 – "."""
    for index in place.kept.nonzero()[0][:_FIRST_BLOCKS].tolist():
        span = find_span(place.blocks.text(index)[:_DATELINE], month_first=month_first)
        if span and recent(span[2]):
            yield span[2]


def _in_short_blocks(place: Place, *, month_first: bool) -> Iterator[Moment]:
    """Return the dates of the short blocks that hold little else, anywhere in the article."""
    for index, raw in zip(place.short, place.blocks.raw_texts(place.short), strict=True):
        text = place.blocks.text(index) if _DIGITS.search(raw) else ""
        span = find_span(text, month_first=month_first) if 0 < len(text) <= _SHORT_DATE else None
        if span is None:
            continue
        before, rest = text[: span[0]].lower(), text[: span[0]] + text[span[1] :]
        if _PUBLISHED.search(before) or _UPDATED.search(before) or _DATED.search(before) or len(rest) < _LITTLE:
            yield span[2]


def _in_block(place: Place, index: int, text: str, *, month_first: bool) -> Iterator[SeenDate]:
    """Return the date of a short block, but not of a sentence; the words in front tell whether it is of an update."""
    span = find_span(text, month_first=month_first) if len(text) <= MOST_CHARACTERS else None
    if span is not None:
        before = text[: span[0]].lower()
        is_published, is_update = (label.search(before) is not None for label in (_PUBLISHED, _UPDATED))
        if is_published or is_update or span[0] <= _SENTENCE or not place.kept[index]:
            yield SeenDate(span[2], is_update and not is_published)


def day_by_htmldate(place: Place, url: str | None) -> date | None:
    """Return the day that htmldate finds in the article, or None.

    It gets the stretch from the headline on, as its time grows with the page, the head was read before, and dates of
    other articles and comments are none of this one. It is not asked where no short block holds a date, as those in
    sentences are not the day of publication, nor where they hold several, as lists of reviews do.
    """
    texts = place.blocks.raw_texts(place.short)
    spans = (find_span(text) for text in texts if len(text) <= _SHORT_BLOCK and _LIKE_DATE.search(text))
    if not 0 < len({span[2].day for span in spans if span}) <= _MOST_DAYS:
        return None
    end = int(place.blocks.end_byte[place.last]) + _BYTES_BEHIND
    source = b"<html><body>" + place.blocks.tags.source[place.first_byte : min(end, place.first_byte + _LARGEST)]
    import logging

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    try:
        from htmldate import find_date

        found = find_date(source.decode("utf-8", "replace"), original_date=True, extensive_search=False, url=url)
        return date.fromisoformat(found) if found else None
    except Exception:  # a last resort may not be installed, or fail: the page is read without it
        return None
