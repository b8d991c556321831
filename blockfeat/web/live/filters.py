"""Which mentions are shown: filters as a query of an address, and as a condition of SQL."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import BaseModel, BeforeValidator, StringConstraints

FROM = (
    "FROM mention m JOIN page p ON p.id = m.page_id AND p.version = m.version "
    "LEFT JOIN feed f ON f.id = p.feed_id LEFT JOIN page o ON o.id = p.copy_of"
)
"""The tables that mentions are read from, those of the current version of each page."""
COLUMNS = {
    "brand": "m.brand",
    "lang": "coalesce(p.lang, p.lang_hint)",
    "source": "coalesce(f.url, p.host)",
    "place": "m.place",
    "kind": "p.kind",
}
"""What can be filtered by, with its SQL."""
DAY = "substr(coalesce(p.published, p.first_seen), 1, 10)"
COUNTED = "(m.counted AND m.copied IS NOT TRUE)"


def _given(value: Any) -> Any:
    """Return a form's values without those that were left empty."""
    return [each for each in value if each] if isinstance(value, list) else value


def _day(value: Any) -> Any:
    return value or None


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
