"""The tables of a store, and the documented views that people and other programs query in their place.

Moments that people read are text in ISO 8601, UTC; moments that the program computes with are seconds since 1970.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Text as PlainText

from blockfeat._files import bundled_table

SCHEMA_VERSION = 18

metadata = sa.MetaData()

# Of 64 bits: PostgreSQL's sequences would be used up; SQLite has such numbers only for what it calls INTEGER.
_Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_WAITS = sa.text("due_at IS NOT NULL")
_FAILED_ITSELF = sa.text("fault IS NOT NULL")

_REFUSED = re.compile("[\x00\ud800-\udfff]")


class Text(sa.TypeDecorator[str]):
    """Text without what a database refuses (NUL, lone surrogates): pages, feeds and headers have all of it."""

    impl = PlainText
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Return the text as it is stored."""
        return None if value is None else _REFUSED.sub("\ufffd", value)


def _texts(*names: str, nullable: bool = True) -> list[sa.Column[str]]:
    """Return columns of text that need no comment."""
    return [sa.Column(name, Text, nullable=nullable) for name in names]


meta = sa.Table(
    "blockfeat_meta", metadata, sa.Column("key", Text, primary_key=True), sa.Column("value", Text, nullable=False)
)

feed = sa.Table(
    "feed",
    metadata,
    sa.Column("id", _Id, primary_key=True),
    sa.Column("url", Text, nullable=False, unique=True),
    sa.Column("parent", _Id, sa.ForeignKey("feed.id"), comment="the OPML list or sitemap index that names it"),
    sa.Column("depth", sa.Integer, nullable=False, default=0),
    sa.Column("lang", Text),
    sa.Column("every", sa.Float, comment="least seconds between two polls"),
    sa.Column("moved_to", Text, comment="where it has moved permanently, and was read"),
    sa.Column("moved_at", sa.Float, comment="when it was first read there"),
    sa.Column("recheck_at", sa.Float, comment="when it is asked at its old address again"),
    sa.Column("retired", Text, comment="when it said that it has ended, or was taken out of the configuration"),
    *_texts("kind", "title"),
    sa.Column("manners", Text, comment="JSON: how it wants to be polled"),
    *_texts("etag", "last_modified"),
    sa.Column("http_status", sa.Integer),
    sa.Column("error", Text),
    sa.Column("fault", Text, comment="environments in which the program itself failed; null: it did not"),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
    sa.Column("failing_since", Text),
    sa.Column("digest", Text, comment="hash of the bytes that were read last"),
    sa.Column("polled_at", Text),
    sa.Column("due_at", sa.Float, nullable=False),
)

host = sa.Table(
    "host",
    metadata,
    sa.Column("name", Text, primary_key=True),
    sa.Column("retry_at", sa.Float, nullable=False, comment="not asked before"),
)

page = sa.Table(
    "page",
    metadata,
    sa.Column("id", _Id, primary_key=True),
    sa.Column("key", Text, nullable=False, unique=True, comment="canonical form of the address asked for"),
    *_texts("url", "host", nullable=False),
    sa.Column("feed_id", _Id, sa.ForeignKey("feed.id")),
    *_texts("lang_hint", "published"),
    sa.Column("stamp", Text, comment="when it was updated, as the feed said: a later one means an update"),
    sa.Column("digest", Text, comment="hash of what the feed said of it: a change means an update"),
    sa.Column("linked", sa.Boolean, nullable=False, server_default=sa.true(), comment="false: the feed names no page"),
    sa.Column("kind", Text, comment="what it is: article, other, front page, login …"),
    sa.Column("origin", Text, comment="page, or feed where the text is the feed's own"),
    sa.Column("first_seen", Text, nullable=False),
    sa.Column("due_at", sa.Float, comment="when it is fetched (again); null: never"),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    *_texts("final_url", "canonical_url"),
    sa.Column("http_status", sa.Integer),
    sa.Column("status", Text, nullable=False),
    sa.Column("error", Text),
    sa.Column("fault", Text, comment="environments in which the program itself failed; null: it did not"),
    *_texts("etag", "last_modified", "fetched_at"),
    sa.Column("version", sa.Integer, nullable=False, default=0),
    *_texts("encoding", "lang", "title", "headline", "text"),
    sa.Column("words", sa.Integer),
    *_texts("author", "section"),
    sa.Column("metadata", Text, comment="JSON"),
    sa.Column("warnings", Text, comment="JSON"),
    sa.Column("model", Text),
    sa.Column("evidence", sa.LargeBinary, comment="the page, with the decisions about its blocks; compressed"),
    sa.Column("same_as", _Id, sa.ForeignKey("page.id"), comment="the page that another address has led to before"),
    sa.Column("copy_of", _Id, sa.ForeignKey("page.id"), comment="the first page with nearly the same text"),
    sa.Column("story", _Id, sa.ForeignKey("page.id"), comment="the first article of its story"),
    sa.Column("day", Text, comment="of its publication, or of its finding, in the monitor's zone"),
    sa.Column("removed_at", Text, comment="when it was found to be no longer there"),
    sa.Column(
        "similarity", sa.Float, comment="of a copy: the share of runs of words that it has in common with that page"
    ),
    sa.Index("page_due", "due_at"),
    sa.Index("page_host_due", "host", "due_at", "id", postgresql_where=_WAITS, sqlite_where=_WAITS),
    sa.Index("page_fault", "fault", postgresql_where=_FAILED_ITSELF, sqlite_where=_FAILED_ITSELF),
    sa.Index("page_canonical", "canonical_url"),
    sa.Index("page_final", "final_url"),
    sa.Index("page_copy", "copy_of"),
    sa.Index("page_story", "story"),
    # Numbers are made of indices alone: rows of pages are long.
    sa.Index("page_numbers", "day", "id", "status", "version", "feed_id", "lang", "lang_hint", "host", "copy_of"),
)

entry = sa.Table(
    "entry",
    metadata,
    sa.Column("page_id", _Id, sa.ForeignKey("page.id"), primary_key=True),
    sa.Column("title", Text),
    sa.Column("text", Text, nullable=False, comment="HTML: the feed's own text, until the page itself was read"),
)

version = sa.Table(
    "version",
    metadata,
    sa.Column("page_id", _Id, sa.ForeignKey("page.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True),
    *_texts("fetched_at", "replaced_at", "status", nullable=False),
    *_texts("title", "headline", "text", "metadata"),
)

mention = sa.Table(
    "mention",
    metadata,
    sa.Column("id", _Id, primary_key=True),
    sa.Column("page_id", _Id, sa.ForeignKey("page.id"), nullable=False),
    sa.Column("version", sa.Integer, nullable=False, comment="the version of the page that it stands in"),
    sa.Column("key", Text, nullable=False, comment="the same for the same sentence in each version of a page"),
    *_texts("brand", "place", nullable=False),
    sa.Column("counted", sa.Boolean, nullable=False),
    sa.Column("because", Text, comment="why it is not counted"),
    sa.Column("rule", Text, comment="the rule of the brand that says it is no mention"),
    sa.Column("variant", Text, comment="what made the spelling of the name"),
    sa.Column("copied", sa.Boolean, comment="whether it stands in a copy and is none of its own"),
    sa.Column("first_version", sa.Integer, comment="the version in which it first stood"),
    sa.Column("start", sa.Integer, nullable=False),
    sa.Column("stop", sa.Integer, nullable=False),
    *_texts("match", "sentence", nullable=False),
    sa.Column("text_start", sa.Integer, comment="where the sentence begins in the article's text"),
    sa.Column("relevance", sa.Float, comment="how much the article is about the brand, from 0 to 1"),
    sa.Column("block", sa.Integer, nullable=False),
    sa.Column("xpath", Text, nullable=False),
    sa.Column("score", sa.Float, nullable=False),
    sa.Index("mention_page", "page_id", "version", "brand", "variant", "counted", "copied"),
    sa.Index("mention_brand", "brand"),
)

band = sa.Table(
    "band",
    metadata,
    sa.Column("number", sa.SmallInteger, primary_key=True),
    sa.Column("hash", sa.BigInteger, primary_key=True),
    sa.Column("page_id", _Id, sa.ForeignKey("page.id"), primary_key=True),
    sa.Index("band_page", "page_id"),
)

outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("id", _Id, primary_key=True),
    sa.Column("event", Text, nullable=False, comment="JSON"),
    sqlite_autoincrement=True,
)

announced = sa.Table(
    "announced",
    metadata,
    sa.Column("page_id", _Id, sa.ForeignKey("page.id"), primary_key=True),
    sa.Column("key", Text, primary_key=True, comment="of a mention of which receivers know that it counts"),
    sa.Column("event", _Id, nullable=False, comment="the event that told so, or the first of its page with it"),
)

OF_PAGES = (announced, mention, band, entry, version)
"""Tables of what belongs to a page."""

dead_letter = sa.Table(
    "dead_letter",
    metadata,
    sa.Column("id", _Id, primary_key=True),
    sa.Column("sink", Text, nullable=False),
    sa.Column("event", Text, nullable=False, comment="JSON"),
    sa.Column("error", Text, nullable=False, comment="why it was given up"),
    sa.Column("given_up_at", Text, nullable=False),
)

sink = sa.Table(
    "sink",
    metadata,
    sa.Column("name", Text, primary_key=True),
    sa.Column("delivered", _Id, nullable=False, comment="last event of the outbox that has arrived"),
    sa.Column("since", _Id, nullable=False, server_default="0", comment="last event before it was a receiver"),
    sa.Column("failures", sa.Integer, nullable=False, default=0),
    sa.Column("error", Text),
    sa.Column("retry_at", sa.Float, comment="it asked not to be tried before"),
    sa.Column("turn_at", sa.Float, comment="when it last had its turn"),
)

feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("mention_key", Text, primary_key=True, comment="key of a mention"),
    sa.Column("verdict", Text, nullable=False, comment="right, wrong sense, not in the article, or missed"),
    sa.Column("judged_at", Text, nullable=False),
)

lesson = sa.Table(
    "lesson",
    metadata,
    sa.Column("kind", Text, primary_key=True, comment="sense, or site"),
    sa.Column("subject", Text, primary_key=True, comment="a brand, or a host and a path"),
    sa.Column("value", Text, nullable=False, comment="JSON"),
    sa.Column("accepted_at", Text, nullable=False),
)

told = sa.Table(
    "told",
    metadata,
    sa.Column("brand", Text, primary_key=True),
    sa.Column("hour", Text, primary_key=True, comment="of a spike that was put into the outbox"),
)

run = sa.Table(
    "run",
    metadata,
    sa.Column("id", _Id, primary_key=True),
    sa.Column("started_at", Text, nullable=False),
    sa.Column("ended_at", Text),
    sa.Column("process", Text, nullable=False),
    sa.Column("summary", Text, comment="JSON"),
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

_KINDS: Mapping[type, str] = {sa.Integer: "integer", sa.Boolean: "integer", sa.Float: "number"}
_FLAGS = ("in_article", "in_copy", "unexpected")


def type_of(name: str) -> str:
    """Return the type of a view's column: ``"integer"``, ``"number"`` or ``"text"``; flags are 0 and 1.

    It is that of the column of the same name in a table. Numbers of rows are none: views have addresses in their place.
    """
    if name in _FLAGS:
        return "integer"
    types = (type(table.c[name].type) for table in metadata.tables.values() if name in table.c)
    return next((_KINDS[found] for found in types if found in _KINDS), "text")
