"""The example that ``blockfeat monitor init`` writes."""

from __future__ import annotations

from importlib.resources import files


def example_config() -> str:
    """Return a commented configuration that runs against ``blockfeat monitor demo``."""
    return files("blockfeat.monitor.config").joinpath("example.toml").read_text(encoding="utf-8")
