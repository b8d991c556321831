"""A server with feeds and pages on this machine that knows what it served: for tests, the drill and load runs."""

from __future__ import annotations

from examples.demo.server import DemoServer

__all__ = ["DemoServer"]
