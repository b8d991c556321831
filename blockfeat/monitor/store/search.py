"""Full-text search of stored articles: an index of words finds candidates, the query itself decides.

SQLite's FTS5 or PostgreSQL's tsvector holds the folded words of title and text, characters one by one where words are
not spaced, so that both know every language that the rest of the program knows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import BigInteger, Connection, bindparam, func, select, text

from blockfeat.lang import script_of, tokenize
from blockfeat.monitor.mentions.folding import Folder
from blockfeat.monitor.mentions.queries import Either, Node, Query, QueryMatcher, Term, Without, parts_of
from blockfeat.monitor.store.schema import SQL, page

_MOST_CHARACTERS = 150_000
_AT_ONCE = 200
# Other words stand behind a name in compounds, particles behind a Korean noun; Arabic and Hebrew write prefixes
# together with the word.
_LEAST_IN_COMPOUNDS = 4
# A name ends where another script or a digit begins; a raised digit stands for itself, or is a mark behind the name.
_PARTED = re.compile(
    r"(?<=[a-z\u00df-\u024f])(?=[^\W_a-z\u00df-\u024f])|(?<=[^\W\d_a-z\u00df-\u024f])(?=[a-z\u00df-\u024f\d])"
    r"|(?<=\d)(?=[^\W\d_])"
)
_OPEN_END, _OPEN_BEGIN = frozenset({"hangul"}), frozenset({"arabic", "hebrew"})
_NEWEST = " ORDER BY 1 DESC LIMIT :most"


@cache
def _folder() -> Folder:
    return Folder()


def words_of(title: str | None, body: str | None) -> str:
    """Return the words of an article as they are indexed, spaces between them; letters apart from digits."""
    whole = f"{title or ''}\n{body or ''}"[:_MOST_CHARACTERS]
    folded = _PARTED.sub(" ", unicodedata.normalize("NFKC", _folder().fold(whole).text))
    return " ".join(tokenize(folded))


def create_index(connection: Connection) -> None:
    """Make the index of words again from the articles of the store."""
    for statement in ("DROP TABLE IF EXISTS article_words", *SQL["search"][connection.dialect.name]["create"]):
        connection.execute(text(statement))
    last = 0
    articles = select(page.c.id, page.c.title, page.c.text).where(page.c.version > 0, page.c.same_as.is_(None))
    while rows := connection.execute(articles.where(page.c.id > last).order_by(page.c.id).limit(_AT_ONCE)).all():
        for row in rows:
            index_article(connection, row.id, row.title, row.text)
        last = rows[-1].id


def index_article(connection: Connection, number: int, title: str | None, body: str | None) -> None:
    """Add an article to the index."""
    values = {"id": number, "words": words_of(title, body)}
    connection.execute(text(SQL["search"][connection.dialect.name]["add"]), values)


def forget_article(connection: Connection, number: int, title: str | None, body: str | None) -> None:
    """Take an article out of the index, by what was indexed of it."""
    values = {"id": number, "words": words_of(title, body)} if connection.dialect.name == "sqlite" else {"id": number}
    connection.execute(text(SQL["search"][connection.dialect.name]["forget"]), values)


def search(connection: Connection, query: Query, *, limit: int, before: int | None = None) -> list[dict[str, Any]]:
    """Return the articles that fulfil a query, the newest first: columns of a page, and ``spans``.

    Parameters
    ----------
    limit : int
        Most articles.
    before : int, optional
        Only pages with a smaller number.

    Returns
    -------
    list of dict
        ``id``, ``url``, ``title``, ``text``, ``lang``, ``day``, ``host``, ``kind``, ``copy_of`` and ``spans``, the
        places in ``title``, a paragraph separator and ``text`` that fulfil it.
    """
    return [*islice(_fulfilling(connection, query, before=before), limit)]


def fulfilling(connection: Connection, query: Query, *, among: Container[int]) -> list[int]:
    """Return the numbers of the pages, of some, whose articles fulfil a query."""
    return [row["id"] for row in _fulfilling(connection, query, before=None, among=among)]


def _fulfilling(
    connection: Connection, query: Query, *, before: int | None, among: Container[int] | None = None
) -> Iterator[dict[str, Any]]:
    matcher = QueryMatcher.of([query])
    for row in _candidates(connection, query, before=before, among=among):
        spans = matcher.find(row["title"] or "", row["text"] or "", lang=row["lang"]).get(query.name)
        if spans:
            yield {**row, "spans": spans}


def _candidates(
    connection: Connection, query: Query, *, before: int | None, among: Container[int] | None
) -> Iterator[dict[str, Any]]:
    """Yield the articles, of all or some, that may fulfil a query, the newest first."""
    dialect = connection.dialect.name
    wanted = _expression(query.tree, dialect)
    statement = text(SQL["search"]["all" if wanted is None else dialect]["find"] + _NEWEST)
    last = before if before is not None else (connection.scalar(select(func.max(page.c.id))) or 0) + 1
    articles = text(SQL["search"]["articles"]).bindparams(bindparam("chosen", type_=BigInteger, expanding=True))
    while True:
        values = {"before": last, "most": _AT_ONCE} | ({} if wanted is None else {"words": wanted})
        numbers = connection.execute(statement, values).scalars().all()
        if not numbers:
            return
        chosen = [number for number in numbers if among is None or number in among]
        yield from map(dict, connection.execute(articles, {"chosen": chosen}).mappings().all())
        last = numbers[-1]


def _expression(node: Node, dialect: str) -> str | None:
    """Return what every article that fulfils a node fulfils in the index; None where that is no less than all."""
    if isinstance(node, Without):
        return None
    if isinstance(node, Term):
        return _of_term(node, dialect)
    parts = [_expression(part, dialect) for part in parts_of(node)]
    known = [part for part in parts if part is not None]
    if not known or (isinstance(node, Either) and len(known) < len(parts)):
        return None
    sign = {"sqlite": (" OR ", " AND "), "postgresql": (" | ", " & ")}[dialect][not isinstance(node, Either)]
    return f"({sign.join(known)})"


def _of_term(term: Term, dialect: str) -> str | None:
    words = words_of(term.text.removesuffix("*"), None).split()
    scripts = {script_of(letter) for word in words for letter in word}
    if not words or scripts & _OPEN_BEGIN:
        return None
    is_open = len(words[-1]) >= _LEAST_IN_COMPOUNDS or script_of(words[-1][-1]) in _OPEN_END
    star = "*" if is_open or term.text.endswith("*") else ""
    if dialect == "sqlite":
        return f'"{" ".join(words)}"{star}'
    return f"({' & '.join(words)}{':*' if star else ''})"


def has_article(connection: Connection, url: str, matcher: QueryMatcher) -> bool:
    """Return whether the article at an address fulfils one of the queries of a matcher."""
    columns = (page.c.title, page.c.text, func.coalesce(page.c.lang, page.c.lang_hint))
    row = connection.execute(select(*columns).where(page.c.url == url).limit(1)).first()
    return row is not None and bool(matcher.find(row[0] or "", row[1] or "", lang=row[2]))


_AROUND = 120


def snippet(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what stands before a found place, the place, and what stands behind it, in one line each.

    Parameters
    ----------
    row : mapping
        An article as `blockfeat.monitor.store.search.search` returns it; of its places the first in the text is shown.
    """
    title, body = row["title"] or "", row["text"] or ""
    start, end = next((span for span in row["spans"] if span[0] > len(title)), row["spans"][0])
    whole = f"{title}\n{body}"
    begin, stop = max(0, start - _AROUND), min(len(whole), end + _AROUND)
    if start > len(title):
        begin = max(begin, whole.rfind("\n", 0, start) + 1)
    line_end = whole.find("\n", end)
    stop = min(stop, line_end if line_end >= 0 else len(whole))
    before, match, behind = whole[begin:start], whole[start:end], whole[end:stop]
    left = "…" if begin and whole[begin - 1] != "\n" else ""
    right = "…" if stop < len(whole) and whole[stop] != "\n" else ""
    return f"{left}{before}", match, f"{behind}{right}"
