"""The page of a monitor: articles with their mentions, numbers and a chart, read from the store; as one file, too."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache, cached_property
from importlib.resources import files
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from blockfeat import __version__
from blockfeat.errors import LimitExceeded, how_many
from blockfeat.extraction import KINDS
from blockfeat.lang import direction_of
from blockfeat.monitor.feeds.syndication import template
from blockfeat.monitor.mentions.brand import is_unsure
from blockfeat.monitor.mentions.mention import PLACES, around, words_for
from blockfeat.monitor.reading import BLOCK, stored_extraction
from blockfeat.monitor.reports import DIMENSIONS, Filters, articles_read, numbers_by
from blockfeat.monitor.store.schema import MENTIONS_FROM, MENTIONS_SELECT, SQL
from blockfeat.monitor.store.store import Store

_SHOWN = SQL["mentions"]["shown"].format(columns=MENTIONS_SELECT, tables=MENTIONS_FROM)
_PLACED = SQL["mentions"]["placed"]
_ARTICLES, _ROWS = 25, 300
_DAYS, _PRESETS = 30, (1, 7, 30, 90)
_DAY = timedelta(days=1)
_SERIES = 6
_FIXED = {"place": sorted(PLACES), "kind": sorted(KINDS)}
# Each step with the longest span in days that it is taken for, and the first day of the step that a day is in.
_STEPS: tuple[tuple[str, float, Callable[[date], date]], ...] = (
    ("day", 92, lambda day: day),
    ("week", 730, lambda day: day - timedelta(days=day.weekday())),
    ("month", float("inf"), lambda day: day.replace(day=1)),
)


@dataclass(frozen=True)
class Article:
    """One story of the stream: an article with its mentions, and the others of the story that name the brand too.

    Attributes
    ----------
    rows : list of mapping
        Its mentions, of all its articles: columns of the view ``mentions``, and numbers of rows.
    """

    rows: list[Mapping[str, Any]]

    @property
    def head(self) -> Mapping[str, Any]:
        """The mention that the article is shown by: the first that stands in the story itself, or in its first copy."""
        return min(self.rows, key=lambda row: (row["page"] != row["story"], row["number"]))

    @property
    def mentions(self) -> list[Mapping[str, Any]]:
        """The mentions of that page, in its order."""
        page = self.head["page"]
        return sorted((row for row in self.rows if row["page"] == page), key=lambda row: (row["block"], row["number"]))

    @property
    def others(self) -> list[Mapping[str, Any]]:
        """A mention of each other page of the story."""
        pages = {row["page"]: row for row in reversed(self.rows) if row["page"] != self.head["page"]}
        return [pages[page] for page in sorted(pages)]


@dataclass(frozen=True)
class Stream:
    """Some articles, the newest first; ``before`` is where the next ones begin, None at the end."""

    articles: list[Article] = field(default_factory=list)
    before: int | None = None
    newest: int = 0


def stream(store: Store, filters: Filters, *, before: int | None = None, articles: int = _ARTICLES) -> Stream:
    """Return the articles whose mentions were found last, each story once on a page."""
    condition, values = filters.in_store(store).condition()
    if before is not None:
        condition, values = f"{condition} AND m.id < :before", values | {"before": before}
    chosen = f"{_SHOWN} WHERE {condition} ORDER BY m.id DESC LIMIT {_ROWS + 1}"
    rows = store.query(_PLACED.format(chosen, "x.number DESC"), values)
    stories, shown = dict[int, list[Mapping[str, Any]]](), 0
    for row in rows[:_ROWS]:
        if row["story"] not in stories and len(stories) == articles:
            break
        stories.setdefault(row["story"], []).append(row)
        shown += 1
    following = int(rows[shown - 1]["number"]) if shown < len(rows) else None
    return Stream([*map(Article, stories.values())], following, int(rows[0]["number"]) if rows else 0)


def newer(store: Store, filters: Filters, after: int) -> int:
    """Return how many mentions were found after one."""
    condition, values = filters.in_store(store).condition()
    statement = f"SELECT count(*) AS n {MENTIONS_FROM} WHERE {condition} AND m.id > :after"
    return int(store.query(statement, values | {"after": after})[0]["n"])


def choices(store: Store) -> dict[str, Sequence[tuple[str, str]]]:
    """Return the values that can be chosen in each filter, each with its name; sources by the names of their feeds."""
    found: dict[str, list[tuple[str, str]]] = {"brand": [], "lang": [], "source": []}
    for row in store.query(SQL["choices"]["all"]):
        found[row["filter"]].append((row["value"], row["name"]))
    return {**found, **{name: [(value, value) for value in values] for name, values in _FIXED.items()}}


@dataclass(frozen=True)
class Overview:
    """Numbers of a period and of the one before it, as long.

    Attributes
    ----------
    since, until : date
        First and last day.
    collecting : date or None
        The day on which the monitor found its first page.
    numbers : mapping of str to list of mapping
        Under ``"all"``, ``"brand"``, ``"query"``, ``"source"`` and ``"lang"`` of each ``value`` the numbers of
        ``articles`` and ``mentions``, of the period where ``is_now``; of brands and queries by ``day`` too.
    read : mapping of str to int
        Articles that were read, by day.
    """

    since: date
    until: date
    collecting: date | None
    numbers: Mapping[str, Sequence[Mapping[str, Any]]]
    read: Mapping[str, int]

    @cached_property
    def has_before(self) -> bool:
        """Whether the monitor was there in the period before."""
        return self.collecting is not None and self.collecting <= self.since - (self.until - self.since) - _DAY

    def total(self, name: str = "articles", *, is_now: bool = True) -> int:
        """Return the number of articles or mentions of the period, or of the one before."""
        return sum(row[name] for row in self.numbers["all"] if row["is_now"] == is_now)

    def all_read(self, *, is_now: bool = True) -> int:
        """Return the number of articles that were read in the period, or in the one before."""
        return sum(number for day, number in self.read.items() if (day >= self.since.isoformat()) == is_now)

    def shares(self, name: str) -> list[tuple[str, int, int, int]]:
        """Return the values, those with most articles first, at last those with none any more; each with its numbers.

        These are the articles, the mentions, and the articles in the period before.
        """
        now, mentions, before = Counter[str](), Counter[str](), Counter[str]()
        for row in self.numbers[name]:
            (now if row["is_now"] else before)[row["value"] or ""] += row["articles"]
            mentions[row["value"] or ""] += row["mentions"] if row["is_now"] else 0
        gone = [(value, 0) for value, _ in before.most_common() if self.has_before and value not in now]
        return [(value, number, mentions[value], before[value]) for value, number in [*now.most_common(), *gone]]

    @cached_property
    def series(self) -> tuple[str, list[str], dict[str, Counter[str]], Counter[str], Counter[str]]:
        """Steps of the period, the articles of each brand in each, of all brands one period earlier, and all read.

        The name of a step, its first days, the numbers by brand and step (brands after the sixth together; queries
        where there are no brands), the numbers before, the numbers of articles read.
        """
        kind = "brand" if self.numbers["brand"] else "query"
        length = self.until - self.since
        step, start = next((name, begin) for name, days, begin in _STEPS if length.days <= days)
        steps = list(dict.fromkeys(str(start(self.since + number * _DAY)) for number in range(length.days + 1)))
        most = [name for name, number, *_ in self.shares(kind)[:_SERIES] if number]
        series = defaultdict(Counter[str], {name: Counter[str]() for name in most})
        before, read = Counter[str](), Counter[str]()
        begun = cache(lambda text, later: str(start(date.fromisoformat(text) + later)))
        for row in self.numbers[kind]:
            if row["is_now"]:
                name = row["value"] if row["value"] in series else "others"
                series[name][begun(row["day"], 0 * _DAY)] += row["articles"]
            elif self.has_before:
                before[begun(row["day"], length + _DAY)] += row["articles"]
        for text, number in self.read.items():
            if text >= self.since.isoformat():
                read[begun(text, 0 * _DAY)] += number
        return step, steps, series, before, read


def overview(store: Store, filters: Filters, *, today: date, is_whole: bool = False) -> Overview:
    """Return the numbers of the days that are asked for, or else of the last thirty, and of as many before them.

    Where no days are asked for, all days that have mentions where the last sixty have none, or with ``is_whole``.
    """
    filters = filters.in_store(store)
    has_days = filters.since is not None or filters.until is not None
    found = _overview(store, filters, today=today)
    if has_days or (found.numbers["all"] and not is_whole):
        return found
    condition, values = filters.condition()
    day = DIMENSIONS["day"]
    (span,) = store.query(f"SELECT min({day}) AS since, max({day}) AS until {MENTIONS_FROM} WHERE {condition}", values)
    if span["since"] is None:
        return found
    ends = {name: date.fromisoformat(text) for name, text in span.items()}
    return _overview(store, filters.model_copy(update=ends), today=today)


def _in_store(day: date) -> date:
    """Return a day, or the first or last one that pages may have, with room for as many days before or behind."""
    return min(max(day, date(1990, 1, 1)), date(2100, 12, 31))


def _overview(store: Store, filters: Filters, *, today: date) -> Overview:
    until = _in_store(filters.until or max(today, filters.since or today))
    since = min(_in_store(filters.since or until - timedelta(days=_DAYS - 1)), until)
    earlier = filters.model_copy(update={"since": since - (until - since) - _DAY, "until": until})
    numbers: dict[str, list[dict[str, Any]]] = {name: [] for name in ("all", "brand", "query", "source", "lang")}
    for row in numbers_by(store, earlier, since=since):
        numbers[row["by"]].append(row)
    return Overview(since, until, store.collecting_since(), numbers, articles_read(store, earlier))


def blocks_of(store: Store, url: str) -> list[dict[str, Any]]:
    """Return the blocks of a page of a store, each with its text, role and reason.

    Empty where they were not kept, and where their reasons would take too much memory.
    """
    page = store.stored_page(url)
    extraction, _, is_whole = (None, None, False) if page is None else stored_extraction(page)
    with suppress(LimitExceeded):
        blocks = zip(extraction.blocks, extraction.roles, strict=True) if extraction is not None and is_whole else ()
        return [{name: getattr(block, name) for name in BLOCK} | {"role": role} for block, role in blocks]
    return []


def evidence_of(store: Store, number: int) -> Mapping[str, Any] | None:
    """Return a page by its number in the store: ``page``, its ``mentions`` and ``blocks``; None where there is none."""
    pages = store.query(SQL["evidence"]["page"].format(**DIMENSIONS), {"id": number})
    if not pages:
        return None
    rows = store.query(_PLACED.format(f"{_SHOWN} WHERE p.id = :id", "x.block, x.start"), {"id": number})
    return {"page": pages[0], "mentions": rows, "blocks": blocks_of(store, pages[0]["url"])}


_SHEETS = ("base.css", "live.css")
_IN_REPORT = 40
FUNCTIONS: Mapping[str, Any] = {
    "around": around,
    "direction_of": direction_of,
    "how_many": how_many,
    "is_unsure": is_unsure,
    "number": "{:,}".format,
    "version": __version__,
    "words_for": words_for,
}
"""What the templates call."""


def page_values(store: Store, filters: Filters, *, before: int | None = None, is_file: bool = False) -> dict[str, Any]:
    """Return what the template ``live.html`` is filled with.

    Parameters
    ----------
    before : int, optional
        Only mentions that were found before this one, without numbers and chart.
    is_file : bool
        Whether the page is a file: more articles, all days, and no links to a server.
    """
    filters = filters.in_store(store)
    found = stream(store, filters, before=before, articles=_IN_REPORT if is_file else _ARTICLES)
    values: dict[str, Any] = {
        "filters": filters,
        "stream": found,
        "is_first": before is None,
        "choices": choices(store),
    }
    if before is None:
        today = store.today(now=time.time())
        numbers = overview(store, filters, today=today, is_whole=is_file)
        step, steps, series, earlier, read = numbers.series
        starts = [*map(date.fromisoformat, steps), numbers.until + _DAY]
        spans = [(first, following - _DAY) for first, following in pairwise(starts)]
        links = [] if is_file else [f"/?{filters.query(since=first, until=last)}" for first, last in spans]
        totals = (sum(counted[each] for counted in series.values()) for each in steps)
        values |= {"overview": numbers, "step": step, "steps": steps, "series": series, "links": links}
        values |= {"before": earlier, "read": read, "most": max([*totals, *earlier.values()])}
        values["presets"] = {days: filters.query(since=today - (days - 1) * _DAY, until=None) for days in _PRESETS}
    return values


def report_page(store: Store, filters: Filters = Filters(), *, title: str = "Brand mentions") -> str:  # noqa: B008
    """Return the page as one HTML file, without scripts, that needs no server and no network.

    Parameters
    ----------
    filters : Filters
        Which mentions.
    title : str
        Heading of the page.
    """
    static = files("blockfeat").joinpath("web", "static")
    style = "".join(static.joinpath(name).read_text(encoding="utf-8") for name in _SHEETS)
    values = page_values(store, filters, is_file=True)
    page = template("live.html")
    return page.render(FUNCTIONS, title=filters.named(title), style=Markup(style), **values)  # the package's own style
