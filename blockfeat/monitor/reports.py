"""Mentions by filters: counts by dimensions, and rows as JSON Lines, CSV, Parquet; feeds as OPML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, Self
from urllib.parse import urlencode
from xml.sax.saxutils import quoteattr

from pydantic import AfterValidator, BaseModel, BeforeValidator, PrivateAttr, StringConstraints

from blockfeat._files import writing
from blockfeat.content import xml_characters
from blockfeat.errors import ConfigError
from blockfeat.extraction import CLASSES, part_in
from blockfeat.io.outputs import ParquetRows, csv_line
from blockfeat.monitor.mentions.brand import UNSURE
from blockfeat.monitor.mentions.queries import Query
from blockfeat.monitor.store.schema import MENTION_COLUMNS, MENTIONS_FROM, MENTIONS_SELECT, SQL, type_of
from blockfeat.monitor.store.store import Store

if TYPE_CHECKING:
    from blockfeat.monitor.config import SavedView

_COUNTED = {
    "yes": f"{MENTION_COLUMNS['counted']} = 1",
    "no": f"{MENTION_COLUMNS['counted']} = 0",
    "all": "1 = 1",
    "unsure": f"m.because LIKE '{UNSURE}:%' AND m.key NOT IN (SELECT mention_key FROM feedback)",
}
# The class of a dropped block stands in its reason.
_CLASSES = " ".join(
    "WHEN m.because LIKE 'dropped: looks like {}:%' THEN '{}'".format(
        part_in(name, kept=False).replace("'", "''"), name
    )
    for name in CLASSES[:-1]
)
_NOT_COUNTED = (
    f"CASE WHEN {_COUNTED['yes']} THEN 'counted' WHEN {_COUNTED['unsure']} THEN 'unsure' "
    "WHEN m.rule IS NOT NULL THEN 'rule' "
    f"WHEN m.because LIKE 'kind of page: %' THEN p.kind {_CLASSES} WHEN NOT m.counted THEN m.place ELSE 'copy' END"
)
DIMENSIONS: Mapping[str, str] = {
    **{name: MENTION_COLUMNS[name] for name in ("brand", "day", "lang")},
    "source": "coalesce(f.url, p.host)",
    **{name: MENTION_COLUMNS[name] for name in ("host", "place", "kind")},
    "because": _NOT_COUNTED,
}
"""What can be counted by, each with its SQL; ``because`` says why mentions are not counted."""
# SQLite takes tables that are joined so in this order: pages by the index of numbers.
_PAGES_FIRST = "FROM page p CROSS JOIN mention m"
_OF_PAGE = "m.page_id = p.id AND m.version = p.version"
_OF_FEED = "LEFT JOIN feed f ON f.id = p.feed_id"
_CHOSEN_BY = ("brand", "lang", "source", "place", "kind")


def _given(value: Any) -> Any:
    """Return a form's values without those that were left empty."""
    return [each for each in value if each] if isinstance(value, list | tuple) else value


def _query(value: str) -> str:
    if value:
        Query.parse(value, name="words")
    return value


Values = Annotated[list[Annotated[str, StringConstraints(max_length=2000)]], BeforeValidator(_given)]
Day = Annotated[date | None, BeforeValidator(lambda value: value or None)]


class Filters(BaseModel):
    """Which mentions a report, a page, a feed or a file has; by default all that count.

    Attributes
    ----------
    brand, lang, source, place, kind : list of str
        One of these values; all where there is none. ``source`` is the address of a feed, or a host.
    since, until : date or None
        First and last day.
    counted : str
        ``"yes"``, ``"no"``, ``"all"``, or ``"unsure"`` for those that a person has to decide.
    q : str
        Words that the sentence holds, in one piece, whatever their case.
    words : str
        A Boolean query that the article fulfils; see `blockfeat.monitor.mentions.queries`.
    view : str
        A saved view of the configuration, whose filters hold where these say nothing.
    """

    view: str = ""
    brand: Values = []
    lang: Values = []
    source: Values = []
    place: Values = []
    kind: Values = []
    since: Day = None
    until: Day = None
    counted: Literal["yes", "no", "all", "unsure"] = "yes"
    q: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    words: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000), AfterValidator(_query)] = ""
    _pages: tuple[int, ...] | None = PrivateAttr(None)

    def with_view(self, views: Iterable[SavedView], *, today: date) -> Self:
        """Return these filters with those of the saved view that they name.

        Raises
        ------
        ConfigError
            There is no such view.
        """
        if not self.view:
            return self
        saved = {view.name: asdict(view) for view in views}
        if self.view not in saved:
            raise ConfigError(f"there is no view {self.view!r}; known are {', '.join(saved) or 'none'}")
        values = saved[self.view]
        if days := values["days"]:
            values["since"] = today - timedelta(days=days - 1)
        return self.model_validate(values | self.model_dump(include=self.model_fields_set) | {"view": ""})

    def in_store(self, store: Store) -> Self:
        """Return these filters for the pages of a store that fulfil ``words``, of any day before ``until``."""
        if not self.words or self._pages is not None:
            return self
        filters = self.model_copy()
        condition, values = self.model_copy(update={"since": None, "counted": "all"}).condition()
        among = {row["id"] for row in store.query(f"SELECT DISTINCT p.id {MENTIONS_FROM} WHERE {condition}", values)}
        filters._pages = tuple(store.fulfilling(Query.parse(self.words), among=among))
        return filters

    def named(self, title: str) -> str:
        """Return a title with the brands and languages that are asked for."""
        names = ", ".join([*self.brand, *self.lang])
        return f"{title}: {names}" if names else title

    def condition(self, *, day: str = "p.day || ''") -> tuple[str, dict[str, object]]:
        """Return an SQL condition over `MENTIONS_FROM`, and its values; with a plain ``day`` by the index of days."""
        parts, values = [_COUNTED[self.counted]], dict[str, object]()
        for name in _CHOSEN_BY:
            column = DIMENSIONS[name]
            names = {f"{name}{number}": value for number, value in enumerate(getattr(self, name))}
            if names:
                among = f"IN ({', '.join(f':{key}' for key in names)})"
                parts.append(f"({column} {among} OR p.host {among})" if name == "source" else f"{column} {among}")
                values |= names
        # By that index, what is asked for in the order of mentions would have to be sorted.
        for name, comparison in (("since", ">="), ("until", "<=")):
            if (end := getattr(self, name)) is not None:
                parts.append(f"{day} {comparison} :{name}")
                values[name] = end.isoformat()
        if self.q:
            # The capitals of Turkish have small letters that are not those of other languages.
            parts.append("lower(replace(replace(m.sentence, 'İ', 'i'), 'ı', 'i')) LIKE :q ESCAPE '!'")
            small = self.q.replace("İ", "i").replace("ı", "i").lower()
            escaped = "".join(f"!{letter}" if letter in "!%_" else letter for letter in small)
            values["q"] = f"%{escaped}%"
        if self._pages is not None:
            parts.append(f"p.id IN ({', '.join(map(str, self._pages)) or 'NULL'})")
        return " AND ".join(parts), values

    def query(self, **changes: Any) -> str:
        """Return these filters, some of them changed, as the query of an address."""
        plain = {name: getattr(self, name) for name in Filters.model_fields} | changes
        pairs = []
        for name, value in plain.items():
            if name == "counted" and value == "yes":
                continue
            pairs += [(name, each) for each in (value if isinstance(value, list) else [value]) if each]
        return urlencode(pairs)


@dataclass(frozen=True, slots=True)
class Count:
    """How often brands are mentioned, for one combination of values.

    Attributes
    ----------
    values : tuple of str or None
        The values of the dimensions.
    mentions : int
        In articles, without copies: what counts.
    with_copies : int
        In articles, copies too.
    with_clutter : int
        Anywhere on the page, without copies.
    everything : int
        Anywhere on the page, copies too.
    articles, articles_with_copies : int
        Pages with such a mention in the article.
    ruled_out : int
        What a rule of the brand took away, anywhere; none of the other numbers has it.
    """

    values: tuple[str | None, ...]
    mentions: int
    with_copies: int
    with_clutter: int
    everything: int
    articles: int
    articles_with_copies: int
    ruled_out: int = 0


MEASURES = tuple(field.name for field in fields(Count) if field.name != "values")


def check_dimensions(names: Sequence[str]) -> None:
    """Raise ConfigError for a name that is no key of `DIMENSIONS`."""
    unknown = [name for name in names if name not in DIMENSIONS]
    if unknown:
        raise ConfigError(f"cannot count by {unknown[0]!r}; known are {', '.join(DIMENSIONS)}")


def counts(store: Store, by: Sequence[str], filters: Filters = Filters()) -> list[Count]:  # noqa: B008
    """Count mentions by some dimensions.

    Parameters
    ----------
    by : sequence of str
        Keys of `DIMENSIONS`; the rows are in their order.
    filters : Filters
        Of which mentions; their ``counted`` is not asked for, as a `Count` has numbers of all.

    Raises
    ------
    ConfigError
        There is no such dimension.
    """
    check_dimensions(by)
    every = filters.model_copy(update={"counted": "all"})
    rows = _grouped(store, {name: DIMENSIONS[name] for name in by}, SQL["measures"], every)
    return [Count(tuple(row[name] for name in by), *(int(row[name]) for name in MEASURES)) for row in rows]


def figures(store: Store, filters: Filters, by: Mapping[str, str] = {}) -> list[dict[str, Any]]:
    """Return the numbers ``articles`` and ``mentions`` that filters choose.

    Parameters
    ----------
    filters : Filters
        Of which mentions.
    by : mapping of str to str
        SQL over `MENTIONS_FROM` for each further column; a row for each of their values.
    """
    return _grouped(store, by, {"articles": "count(DISTINCT p.id)", "mentions": "count(*)"}, filters)


def numbers_by(store: Store, filters: Filters, *, since: date) -> list[dict[str, Any]]:
    """Return the numbers of all that filters choose, and by brand and day, query and day, source and language.

    Each row has what it is ``by``, the ``value``, the ``day`` where it has one, whether the day ``is_now``: from
    ``since`` on, and the numbers ``articles`` and ``mentions``.
    """
    condition, values = filters.in_store(store).condition(day=DIMENSIONS["day"])
    tables = f"{_PAGES_FIRST} {_OF_FEED if filters.source else ''} WHERE {_OF_PAGE} AND {condition}"
    statement = SQL["overview"]["numbers"].format(**DIMENSIONS, tables=tables)
    return store.query(statement, values | {"begin": since.isoformat()})


def _grouped(
    store: Store, by: Mapping[str, str], measured: Mapping[str, str], filters: Filters
) -> list[dict[str, Any]]:
    condition, values = filters.in_store(store).condition(day=DIMENSIONS["day"])
    columns = ", ".join(f"{sql} AS {name}" for name, sql in {**by, **measured}.items())
    keys = ", ".join(str(number) for number in range(1, len(by) + 1))
    grouped = f" GROUP BY {keys} ORDER BY {keys}" if by else ""
    return store.query(f"SELECT {columns} {_PAGES_FIRST} {_OF_FEED} WHERE {_OF_PAGE} AND {condition}{grouped}", values)


def articles_read(store: Store, filters: Filters) -> dict[str, int]:
    """Return how many articles that languages, sources, kinds and days choose were read, copies aside, by day."""
    chosen = Filters(**filters.model_dump(include={"lang", "source", "kind", "since", "until"}), counted="all")
    condition, values = chosen.condition(day=DIMENSIONS["day"])
    rows = store.query(
        f"SELECT {DIMENSIONS['day']} AS day, count(*) AS n FROM page p {_OF_FEED if filters.source else ''} "
        f"WHERE p.status = 'ok' AND +p.copy_of IS NULL AND {condition} GROUP BY 1",
        values,
    )
    return {row["day"]: row["n"] for row in rows}


def mention_rows(
    store: Store, filters: Filters, *, newest: int | None = None, before: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield mentions with the columns of the view ``mentions``, in the order in which they were found.

    Parameters
    ----------
    filters : Filters
        Which mentions.
    newest : int, optional
        Only so many, the last found first.
    before : str, optional
        Only those that were found before the one with this id.
    """
    condition, values = filters.in_store(store).condition()
    if before is not None:
        condition = f"{condition} AND m.id < (SELECT max(id) FROM mention WHERE key = :before)"
        values["before"] = before
    order = "m.id" if newest is None else f"m.id DESC LIMIT {newest:d}"
    yield from store.stream(f"SELECT {MENTIONS_SELECT} {MENTIONS_FROM} WHERE {condition} ORDER BY {order}", values)


EXPORT_FORMATS = {"jsonl": ".jsonl", "csv": ".csv", "parquet": ".parquet", "opml": ".opml"}
"""Formats by name, each with the suffix of its files; OPML is for feeds."""

_LISTS = ("opml", "sitemapindex")
_JSON_COLUMNS = ("metadata", "warnings")


def format_of(path: Path) -> str | None:
    """Return the format that a file's suffix names."""
    return next((name for name, suffix in EXPORT_FORMATS.items() if path.suffix == suffix), None)


def export_rows(
    rows: Iterable[Mapping[str, Any]], format: str, file: IO[bytes], *, name: str, columns: Iterable[str]
) -> int:
    """Write rows to a binary file; return how many.

    Parameters
    ----------
    rows : iterable of mapping
        All with the same keys.
    format : str
        A key of `EXPORT_FORMATS`.
    name : str
        What the file is called in errors.
    columns : iterable of str
        The keys of the rows, also where there are none.

    Raises
    ------
    OutputError
        The file cannot be written.
    MissingExtraError
        Parquet needs pyarrow.
    """
    if format == "parquet":
        return _write_parquet(rows, file, name, columns)
    lines = {"jsonl": _json_lines(rows), "csv": csv_lines(rows, columns), "opml": _opml_lines(rows)}
    if format not in lines:
        raise ConfigError(f"there is no export format {format!r}; known are {', '.join(EXPORT_FORMATS)}")
    count = -{"csv": 1, "opml": 2}.get(format, 0)
    for line in lines[format]:
        with writing(name):
            file.write(line.encode("utf-8", "replace"))
        count += 1
    return count


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        plain = {**row, **{key: json.loads(row[key]) for key in _JSON_COLUMNS if isinstance(row.get(key), str)}}
        yield json.dumps(plain, ensure_ascii=False, default=str) + "\n"


def csv_lines(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a CSV file, each row as one string; the first has the names of the columns."""
    yield csv_line(columns, end="\r\n")
    for row in rows:
        yield csv_line(row.values(), end="\r\n")


def _opml_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of an OPML list of the feeds that are read, at the addresses where they are now."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n<head><title>Feeds</title></head>\n<body>\n'
    for row in rows:
        if row["retired"] is None and row["kind"] not in _LISTS:
            values = (row["kind"] or "rss", row["title"] or row["url"], row["moved_to"] or row["url"])
            kind, title, address = (quoteattr(xml_characters(value)) for value in values)
            yield f"<outline type={kind} text={title} title={title} xmlUrl={address}/>\n"
    yield "</body>\n</opml>\n"


def _write_parquet(rows: Iterable[Mapping[str, Any]], file: IO[bytes], name: str, columns: Iterable[str]) -> int:
    writer = ParquetRows(file, {key: type_of(key) for key in columns}, name=name)
    count = 0
    for row in rows:
        writer.write(row)
        count += 1
    writer.close()
    return count
