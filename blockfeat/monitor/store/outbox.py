"""The outbox: new mentions in order, and how far each receiver has got."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine, delete, func, select, update

from blockfeat.monitor.store.engine import insert_or
from blockfeat.monitor.store.schema import outbox, sink


def add_sinks(engine: Engine, connection: Connection, names: Sequence[str]) -> None:
    """Set the receivers: a new one gets what comes from here on, one that is no longer named is forgotten."""
    connection.execute(delete(sink).where(sink.c.name.not_in(names)))
    last = connection.scalar(select(func.max(outbox.c.id))) or connection.scalar(select(func.max(sink.c.delivered)))
    for name in names:
        added = insert_or(engine, sink).values(name=name, delivered=last or 0, failures=0)
        connection.execute(added.on_conflict_do_nothing())
    _prune(connection)


def undelivered(connection: Connection, name: str, *, limit: int) -> list[tuple[int, str]]:
    """Return the next events for a receiver, each with its number."""
    delivered = select(sink.c.delivered).where(sink.c.name == name).scalar_subquery()
    query = select(outbox.c.id, outbox.c.event).where(outbox.c.id > delivered).order_by(outbox.c.id).limit(limit)
    return [(row.id, row.event) for row in connection.execute(query)]


def note_delivery(connection: Connection, name: str, last: int) -> None:
    """Note that a receiver has all events up to a number; events that all have are dropped."""
    connection.execute(update(sink).where(sink.c.name == name).values(delivered=last, failures=0, error=None))
    _prune(connection)


def note_failure(connection: Connection, name: str, error: str) -> None:
    """Note that a receiver could not be reached."""
    connection.execute(update(sink).where(sink.c.name == name).values(failures=sink.c.failures + 1, error=error))


def _prune(connection: Connection) -> None:
    least = connection.scalar(select(func.min(sink.c.delivered)))
    if least is not None:
        connection.execute(delete(outbox).where(outbox.c.id <= least))
