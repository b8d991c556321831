"""What an alert says: articles with their sentences, and spikes, as plain text, HTML, and the words of chats."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from blockfeat.content.links import clean_characters
from blockfeat.monitor.mentions.mention import words_for

_MOST_ARTICLES = 50
_LONGEST_SENTENCE, _LONGEST_TITLE, _LONGEST_SUBJECT = 400, 200, 150
_MARKS = re.compile(r"([\\`*_{}\[\]()#~|>@!])")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a message: an article with what it names, or a spike.

    Attributes
    ----------
    head : str
        Brands and title, or what the spike is of.
    about : str
        Host, language, day, place, relevance.
    sentence : str
        The first sentence that names a brand.
    url : str
        Address of the article; empty for a spike.
    """

    head: str
    about: str
    sentence: str
    url: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message of an alert.

    Attributes
    ----------
    id : str
        The same for the same events: whoever gets it twice can tell.
    subject : str
        One line.
    items : tuple of Item
        Fifty at most; ``more`` says how many articles are left out.
    events : tuple of mapping
        What it was made of.
    """

    id: str
    alert: str
    subject: str
    items: tuple[Item, ...]
    more: int
    events: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, alert: str, events: Sequence[Mapping[str, Any]], *, zone: ZoneInfo) -> Message:
        """Make the message that tells of some events."""
        articles: dict[str, list[Mapping[str, Any]]] = {}
        spikes = [event for event in events if event["event"] == "spike"]
        for event in events:
            if event["event"] != "spike":
                articles.setdefault(event["url"], []).append(event)
        items = [*(_spike(event, zone) for event in spikes), *map(_article, articles.values())]
        named = hashlib.sha256("\0".join(str(event["id"]) for event in events).encode()).hexdigest()[:24]
        subject = _line(f"{alert}: {_counts(spikes, articles)}", _LONGEST_SUBJECT)
        more = max(0, len(items) - _MOST_ARTICLES)
        return cls(named, alert, subject, tuple(items[:_MOST_ARTICLES]), more, tuple(events))

    def text(self) -> str:
        """Return it as plain text."""
        parts = ["\n  ".join(filter(None, (item.head, item.about, item.sentence, item.url))) for item in self.items]
        return "\n\n".join((*parts, *self._rest())) + "\n"

    def html(self) -> str:
        """Return it as HTML; all of the page's own words are escaped."""
        drawn = []
        for item in self.items:
            head = f'<a href="{escape(item.url)}">{escape(item.head)}</a>' if _is_web(item.url) else escape(item.head)
            about = f'<p style="margin:0;color:#555;font-size:90%">{escape(item.about)}</p>' if item.about else ""
            said = f'<p style="margin:.2em 0">{escape(item.sentence)}</p>' if item.sentence else ""
            drawn.append(f'<div style="margin:0 0 1.2em"><p style="margin:0"><b>{head}</b></p>{about}{said}</div>')
        rest = "".join(f"<p>{escape(line)}</p>" for line in self._rest())
        return f'<!doctype html><html><body style="font-family:sans-serif">{"".join(drawn)}{rest}</body></html>'

    def slack(self) -> str:
        """Return it in Slack's marks; no word of a page is a mark, a link or a call to everybody."""

        def link(item: Item) -> str:
            return f"*<{_slack(item.url).replace('|', '%7C')}|{_slack(item.head)}>*"

        return self._marked(_slack, link, bold="*")

    def markdown(self) -> str:
        """Return it as Markdown; no word of a page is a mark, a link or a call to everybody."""

        def link(item: Item) -> str:
            url = item.url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")
            return f"**[{_markdown(item.head)}]({url})**"

        return self._marked(_markdown, link, bold="**")

    def _marked(self, escaped: Callable[[str], str], link: Callable[[Item], str], *, bold: str) -> str:
        parts = []
        for item in self.items:
            head = link(item) if _is_web(item.url) else f"{bold}{escaped(item.head)}{bold}"
            parts.append("\n".join((head, *(escaped(line) for line in (item.about, item.sentence) if line))))
        return "\n\n".join((*parts, *map(escaped, self._rest())))

    def _rest(self) -> tuple[str, ...]:
        return (f"and {self.more} more",) if self.more else ()


def _is_web(url: str) -> bool:
    return url.startswith(("http://", "https://"))


def _counts(spikes: Sequence[Mapping[str, Any]], articles: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return how many articles name each brand."""
    brands = Counter(brand for events in articles.values() for brand in {event["brand"] for event in events})
    named = ", ".join(f"{brand} {count}" for brand, count in brands.most_common())
    noun = "article" if len(articles) == 1 else "articles"
    parts = [f"spike of {event['brand']}" for event in spikes]
    return "; ".join((*parts, *([f"{len(articles)} {noun} ({named})"] if articles else [])))


def _article(events: Sequence[Mapping[str, Any]]) -> Item:
    first = max(events, key=lambda event: event.get("relevance") or 0.0)
    brands = ", ".join(dict.fromkeys(str(event["brand"]) for event in events))
    day = str(first.get("published") or first.get("found_at") or "")[:10]
    told = (first.get("host"), first.get("lang"), day, first.get("place"), words_for(first.get("relevance")))
    return Item(
        head=_line(f"{brands}: {first.get('title') or first['url']}", _LONGEST_TITLE),
        about=_line(" · ".join(str(part) for part in told if part), _LONGEST_TITLE),
        sentence=_line(str(first.get("sentence") or ""), _LONGEST_SENTENCE),
        url="".join(clean_characters(str(first["url"])).split()),
    )


def _spike(event: Mapping[str, Any], zone: ZoneInfo) -> Item:
    begin = datetime.fromtimestamp(event["hour"], zone)
    usual = f"{event['expected']:.1f}".removesuffix(".0")
    head = (
        f"{event['brand']}: {event['articles']} articles from {begin:%H:%M} to {(begin.hour + 1) % 24:02}:{begin:%M}; "
        f"usual on a {_DAYS[begin.weekday()]} at this hour are {usual}"
    )
    return Item(_line(head, _LONGEST_TITLE), "", _line("; ".join(event.get("titles", ())), _LONGEST_SENTENCE), "")


def _line(text: str, most: int) -> str:
    """Return a text as one line, cut where it is too long."""
    line = " ".join(clean_characters(text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown(text: str) -> str:
    return _MARKS.sub(r"\\\1", text).replace("\\@", "@\u200b")
