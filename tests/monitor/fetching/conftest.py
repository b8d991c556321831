"""The server that the tests of fetching share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from small_site import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    """A fresh server on loopback."""
    with serving() as running:
        yield running
