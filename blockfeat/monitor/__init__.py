"""From feed to mention: poll, fetch, extract, match, store, report.

What a program needs: `read_config` or `MonitorConfig`, `run_once` and `stay` for runs, `Store` for what they found,
`counts` and `report_page` for reports, and `mentions_in` for pages that something else has fetched.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from blockfeat._extras import require_extra

if TYPE_CHECKING:
    from blockfeat.monitor.config import MonitorConfig, Source, read_config
    from blockfeat.monitor.crawl.cycle import Summary
    from blockfeat.monitor.page import report_page
    from blockfeat.monitor.reading import PageMentions, mentions_in
    from blockfeat.monitor.reports import Filters, counts
    from blockfeat.monitor.run import run_once, stay
    from blockfeat.monitor.store.store import Store

__all__ = [
    "Filters",
    "MonitorConfig",
    "PageMentions",
    "Source",
    "Store",
    "Summary",
    "counts",
    "mentions_in",
    "read_config",
    "report_page",
    "run_once",
    "stay",
]

require_extra("monitor", what=__name__)

_HOMES = {
    "Filters": "reports",
    "MonitorConfig": "config",
    "PageMentions": "reading",
    "Source": "config",
    "Store": "store.store",
    "Summary": "crawl.cycle",
    "counts": "reports",
    "mentions_in": "reading",
    "read_config": "config",
    "report_page": "page",
    "run_once": "run",
    "stay": "run",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: `mentions_in` loads no database, and a report no network."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
