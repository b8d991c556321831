"""Which mentions are shown: filters as a query of an address, and as a condition of SQL."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlencode

from pydantic import AfterValidator, BaseModel, BeforeValidator, PrivateAttr, StringConstraints

from blockfeat.monitor.mentions.queries import Query

FROM = (
    "FROM mention m JOIN page p ON p.id = m.page_id AND p.version = m.version "
    "LEFT JOIN feed f ON f.id = p.feed_id LEFT JOIN page o ON o.id = p.copy_of"
)
"""The tables that mentions are counted in, those of the current version of each page."""
ROWS_FROM = f"{FROM} LEFT JOIN feedback b ON b.mention_key = m.key"
"""The tables that mentions are read from, with what was said of them."""
COLUMNS = {
    "brand": "m.brand",
    "lang": "coalesce(p.lang, p.lang_hint)",
    "source": "coalesce(f.url, p.host)",
    "place": "m.place",
    "kind": "p.kind",
}
"""What can be filtered by, with its SQL."""
DAY = "coalesce(p.day, substr(coalesce(p.published, p.first_seen), 1, 10))"
COUNTED = "(m.counted AND m.copied IS NOT TRUE)"


def _given(value: Any) -> Any:
    """Return a form's values without those that were left empty."""
    return [each for each in value if each] if isinstance(value, list) else value


def _day(value: Any) -> Any:
    return value or None


def _query(value: str) -> str:
    if value:
        Query.parse(value, name="words")
    return value


Values = Annotated[list[Annotated[str, StringConstraints(max_length=2000)]], BeforeValidator(_given)]
Day = Annotated[date | None, BeforeValidator(_day)]


class Filters(BaseModel):
    """What is asked of a page, a chart, a feed or a file of mentions; without any, all that count.

    Attributes
    ----------
    brand, lang, source, place, kind : list of str
        One of these values; all where there is none. ``source`` is the address of a feed, or a host.
    since, until : date or None
        First and last day.
    counted : str
        ``"yes"``, ``"no"`` or ``"all"``.
    q : str
        Words that the sentence holds, in one piece, whatever their case.
    words : str
        A Boolean query that the article fulfils; see `blockfeat.monitor.mentions.queries`.
    """

    brand: Values = []
    lang: Values = []
    source: Values = []
    place: Values = []
    kind: Values = []
    since: Day = None
    until: Day = None
    counted: Literal["yes", "no", "all"] = "yes"
    q: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    words: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000), AfterValidator(_query)] = ""
    _pages: tuple[int, ...] | None = PrivateAttr(None)

    def with_pages(self, numbers: Iterable[int]) -> Self:
        """Return these filters for some pages only: those that fulfil ``words``."""
        filters = self.model_copy()
        filters._pages = tuple(numbers)
        return filters

    def condition(self) -> tuple[str, dict[str, object]]:
        """Return an SQL condition over `FROM`, and its values."""
        parts, values = [{"yes": COUNTED, "no": f"NOT {COUNTED}", "all": "1 = 1"}[self.counted]], dict[str, object]()
        for name, column in COLUMNS.items():
            names = {f"{name}{number}": value for number, value in enumerate(getattr(self, name))}
            if names:
                parts.append(f"{column} IN ({', '.join(f':{key}' for key in names)})")
                values |= names
        for name, comparison in (("since", ">="), ("until", "<=")):
            if (day := getattr(self, name)) is not None:
                parts.append(f"{DAY} {comparison} :{name}")
                values[name] = day.isoformat()
        if self.q:
            parts.append("lower(m.sentence) LIKE :q ESCAPE '!'")
            escaped = "".join(f"!{letter}" if letter in "!%_" else letter for letter in self.q.lower())
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
