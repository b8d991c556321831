"""JSON Feed, versions 1 and 1.1 (jsonfeed.org)."""

from __future__ import annotations

import json
import re
from typing import Any

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds.feed import Feed
from blockfeat.monitor.feeds.gathering import Gathering, absolute
from blockfeat.monitor.feeds.plain_text import plain_text

_VERSION = re.compile(r'"version"\s{0,20}:\s{0,20}"https?://(?:www\.)?jsonfeed\.org/version/')
_ITEMS = re.compile(r'"items"\s{0,20}:\s{0,20}\[')
_HEAD = re.compile(r'"(title|language)"\s{0,20}:\s{0,20}("(?:[^"\\]|\\.){0,500}")')
_BETWEEN = re.compile(r"[\s,]*")


def read_json_feed(text: str, *, url: str) -> Feed:
    """Read a JSON Feed.

    Raises
    ------
    FeedError
        It is no JSON Feed.
    """
    if not _VERSION.search(text):
        raise FeedError(f"{url}: JSON, but not a JSON Feed (no version of jsonfeed.org)")
    gathering = Gathering(url)
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise FeedError(f"{url}: JSON that is nested too deeply") from error
    except ValueError:
        document = _salvaged(text)
        gathering.cut_off(True)
    if not isinstance(document, dict):
        raise FeedError(f"{url}: JSON, but not a JSON Feed")
    items = document.get("items")
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            _add(gathering, item, document.get("language"))
    after = absolute(document.get("next_url"), url)
    return Feed(
        kind="json",
        title=plain_text(document.get("title"), html=False),
        entries=gathering.entries,
        feeds=(after,) if after and after != url else (),
        expired=document.get("expired") is True,
        warnings=gathering.warnings,
    )


def _add(gathering: Gathering, item: dict[str, Any], lang: object) -> None:
    summary = item.get("summary") or item.get("content_text")
    identity = item.get("id")
    own = item.get("language") or lang
    gathering.add(
        item.get("url") or item.get("external_url") or (absolute(identity, "") and identity),
        id=str(identity) if isinstance(identity, str | int) else None,
        title=plain_text(item.get("title"), html=False),
        published=gathering.date(item.get("date_published")),
        updated=gathering.date(item.get("date_modified")),
        lang=own if isinstance(own, str) else None,
        summary=plain_text(summary, html=False) or plain_text(item.get("content_html")),
    )


def _salvaged(text: str) -> dict[str, Any]:
    """Return title, language and the complete items of JSON that is cut off."""
    found: dict[str, Any] = {"items": []}
    start = _ITEMS.search(text)
    if start is None:
        return found
    for match in _HEAD.finditer(text, 0, start.start()):
        found.setdefault(match[1], json.loads(match[2], strict=False))
    decoder, at = json.JSONDecoder(), start.end()
    while True:
        blank = _BETWEEN.match(text, at)
        at = blank.end() if blank else at
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return found
        found["items"].append(item)
