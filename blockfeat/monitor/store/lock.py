"""One run on a store at a time; the lock goes with the process, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from sqlalchemy import Engine, text

from blockfeat._files import held_alone
from blockfeat.errors import StoreError

# The number of the advisory lock in a PostgreSQL database: "blockfeat" as bytes, cut to eight.
_NUMBER = int.from_bytes(b"blockfea", "big")


@contextmanager
def locked(engine: Engine, *, name: str) -> Iterator[None]:
    """Hold the lock of a store.

    For SQLite it is an exclusive transaction on an empty database beside the store, which the system ends with the
    process; for PostgreSQL an advisory lock of the session.

    Raises
    ------
    StoreError
        Another process has it.
    """
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as session:
            # Closed at the end, not given back to the pool with the lock.
            session.detach()
            if not session.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": _NUMBER}):
                raise StoreError(f"{name}: another run is at work on this store")
            try:
                yield
            finally:
                # The server would notice only some time later that the session is closed.
                session.execute(text("SELECT pg_advisory_unlock(:number)"), {"number": _NUMBER})
        return
    with ExitStack() as stack:
        try:
            stack.enter_context(held_alone(f"{engine.url.database}.lock"))
        except BlockingIOError as error:
            raise StoreError(f"{name}: another run is at work on this store") from error
        yield
