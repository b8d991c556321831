"""Brings the tables of a store to the version of this program, and makes the views anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, inspect, select, text
from sqlalchemy.schema import CreateColumn

from blockfeat.errors import StoreError
from blockfeat.monitor.store.pages import renew_bands
from blockfeat.monitor.store.schema import SCHEMA_VERSION, VIEWS, meta, metadata
from blockfeat.monitor.store.search import create_index

Migration = str | Callable[[Connection], None]

_NUMBERS = {
    "feed": ("id", "parent"),
    "page": ("id", "feed_id", "same_as", "copy_of"),
    "entry": ("page_id",),
    "version": ("page_id",),
    "mention": ("id", "page_id"),
    "band": ("page_id",),
    "outbox": ("id",),
    "sink": ("delivered",),
    "run": ("id",),
}


def widen_numbers(connection: Connection) -> None:
    """Give PostgreSQL's numbers 64 bits; SQLite has them."""
    if connection.dialect.name != "postgresql":
        return
    for table, columns in _NUMBERS.items():
        changes = ", ".join(f"ALTER COLUMN {column} TYPE BIGINT" for column in columns)
        connection.execute(text(f"ALTER TABLE {table} {changes}"))
        if "id" in columns:
            connection.execute(text(f"ALTER SEQUENCE {table}_id_seq AS BIGINT"))


def add_missing(connection: Connection) -> None:
    """Add the tables and columns that a store lacks."""
    metadata.create_all(connection)
    for table in metadata.tables.values():
        present = {column["name"] for column in inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in present:
                words = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {words}"))


# What older versions said of their own failures, and of what was not installed: tried again in any environment.
_FAULTS = """
UPDATE {} SET fault = '' WHERE error LIKE 'unexpected %' OR error LIKE 'Traceback %' OR error LIKE '%pip install %'
OR error LIKE 'no stop lists: %' OR error LIKE 'it took longer than %' OR error LIKE '%worker process %'
"""

# What leads from a version to the next: SQL that both databases know, or a function.
MIGRATIONS: Mapping[int, tuple[Migration, ...]] = {
    1: ("CREATE TABLE site (host TEXT NOT NULL, profile TEXT NOT NULL, PRIMARY KEY (host))",),
    2: (renew_bands,),  # another library makes the keys of copies
    3: (
        add_missing,
        "UPDATE page SET origin = 'page' WHERE version > 0",
        # Feeds that answered 410 are asked again, and moved ones at their old address.
        "UPDATE feed SET retired = NULL, due_at = 0 WHERE retired IS NOT NULL AND http_status = 410 AND parent IS NULL",
        "UPDATE feed SET moved_at = 0, recheck_at = 0 WHERE moved_to IS NOT NULL",
    ),
    4: (widen_numbers, "CREATE INDEX IF NOT EXISTS page_host_due ON page (host, due_at, id) WHERE due_at IS NOT NULL"),
    5: (
        add_missing,
        "CREATE INDEX IF NOT EXISTS page_copy ON page (copy_of)",
        "UPDATE mention SET first_version = version, copied = "
        "EXISTS (SELECT 1 FROM page WHERE page.id = mention.page_id AND page.copy_of IS NOT NULL)",
    ),
    6: (add_missing,),
    7: (add_missing, create_index, "CREATE INDEX IF NOT EXISTS page_story ON page (story)"),
    8: (add_missing,),
    9: (
        add_missing,
        "CREATE INDEX IF NOT EXISTS page_fault ON page (fault) WHERE fault IS NOT NULL",
        _FAULTS.format("page"),
        _FAULTS.format("feed"),
        # A feed's own text on which the program failed was not noted at all.
        "UPDATE page SET fault = '' WHERE status = 'waiting' AND due_at IS NULL",
    ),
    10: ("DROP TABLE IF EXISTS site",),  # profiles of sites are gone
    11: ("DROP TABLE IF EXISTS lease",),  # one run at a time works on a store
}


def schema_version(connection: Connection) -> int:
    """Return the version of a store's tables; 0 for an empty database."""
    if not inspect(connection).has_table(meta.name):
        return 0
    found = connection.scalar(select(meta.c.value).where(meta.c.key == "schema_version"))
    return int(found) if found is not None else 0


def migrate(
    connection: Connection,
    *,
    name: str,
    target: int = SCHEMA_VERSION,
    migrations: Mapping[int, tuple[Migration, ...]] = MIGRATIONS,
) -> None:
    """Make the tables, or bring them to the version of this program; all of it in the transaction of ``connection``.

    Raises
    ------
    StoreError
        The store was made by a newer version, or there is no way from its version to this one.
    """
    found = schema_version(connection)
    if found == target:
        return
    if found > target:
        raise StoreError(f"{name}: was written by a newer blockfeat (schema {found}, this one knows {target})")
    for view in reversed(VIEWS):
        connection.execute(text(f"DROP VIEW IF EXISTS {view}"))
    if found == 0:
        metadata.create_all(connection)
        create_index(connection)
        connection.execute(meta.insert().values(key="schema_version", value=str(target)))
    else:
        for step in range(found, target):
            if step not in migrations:
                raise StoreError(f"{name}: no way from schema {step} to {step + 1}")
            for statement in migrations[step]:
                if callable(statement):
                    statement(connection)
                else:
                    connection.execute(text(statement))
        connection.execute(meta.update().where(meta.c.key == "schema_version").values(value=str(target)))
    for view, query in VIEWS.items():
        connection.execute(text(f"CREATE VIEW {view} AS {query}"))
