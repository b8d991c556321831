"""The page of a monitor: articles with their mentions, numbers and a chart, read from the store; as one file, too."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from blockfeat import __version__
from blockfeat.lang import direction_of
from blockfeat.monitor.mentions.mention import around, words_for
from blockfeat.monitor.reports import DIMENSIONS, Filters
from blockfeat.monitor.store.schema import MENTIONS_FROM, MENTIONS_SELECT
from blockfeat.monitor.store.store import Store

_STORY = "coalesce(p.story, p.copy_of, p.id)"
_ROW = f"{MENTIONS_SELECT}, m.id AS number, p.id AS page, {_STORY} AS story, b.verdict AS verdict"
_ROWS_FROM = f"{MENTIONS_FROM} LEFT JOIN feedback b ON b.mention_key = m.key"
_ARTICLES, _ROWS = 25, 300
_DAYS = 30
_SERIES, _BARS = 6, 10
_OPTIONS = 200


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
    rows = store.query(f"SELECT {_ROW} {_ROWS_FROM} WHERE {condition} ORDER BY m.id DESC LIMIT {_ROWS + 1}", values)
    stories: dict[int, list[Mapping[str, Any]]] = {}
    shown = 0
    for row in rows[:_ROWS]:
        if row["story"] not in stories and len(stories) == articles:
            break
        stories.setdefault(row["story"], []).append(row)
        shown += 1
    is_end = shown == len(rows)
    newest = int(rows[0]["number"]) if rows else 0
    return Stream([*map(Article, stories.values())], None if is_end else int(rows[shown - 1]["number"]), newest)


def newer(store: Store, filters: Filters, after: int) -> int:
    """Return how many mentions were found after one."""
    condition, values = filters.in_store(store).condition()
    found = store.query(
        f"SELECT count(*) AS n {MENTIONS_FROM} WHERE {condition} AND m.id > :after", values | {"after": after}
    )
    return int(found[0]["n"])


def choices(store: Store) -> dict[str, list[str]]:
    """Return the values that can be chosen in each filter, at most two hundred of each."""
    queries = {
        "brand": "SELECT DISTINCT brand AS value FROM mention",
        "lang": "SELECT DISTINCT coalesce(lang, lang_hint) AS value FROM page",
        "source": "SELECT url AS value FROM feed WHERE retired IS NULL",
        "place": "SELECT DISTINCT place AS value FROM mention",
        "kind": "SELECT DISTINCT kind AS value FROM page",
    }
    return {
        name: sorted(row["value"] for row in store.query(f"{query} LIMIT {_OPTIONS}") if row["value"])
        for name, query in queries.items()
    }


@dataclass(frozen=True)
class Overview:
    """Numbers of a period and of the one before it, as long.

    Attributes
    ----------
    since, until : date
        First and last day.
    numbers : list of mapping
        ``brand``, ``day``, ``lang`` and the number ``n`` of mentions.
    sources : list of mapping
        ``source``, ``day``, the first of the period or none, and the number ``n`` of mentions.
    """

    since: date
    until: date
    numbers: list[Mapping[str, Any]]
    sources: list[Mapping[str, Any]]

    def _is_now(self, row: Mapping[str, Any]) -> bool:
        return bool(row["day"] >= self.since.isoformat())

    @cached_property
    def total(self) -> int:
        """Mentions of the period."""
        return sum(row["n"] for row in self.numbers if self._is_now(row))

    @cached_property
    def before(self) -> int:
        """Mentions of the period before."""
        return sum(row["n"] for row in self.numbers if not self._is_now(row))

    def shares(self, name: str) -> list[tuple[str, int, int]]:
        """Return the values of a column that most mentions have, with their numbers now and before."""
        now, before = Counter[str](), Counter[str]()
        for row in self.sources if name == "source" else self.numbers:
            (now if self._is_now(row) else before)[row[name] or ""] += row["n"]
        return [(value, number, before[value]) for value, number in now.most_common(_BARS)]

    @cached_property
    def series(self) -> tuple[str, list[str], dict[str, dict[str, int]], dict[str, int]]:
        """Steps of the period, the numbers of each brand in each, and of all brands one period earlier.

        The name of a step, its first days, the numbers by brand and step (brands after the sixth together), the numbers
        before.
        """
        named = [brand for brand, _, _ in self.shares("brand")[:_SERIES]]
        shift = timedelta(days=(self.until - self.since).days + 1)
        by_day: dict[str, dict[str, int]] = {brand: {} for brand in named}
        for row in self.numbers:
            if self._is_now(row):
                name, day = row["brand"] if row["brand"] in by_day else "other brands", row["day"]
            else:
                name, day = "", (date.fromisoformat(row["day"]) + shift).isoformat()
            numbers = by_day.setdefault(name, {})
            numbers[day] = numbers.get(day, 0) + row["n"]
        # The first and the last day are shown, with mentions or without.
        ends = {self.since.isoformat(): 0, self.until.isoformat(): 0}
        step, steps, summed = in_steps({**by_day, "ends": ends})
        before = summed.pop("", {})
        summed.pop("ends")
        return step, steps, summed, before


def overview(store: Store, filters: Filters, *, today: date, is_whole: bool = False) -> Overview:
    """Return the numbers of the days that are asked for, or else of the last thirty, and of as many before them.

    Where no days are asked for, all days that have mentions where the last sixty have none, or with ``is_whole``.
    """
    filters = filters.in_store(store)
    has_days = filters.since is not None or filters.until is not None
    found = _overview(store, filters, today=today)
    if has_days or (found.numbers and not is_whole):
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
    earlier = filters.model_copy(update={"since": since - (until - since) - timedelta(days=1), "until": until})
    condition, values = earlier.condition()
    # Not the bare column: SQLite would read mentions by its index, in an order that takes twice as long.
    numbers = f"m.brand || '' AS brand, {DIMENSIONS['day']} AS day, {DIMENSIONS['lang']} AS lang, count(*) AS n"
    is_now = f"CASE WHEN {DIMENSIONS['day']} >= '{since.isoformat()}' THEN '{since.isoformat()}' ELSE '' END"
    sources = f"{DIMENSIONS['source']} AS source, {is_now} AS day, count(*) AS n"
    return Overview(
        since,
        until,
        [*store.query(f"SELECT {numbers} {MENTIONS_FROM} WHERE {condition} GROUP BY 1, 2, 3", values)],
        [*store.query(f"SELECT {sources} {MENTIONS_FROM} WHERE {condition} GROUP BY 1, 2", values)],
    )


@dataclass(frozen=True)
class Evidence:
    """A page with its mentions and blocks.

    Attributes
    ----------
    page : mapping
        ``url``, ``title``, ``lang``, ``day``, ``kind``, ``status``, ``text`` …
    mentions : list of mapping
        Those of the current version.
    blocks : list of mapping
        ``text``, ``kept``, ``reason`` and so on; empty where the configuration does not keep them.
    """

    page: Mapping[str, Any]
    mentions: list[Mapping[str, Any]]
    blocks: list[Mapping[str, Any]]


def evidence_of(store: Store, number: int) -> Evidence | None:
    """Return a page by its number in the store; None where there is none."""
    columns = f"p.id, p.url, p.title, p.headline, p.text, {DIMENSIONS['lang']} AS lang, {DIMENSIONS['day']} AS day"
    pages = store.query(
        f"SELECT {columns}, p.host, p.kind, p.status, p.origin, p.fetched_at, p.version, p.copy_of, o.url AS original "
        "FROM page p LEFT JOIN page o ON o.id = p.copy_of WHERE p.id = :id",
        {"id": number},
    )
    if not pages:
        return None
    rows = store.query(f"SELECT {_ROW} {_ROWS_FROM} WHERE p.id = :id ORDER BY m.block, m.start", {"id": number})
    return Evidence(pages[0], [*rows], [*store.evidence(pages[0]["url"])])


# Each step with the longest span in days that it is taken for, and the first day of the step that a day is in.
_STEPS: tuple[tuple[str, float, Callable[[date], date]], ...] = (
    ("day", 92, lambda day: day),
    ("week", 730, lambda day: day - timedelta(days=day.weekday())),
    ("month", float("inf"), lambda day: day.replace(day=1)),
)


def in_steps(series: Mapping[str, Mapping[str, int]]) -> tuple[str, list[str], dict[str, dict[str, int]]]:
    """Return numbers by day as numbers by day, week or month, as few columns as stay readable.

    Parameters
    ----------
    series : mapping of str to mapping
        Name of each series, and its number by day (``2026-11-22``); one day at least.

    Returns
    -------
    str, list of str, dict
        ``"day"``, ``"week"`` or ``"month"``; all steps from the first to the last, each by its first day; the series.
    """
    days = sorted({day for values in series.values() for day in values})
    first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
    span = (last - first).days
    step, start = next((name, begin) for name, most, begin in _STEPS if span <= most)
    all_days = (first + timedelta(days=number) for number in range(span + 1))
    steps = list(dict.fromkeys(start(day).isoformat() for day in all_days))
    summed: dict[str, dict[str, int]] = {}
    for name, values in series.items():
        summed[name] = {}
        for day, number in values.items():
            key = start(date.fromisoformat(day)).isoformat()
            summed[name][key] = summed[name].get(key, 0) + number
    return step, steps, summed


_HEIGHT, _WIDTH = 100.0, 10.0
_GAP = 1.5


def columns(
    steps: Sequence[str],
    series: Mapping[str, Mapping[str, int]],
    before: Mapping[str, int],
    *,
    links: Sequence[str] = (),
) -> Markup:
    """Return a stacked column for each step, and a line for the same steps one period earlier.

    Parameters
    ----------
    steps : sequence of str
        First day of each step.
    series : mapping
        Numbers by name and step; the classes ``series-0`` … give the colours.
    before : mapping
        Numbers one period earlier, by the step that they are compared with.
    links : sequence of str
        Where each column leads; empty for nowhere.
    """
    totals = [sum(numbers.get(step, 0) for numbers in series.values()) for step in steps]
    most = max([*totals, *before.values()], default=0)
    if not most:
        return Markup('<p class="none">No mentions in these days.</p>')
    drawn = []
    for number, step in enumerate(steps):
        bottom, rects = _HEIGHT, []
        for place, numbers in enumerate(series.values()):
            height = _HEIGHT * numbers.get(step, 0) / most
            bottom -= height
            if height:
                rects.append(
                    f'<rect class="series-{place}" x="{number * _WIDTH + _GAP / 2:.2f}" y="{bottom:.2f}" '
                    f'width="{_WIDTH - _GAP:.2f}" height="{height:.2f}"/>'
                )
        parts = ", ".join(f"{name} {numbers[step]}" for name, numbers in series.items() if numbers.get(step))
        hint = f"{step}: {parts or 'none'}; before: {before.get(step, 0)}"
        area = f'<rect class="area" x="{number * _WIDTH:.2f}" y="0" width="{_WIDTH:.2f}" height="{_HEIGHT:.0f}"/>'
        name, link = ("a", f' href="{escape(links[number])}"') if links else ("g", "")
        drawn.append(f"<{name}{link}><title>{escape(hint)}</title>{area}{''.join(rects)}</{name}>")
    line = " ".join(
        f"{(number + 0.5) * _WIDTH:.2f},{_HEIGHT - _HEIGHT * before.get(step, 0) / most:.2f}"
        for number, step in enumerate(steps)
    )
    return Markup(  # all that is filled in is escaped above
        f'<svg class="columns" viewBox="0 0 {len(steps) * _WIDTH:.0f} {_HEIGHT:.0f}" preserveAspectRatio="none" '
        f'role="group" aria-label="mentions over time, at most {most}">{"".join(drawn)}'
        f'<polyline class="before" points="{line}"/></svg>'
    )


_SHEETS = ("base.css", "live.css")
_IN_REPORT = 40
FUNCTIONS: Mapping[str, Any] = {
    "around": around,
    "direction_of": direction_of,
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
    values: dict[str, Any] = {"filters": filters, "stream": found, "is_first": before is None}
    if not is_file:
        values["choices"] = choices(store)
    if before is None:
        numbers = overview(store, filters, today=store.today(now=time.time()), is_whole=is_file)
        step, steps, series, earlier = numbers.series
        starts = [*map(date.fromisoformat, steps), numbers.until + timedelta(days=1)]
        spans = [(first, following - timedelta(days=1)) for first, following in pairwise(starts)]
        links = [] if is_file else [f"/?{filters.query(since=first, until=last)}" for first, last in spans]
        values |= {"overview": numbers, "step": step, "steps": steps, "series": series}
        values["chart"] = columns(steps, series, earlier, links=links)
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
    environment = Environment(loader=PackageLoader("blockfeat", "web/templates"), autoescape=True)
    static = files("blockfeat").joinpath("web", "static")
    style = "".join(static.joinpath(name).read_text(encoding="utf-8") for name in _SHEETS)
    values = page_values(store, filters, is_file=True)
    page = environment.get_template("live.html")
    return page.render(FUNCTIONS, title=filters.named(title), style=Markup(style), **values)  # the package's own style
