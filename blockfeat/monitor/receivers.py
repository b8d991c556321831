"""Settings of the receivers of mentions: the stream, webhooks and alerts; and which events each gets, and when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from blockfeat._config import Count, Line, Parsed, Texts, between, shown, texts
from blockfeat.monitor.fetching.options import Address
from blockfeat.monitor.mentions.brand import Language
from blockfeat.monitor.mentions.queries import Query

CHANNELS = ("email", "slack", "feed", "command")
"""Keys of an alert that say where it goes."""
_DAY_MINUTES = 1440
# Mentions that come one after the other, as in a run over many feeds, are one message.
_BETWEEN_MESSAGES = 60.0
_MAIL_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]]+@[^\s@<>,;:\"()\[\]]+")


def minutes_of(text: Any) -> int:
    """Return the minute of the day of ``"08:30"``; raises ValueError for anything else."""
    hours, colon, minutes = str(text).strip().partition(":")
    if not (colon and hours.isdecimal() and minutes.isdecimal() and int(hours) < 24 and int(minutes) < 60):
        raise ValueError(f"must be a time such as '08:30', not {shown(text)}")
    return int(hours) * 60 + int(minutes)


def span_of(text: Any) -> tuple[int, int]:
    """Return the minutes of the day of ``"22:00-07:00"``; raises ValueError for anything else."""
    start, dash, end = str(text).replace("–", "-").partition("-")
    if not dash:
        raise ValueError(f"must be hours such as '22:00-07:00', not {shown(text)}")
    return minutes_of(start), minutes_of(end)


def _mail_address(text: str) -> str:
    if not _MAIL_ADDRESS.fullmatch(text):
        raise ValueError(f"has {text!r}, which is no e-mail address")
    return text


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events a receiver gets.

    Attributes
    ----------
    clutter : bool
        Mentions that do not count too: in clutter, in copies, ruled out. Without it only those that it knows to count
        and that no longer do.
    updates : bool
        Mentions again whose sentence was corrected.
    brands : tuple of str
        Mentions of these only; empty for all.
    """

    clutter: bool = False
    updates: bool = False
    brands: Texts = ()

    def takes(self, event: Mapping[str, Any]) -> bool:
        """Return whether an event is wanted; what has come to count is new to those who get no clutter."""
        if (self.brands and event["brand"] not in self.brands) or event["event"] == "spike":
            return False
        if "withdraws" in event and not self.clutter:
            return True
        is_known = event["event"] == "update" or (event["event"] == "counted" and self.clutter)
        return (self.clutter or bool(event["counted"])) and (self.updates or not is_known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(Wanted):
    """An address that every new mention is posted to.

    Attributes
    ----------
    url : str
        The address.
    token : str or None
        Name of the environment variable whose value is sent as bearer token.
    batch : int
        Most mentions in one request.
    secret : str or None
        Name of the environment variable whose value signs each request.
    attempts : int
        How often a request is tried before its mentions become dead letters.
    clutter, updates, brands
        Which mentions it gets (`Wanted`).
    """

    url: Address
    token: str | None = None
    batch: Count = 100
    secret: str | None = None
    attempts: Count = 20


@dataclass(frozen=True, slots=True)
class Smtp:
    """A server that takes e-mail.

    Attributes
    ----------
    security : str
        ``"starttls"``, ``"tls"`` or ``"none"``.
    password : str or None
        Name of the environment variable with the password of ``user``.
    sender : str
        Address that messages come from.
    """

    host: str
    sender: Line
    port: Annotated[int, between(1, 65535)] | None = None
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: str | None = None


@dataclass(frozen=True, slots=True)
class Alert:
    """Which mentions are sent as messages, when, and to whom.

    Attributes
    ----------
    name : str
        What it is called in messages.
    tell : tuple of str
        ``"mentions"``, ``"spikes"`` or both.
    brands, langs, sources, places : tuple of str
        Only these; empty for all. A source is the address of a feed, or a host.
    least_relevance : float
        Mentions of less relevance are left out (`blockfeat.monitor.mentions.mention`).
    query : str or None
        What the article must fulfil (`Query`).
    when : str
        ``"at once"`` (what comes within a minute is one message), ``"hourly"`` or ``"daily"``.
    at : int
        Minute of the day for ``"daily"``.
    quiet : (int, int) or None
        From and to which minute of the day nothing is sent; messages are sent afterwards.
    email : tuple of str
        Addresses.
    slack : str or None
        Address of an incoming webhook of Slack or Mattermost, or the name of the environment variable that holds it.
    feed : str or None
        An Atom file.
    command : tuple of str
        A program with its arguments; it gets the message as JSON.

    Raises
    ------
    QueryError
        The query cannot be understood.
    """

    name: str
    tell: Annotated[tuple[Literal["mentions", "spikes"], ...], Parsed(texts)] = ("mentions",)
    brands: Texts = ()
    langs: Annotated[tuple[Language, ...], Parsed(texts)] = ()
    sources: Texts = ()
    places: Texts = ()
    least_relevance: Annotated[float, between(0.0, 1.0)] = 0.0
    query: str | None = None
    when: Literal["at once", "hourly", "daily"] = "at once"
    at: Annotated[int, Parsed(minutes_of)] = 8 * 60
    quiet: Annotated[tuple[int, int] | None, Parsed(span_of)] = None
    email: Annotated[tuple[Annotated[str, Parsed(_mail_address, late=True)], ...], Parsed(texts)] = ()
    slack: str | None = None
    feed: str | None = None
    command: Texts = ()

    def __post_init__(self) -> None:
        """Check the query."""
        self.article_query()

    def is_open(self, now: float, zone: ZoneInfo, *, last: float, is_end: bool = False) -> bool:
        """Return whether a message may go out.

        Parameters
        ----------
        now, last : float
            Seconds since 1970: this moment, and when the last message went out, or the alert was set up.
        zone : ZoneInfo
            Where the minutes of the day are counted.
        is_end : bool
            Whether a run ends, so that nothing comes for a while.
        """
        local, before = (datetime.fromtimestamp(moment, zone) for moment in (now, last))
        start, end = self.quiet or (0, 0)
        if (local.hour * 60 + local.minute - start) % _DAY_MINUTES < (end - start) % _DAY_MINUTES:
            return False
        if self.when == "at once":
            return is_end or now - last >= _BETWEEN_MESSAGES
        if self.when == "hourly":
            return now >= last - last % 3600 + 3600
        turn = before.replace(hour=self.at // 60, minute=self.at % 60, second=0, microsecond=0)
        return now >= (turn if turn > before else turn + timedelta(days=1)).timestamp()

    def article_query(self) -> Query | None:
        """Return what the article must fulfil."""
        return None if self.query is None else Query.parse(self.query, name=self.name)

    def is_of(self, event: Mapping[str, object]) -> bool:
        """Return whether an event matches the filters of the alert, apart from its query."""
        if self.brands and event["brand"] not in self.brands:
            return False
        if event["event"] == "spike":
            return "spikes" in self.tell
        chosen = (self.langs, event.get("lang")), (self.places, event.get("place"))
        if "mentions" not in self.tell or any(wanted and value not in wanted for wanted, value in chosen):
            return False
        if self.sources and not {event.get("source"), event.get("host")} & set(self.sources):
            return False
        relevance = event.get("relevance")
        is_relevant = not isinstance(relevance, int | float) or relevance >= self.least_relevance
        # A corrected sentence was sent already; a mention that has come to count is new.
        return bool(event["counted"]) and is_relevant and event["event"] != "update"
