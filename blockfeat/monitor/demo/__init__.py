"""A server with feeds and pages on this machine, to try the monitor and to test it."""

from __future__ import annotations

from blockfeat.monitor.demo.server import DemoServer, serve_demo

__all__ = ["DemoServer", "serve_demo"]
