"""What the live page shows, read from the store: articles with their mentions, numbers by day, brand and source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from blockfeat.monitor.report.page import in_steps
from blockfeat.monitor.store.store import Store
from blockfeat.web.live.filters import COLUMNS, COUNTED, DAY, FROM, ROWS_FROM, Filters

ROW = (
    "m.id AS number, m.key AS id, m.brand, m.place, m.match, m.sentence, m.block, m.because, m.rule, m.counted, "
    f"m.copied, p.id AS page, coalesce(p.story, p.copy_of, p.id) AS story, p.url, p.title, {COLUMNS['lang']} AS lang, "
    f"{DAY} AS day, p.host, f.title AS feed, {COLUMNS['source']} AS source, p.origin, p.kind, o.url AS copy_of, "
    f"p.removed_at, p.fetched_at, {COUNTED} AS counts, m.relevance, m.variant, b.verdict"
)
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
        Its mentions, columns of `ROW`; of all its articles.
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


def stream(store: Store, filters: Filters, *, before: int | None = None) -> Stream:
    """Return the articles whose mentions were found last, each story once on a page."""
    condition, values = filters.condition()
    if before is not None:
        condition, values = f"{condition} AND m.id < :before", values | {"before": before}
    rows = store.query(f"SELECT {ROW} {ROWS_FROM} WHERE {condition} ORDER BY m.id DESC LIMIT {_ROWS + 1}", values)
    stories: dict[int, list[Mapping[str, Any]]] = {}
    shown = 0
    for row in rows[:_ROWS]:
        if row["story"] not in stories and len(stories) == _ARTICLES:
            break
        stories.setdefault(row["story"], []).append(row)
        shown += 1
    is_end = shown == len(rows)
    newest = int(rows[0]["number"]) if rows else 0
    return Stream([*map(Article, stories.values())], None if is_end else int(rows[shown - 1]["number"]), newest)


def rows_of(store: Store, filters: Filters, *, limit: int | None = None) -> Iterator[Mapping[str, Any]]:
    """Yield mentions, columns of `ROW`, the newest first."""
    condition, values = filters.condition()
    ending = f" LIMIT {limit:d}" if limit is not None else ""
    yield from store.query(f"SELECT {ROW} {ROWS_FROM} WHERE {condition} ORDER BY m.id DESC{ending}", values)


def newer(store: Store, filters: Filters, after: int) -> int:
    """Return how many mentions were found after one."""
    condition, values = filters.condition()
    found = store.query(f"SELECT count(*) AS n {FROM} WHERE {condition} AND m.id > :after", values | {"after": after})
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


def overview(store: Store, filters: Filters, *, today: date) -> Overview:
    """Return the numbers of the days that are asked for, or else of the last thirty, and of as many before them.

    Where the last sixty days have none and no days are asked for, all days that have mentions.
    """
    found = _overview(store, filters, today=today)
    if found.numbers or filters.since or filters.until:
        return found
    condition, values = filters.condition()
    (span,) = store.query(f"SELECT min({DAY}) AS first, max({DAY}) AS last {FROM} WHERE {condition}", values)
    if span["first"] is None:
        return found
    ends = {name: date.fromisoformat(span[key]) for name, key in (("since", "first"), ("until", "last"))}
    return _overview(store, filters.model_copy(update=ends), today=today)


def _overview(store: Store, filters: Filters, *, today: date) -> Overview:
    until = filters.until or max(today, filters.since or today)
    since = min(filters.since or until - timedelta(days=_DAYS - 1), until)
    earlier = filters.model_copy(update={"since": since - (until - since) - timedelta(days=1), "until": until})
    condition, values = earlier.condition()
    # Not the bare column: SQLite would read mentions by its index, in an order that takes twice as long.
    numbers = f"m.brand || '' AS brand, {DAY} AS day, {COLUMNS['lang']} AS lang, count(*) AS n"
    is_now = f"CASE WHEN {DAY} >= '{since.isoformat()}' THEN '{since.isoformat()}' ELSE '' END"
    sources = f"{COLUMNS['source']} AS source, {is_now} AS day, count(*) AS n"
    return Overview(
        since,
        until,
        [*store.query(f"SELECT {numbers} {FROM} WHERE {condition} GROUP BY 1, 2, 3", values)],
        [*store.query(f"SELECT {sources} {FROM} WHERE {condition} GROUP BY 1, 2", values)],
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

    def in_block(self, number: int) -> list[Mapping[str, Any]]:
        """Return the mentions of one block."""
        return [row for row in self.mentions if row["block"] == number]


def evidence_of(store: Store, number: int) -> Evidence | None:
    """Return a page by its number in the store; None where there is none."""
    columns = f"p.id, p.url, p.title, p.headline, p.text, {COLUMNS['lang']} AS lang, {DAY} AS day, p.host, p.kind"
    joined = "FROM page p LEFT JOIN page o ON o.id = p.copy_of"
    pages = store.query(
        f"SELECT {columns}, p.status, p.origin, p.fetched_at, p.version, p.copy_of, o.url AS original {joined} "
        "WHERE p.id = :id",
        {"id": number},
    )
    if not pages:
        return None
    rows = store.query(f"SELECT {ROW} {ROWS_FROM} WHERE p.id = :id ORDER BY m.block, m.start", {"id": number})
    return Evidence(pages[0], [*rows], [*store.evidence(pages[0]["url"])])
