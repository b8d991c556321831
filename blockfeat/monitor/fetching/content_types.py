"""Which bodies are pages, and which are feeds."""

from __future__ import annotations

import re

ACCEPT = {
    "page": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.5",
    "feed": "application/atom+xml,application/rss+xml,application/feed+json,application/xml,text/xml,"
    "application/json;q=0.9,*/*;q=0.5",
    "robots": "text/plain,*/*;q=0.5",
    "part": "*/*",
}
_PAGES = frozenset({"", "text/html", "text/plain", "text/xml", "application/xml", "application/xhtml+xml"})
_FEEDS = frozenset(
    {
        "application/gzip",
        "application/json",
        "application/octet-stream",
        "application/x-gzip",
        "application/x-xml",
        "application/xml",
        "binary/octet-stream",
        "",
    }
)
_MAGIC = {b"%PDF-": "PDF", b"\x89PNG": "PNG", b"\xff\xd8\xff": "JPEG", b"PK\x03\x04": "a zip archive"}


def refused(content_type: str, head: bytes, kind: str) -> str | None:
    """Return why a body is not what was asked for, or None.

    Parameters
    ----------
    content_type : str
        Value of the header; "" without one.
    head : bytes
        First bytes of the body, or none where only the header is known.
    kind : str
        ``"page"``, ``"feed"``; ``"robots"`` and ``"part"`` (of a page) may be anything.
    """
    # Some servers send the header twice, which makes a list of it.
    name = re.split("[;,]", content_type, maxsplit=1)[0].strip().lower()
    if kind in ("robots", "part"):
        return None
    accepted = name in _PAGES if kind == "page" else name in _FEEDS or name.startswith("text/")
    if not accepted and not (kind == "feed" and name.endswith(("+xml", "+json"))):
        return f"not a {kind} but {name}"
    found = next((word for magic, word in _MAGIC.items() if head.startswith(magic)), None)
    return f"not a {kind} but {found}" if found else None
