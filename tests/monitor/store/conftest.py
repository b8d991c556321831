"""An empty store for a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.store.store import Store


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """An empty store in either database."""
    with Store.open(address) as opened:
        yield opened
