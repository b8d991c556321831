"""The tables of a store, and the documented views that people and other programs query in their place.

Moments that people read are text in ISO 8601, UTC; moments that the program computes with are seconds since 1970.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    TypeDecorator,
    text,
    true,
)
from sqlalchemy import Text as PlainText

from blockfeat._files import bundled_table

SCHEMA_VERSION = 15

metadata = MetaData()

# Of 64 bits: PostgreSQL's sequences would be used up; SQLite has such numbers only for what it calls INTEGER.
_Id = BigInteger().with_variant(Integer, "sqlite")
_WAITS = text("due_at IS NOT NULL")
_FAILED_ITSELF = text("fault IS NOT NULL")

# Numbers are made of indices alone: rows of pages are long.
_COUNTED_BY = ("day", "status", "version", "published", "first_seen", "feed_id", "lang", "lang_hint", "host", "copy_of")

_REFUSED = re.compile("[\x00\ud800-\udfff]")


class Text(TypeDecorator[str]):
    """Text without what a database refuses (NUL, lone surrogates): pages, feeds and headers have all of it."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text as it is stored."""
        return None if value is None else _REFUSED.sub("\ufffd", value)


meta = Table("blockfeat_meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

feed = Table(
    "feed",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("url", Text, nullable=False, unique=True),
    Column("parent", _Id, ForeignKey("feed.id"), comment="the OPML list or sitemap index that names it"),
    Column("depth", Integer, nullable=False, default=0),
    Column("lang", Text),
    Column("every", Float, comment="least seconds between two polls"),
    Column("moved_to", Text, comment="where it has moved permanently, and was read"),
    Column("moved_at", Float, comment="when it was first read there"),
    Column("recheck_at", Float, comment="when it is asked at its old address again"),
    Column("retired", Text, comment="when it said that it has ended, or was taken out of the configuration"),
    Column("kind", Text),
    Column("title", Text),
    Column("manners", Text, comment="JSON: how it wants to be polled"),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("http_status", Integer),
    Column("error", Text),
    Column("fault", Text, comment="environments in which the program itself failed; null: it did not"),
    Column("failures", Integer, nullable=False, default=0),
    Column("failing_since", Text),
    Column("digest", Text, comment="hash of the bytes that were read last"),
    Column("polled_at", Text),
    Column("due_at", Float, nullable=False),
)

host = Table(
    "host",
    metadata,
    Column("name", Text, primary_key=True),
    Column("retry_at", Float, nullable=False, comment="not asked before"),
)

page = Table(
    "page",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("key", Text, nullable=False, unique=True, comment="canonical form of the address asked for"),
    Column("url", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("feed_id", _Id, ForeignKey("feed.id")),
    Column("lang_hint", Text),
    Column("published", Text),
    Column("stamp", Text, comment="when it was updated, as the feed said: a later one means an update"),
    Column("digest", Text, comment="hash of what the feed said of it: a change means an update"),
    Column("linked", Boolean, nullable=False, server_default=true(), comment="false: the feed names no page"),
    Column("kind", Text, comment="what it is: article, other, front page, login …"),
    Column("origin", Text, comment="page, or feed where the text is the feed's own"),
    Column("first_seen", Text, nullable=False),
    Column("due_at", Float, comment="when it is fetched (again); null: never"),
    Column("attempts", Integer, nullable=False, default=0),
    Column("final_url", Text),
    Column("canonical_url", Text),
    Column("http_status", Integer),
    Column("status", Text, nullable=False),
    Column("error", Text),
    Column("fault", Text, comment="environments in which the program itself failed; null: it did not"),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("fetched_at", Text),
    Column("version", Integer, nullable=False, default=0),
    Column("encoding", Text),
    Column("lang", Text),
    Column("title", Text),
    Column("headline", Text),
    Column("text", Text),
    Column("words", Integer),
    Column("author", Text),
    Column("section", Text),
    Column("metadata", Text, comment="JSON"),
    Column("warnings", Text, comment="JSON"),
    Column("model", Text),
    Column("evidence", LargeBinary, comment="JSON of the blocks, compressed by zlib"),
    Column("same_as", _Id, ForeignKey("page.id"), comment="the page that another address has led to before"),
    Column("copy_of", _Id, ForeignKey("page.id"), comment="the first page with nearly the same text"),
    Column("story", _Id, ForeignKey("page.id"), comment="the first article of its story"),
    Column("day", Text, comment="of its publication, or of its finding, in the monitor's zone"),
    Column("removed_at", Text, comment="when it was found to be no longer there"),
    Column("similarity", Float, comment="of a copy: the share of runs of words that it has in common with that page"),
    Index("page_due", "due_at"),
    Index("page_host_due", "host", "due_at", "id", postgresql_where=_WAITS, sqlite_where=_WAITS),
    Index("page_fault", "fault", postgresql_where=_FAILED_ITSELF, sqlite_where=_FAILED_ITSELF),
    Index("page_canonical", "canonical_url"),
    Index("page_final", "final_url"),
    Index("page_copy", "copy_of"),
    Index("page_story", "story"),
    Index("page_numbers", "id", *_COUNTED_BY),
)

entry = Table(
    "entry",
    metadata,
    Column("page_id", _Id, ForeignKey("page.id"), primary_key=True),
    Column("title", Text),
    Column("text", Text, nullable=False, comment="HTML: the feed's own text, until the page itself was read"),
)

version = Table(
    "version",
    metadata,
    Column("page_id", _Id, ForeignKey("page.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("fetched_at", Text, nullable=False),
    Column("replaced_at", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("title", Text),
    Column("headline", Text),
    Column("text", Text),
    Column("metadata", Text),
)

mention = Table(
    "mention",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("page_id", _Id, ForeignKey("page.id"), nullable=False),
    Column("version", Integer, nullable=False, comment="the version of the page that it stands in"),
    Column("key", Text, nullable=False, comment="the same for the same sentence in each version of a page"),
    Column("brand", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("because", Text, comment="why it is not counted"),
    Column("rule", Text, comment="the rule of the brand that says it is no mention"),
    Column("variant", Text, comment="what made the spelling of the name"),
    Column("copied", Boolean, comment="whether it stands in a copy and is none of its own"),
    Column("first_version", Integer, comment="the version in which it first stood"),
    Column("start", Integer, nullable=False),
    Column("stop", Integer, nullable=False),
    Column("match", Text, nullable=False),
    Column("sentence", Text, nullable=False),
    Column("text_start", Integer, comment="where the sentence begins in the article's text"),
    Column("relevance", Float, comment="how much the article is about the brand, from 0 to 1"),
    Column("block", Integer, nullable=False),
    Column("xpath", Text, nullable=False),
    Column("score", Float, nullable=False),
    Index("mention_page", "page_id", "version", "brand", "variant", "counted", "copied"),
    Index("mention_brand", "brand"),
)

band = Table(
    "band",
    metadata,
    Column("number", SmallInteger, primary_key=True),
    Column("hash", BigInteger, primary_key=True),
    Column("page_id", _Id, ForeignKey("page.id"), primary_key=True),
    Index("band_page", "page_id"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("event", Text, nullable=False, comment="JSON"),
    sqlite_autoincrement=True,
)

dead_letter = Table(
    "dead_letter",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("sink", Text, nullable=False),
    Column("event", Text, nullable=False, comment="JSON"),
    Column("error", Text, nullable=False, comment="why it was given up"),
    Column("given_up_at", Text, nullable=False),
)

sink = Table(
    "sink",
    metadata,
    Column("name", Text, primary_key=True),
    Column("delivered", _Id, nullable=False, comment="last event of the outbox that has arrived"),
    Column("failures", Integer, nullable=False, default=0),
    Column("error", Text),
    Column("retry_at", Float, comment="it asked not to be tried before"),
    Column("turn_at", Float, comment="when it last had its turn"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("mention_key", Text, primary_key=True, comment="key of a mention"),
    Column("verdict", Text, nullable=False, comment="right, wrong sense, not in the article, or missed"),
    Column("judged_at", Text, nullable=False),
)

lesson = Table(
    "lesson",
    metadata,
    Column("kind", Text, primary_key=True, comment="sense, or site"),
    Column("subject", Text, primary_key=True, comment="a brand, or a host and a path"),
    Column("value", Text, nullable=False, comment="JSON"),
    Column("accepted_at", Text, nullable=False),
)

told = Table(
    "told",
    metadata,
    Column("brand", Text, primary_key=True),
    Column("hour", Text, primary_key=True, comment="of a spike that was put into the outbox"),
)

run = Table(
    "run",
    metadata,
    Column("id", _Id, primary_key=True),
    Column("started_at", Text, nullable=False),
    Column("ended_at", Text),
    Column("process", Text, nullable=False),
    Column("summary", Text, comment="JSON"),
)


SPAN_COLUMNS = ("start", "stop", "match", "sentence", "text_start", "block", "xpath", "score", "relevance")
"""Columns of mentions that views, events and files have as they are."""
SQL: Mapping[str, Any] = bundled_table("blockfeat.monitor.store", "sql.toml")
"""The statements of ``sql.toml``, by their use."""
MENTIONS_FROM: str = SQL["mentions"]["tables"]
"""The tables of mentions, those of the current version of each page."""
MENTION_COLUMNS: Mapping[str, str] = SQL["mentions"]["columns"]
"""Columns of the view ``mentions``, each with its SQL over `MENTIONS_FROM`; of files, feeds and the API too."""
MENTIONS_SELECT = ", ".join(f'{sql} AS "{name}"' for name, sql in MENTION_COLUMNS.items())
VIEWS = {name: sql.format(columns=MENTIONS_SELECT, tables=MENTIONS_FROM) for name, sql in SQL["views"].items()}

_KINDS: Mapping[type, str] = {Integer: "integer", Boolean: "integer", Float: "number"}
_FLAGS = ("in_article", "in_copy", "unexpected")


def type_of(name: str) -> str:
    """Return the type of a view's column: ``"integer"``, ``"number"`` or ``"text"``; flags are 0 and 1.

    It is that of the column of the same name in a table. Numbers of rows are none: views have addresses in their place.
    """
    if name in _FLAGS:
        return "integer"
    types = (type(table.c[name].type) for table in metadata.tables.values() if name in table.c)
    return next((_KINDS[found] for found in types if found in _KINDS), "text")
