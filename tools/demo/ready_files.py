"""Write the feeds and pages that ``blockfeat monitor demo`` serves, ``blockfeat/monitor/demo.json``.

Command: python -m tools.demo.ready_files [--check]
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from email.utils import format_datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from blockfeat.data import demo_pages
from examples.demo.feed_writing import FEED_TYPES, feed_of, opml_of
from examples.demo.lessons import lesson_site
from examples.demo.server import FRONT
from examples.demo.sites import DOMAIN, DemoPage, DemoSite, quiet_sites

READY = Path(str(files("blockfeat.monitor").joinpath("demo.json")))


def ready_files() -> dict[str, dict[str, Any]]:
    """Return the files by host and path; pages of the bundled corpus by their ids, for they are in the package."""
    ids = {page.url: page.id for page in demo_pages()}
    sites = (*quiet_sites(), lesson_site())
    ready: dict[str, dict[str, Any]] = {
        FRONT: {"/feeds.opml": {"type": "text/x-opml", "body": opml_of("Demo: feeds", sites)}}
    }
    for site in sites:
        paths = {page.path: _page(site, page, ids) for page in site.pages}
        feed = {"type": FEED_TYPES[site.feed_kind], "body": feed_of(site)}
        if any(page.corrected for page in site.pages):
            corrected = replace(site, pages=tuple(page.corrected or page for page in site.pages))
            feed["corrected"] = {"type": feed["type"], "body": feed_of(corrected)}
        ready[site.name] = {site.feed_path: feed, **paths}
    return ready


def _page(site: DemoSite, page: DemoPage, ids: dict[str | None, str]) -> dict[str, Any]:
    values: dict[str, Any] = {"type": "text/html; charset=utf-8", "modified": format_datetime(page.date, usegmt=True)}
    found = [(url, id) for url, id in ids.items() if url and url.partition("://")[2].partition("/")[2] == page.path[1:]]
    own = [(url, id) for url, id in found if _name(url) == site.name]
    if own:
        ((url, id),) = own
        values |= {"page": id, "origin": url.removesuffix(page.path), "host": f"http://{site.name}.{DOMAIN}{{port}}"}
    else:
        values["body"] = page.html
    if page.corrected is not None:
        values["corrected"] = _page(site, page.corrected, ids)
    return values


def _name(url: str) -> str:
    return url.partition("://")[2].partition("/")[0].removeprefix("www.").removesuffix(".example")


def main() -> int:
    """Write the file, or compare it with what is there; return the exit status."""
    text = json.dumps(ready_files(), ensure_ascii=False, indent=0) + "\n"
    if "--check" in sys.argv[1:]:
        return int(not READY.exists() or READY.read_text(encoding="utf-8") != text)
    READY.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
