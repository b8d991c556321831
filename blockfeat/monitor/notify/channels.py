"""Messages of alerts and their channels: e-mail, Slack, an Atom file, a command; a failure is a `DeliveryError`."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import smtplib
import ssl
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import formatdate
from functools import partial
from html import escape
from operator import attrgetter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from blockfeat._files import write_whole
from blockfeat.content import clean_characters
from blockfeat.errors import BlockfeatError, OutputError, how_many
from blockfeat.io.http import failure_of
from blockfeat.monitor.feeds.syndication import atom, entries_of, template
from blockfeat.monitor.fetching.politeness import retry_at
from blockfeat.monitor.mentions.mention import words_for
from blockfeat.monitor.receivers import Alert, Smtp
from blockfeat.monitor.store.records import iso

_POST_TIMEOUT = 20.0
# Requests that are wrong themselves: trying them again changes nothing.
_REFUSED = frozenset({400, 409, 413, 414, 415, 422})


class DeliveryError(OutputError):
    """A receiver could not be reached or refused what it got.

    Attributes
    ----------
    refused : bool
        Whether the same mentions would be refused again.
    retry_at : float or None
        Time of the next try that the receiver named, in seconds since 1970.
    arrived : bool
        Whether it has arrived all the same, though not everywhere: this is reported, and it is not sent again.
    """

    def __init__(
        self, message: str, *, refused: bool = False, retry_at: float | None = None, arrived: bool = False
    ) -> None:
        super().__init__(message)
        self.refused = refused
        self.retry_at = retry_at
        self.arrived = arrived


def environment_value(variable: str, *, where: str) -> str:
    """Return the token or secret that an environment variable holds; it stands in no message."""
    token = os.environ.get(variable, "").strip()
    if not token:
        raise DeliveryError(f"{where}: the environment variable {variable} is not set")
    if not (token.isascii() and token.isprintable()):
        raise DeliveryError(f"{where}: the value of {variable} has characters that no header may have")
    return token


async def post(url: str, body: bytes, *, headers: Mapping[str, str], name: str) -> None:
    """Post JSON to an address; an answer of 2xx means that it has arrived.

    Raises
    ------
    DeliveryError
        Anything else; the message begins with ``name``, not with an address that may be a secret.
    """
    import httpx2

    try:
        # Raises ValueError for a port that there is not, which the connection would do in a way of its own.
        _ = urlsplit(url).port
        async with httpx2.AsyncClient(timeout=_POST_TIMEOUT, trust_env=False) as client:
            answer = await client.post(url, content=body, headers={"Content-Type": "application/json", **headers})
    except Exception as error:
        reason = error if isinstance(error, ValueError) else failure_of(error, seconds=_POST_TIMEOUT)
        raise DeliveryError(f"{name}: {reason}") from error
    if not answer.is_success:
        raise DeliveryError(
            f"{name}: answered {answer.status_code}",
            refused=answer.status_code in _REFUSED,
            retry_at=retry_at(answer.headers.get("Retry-After"), now=time.time()),
        )


_MOST_ARTICLES = 50
_LONGEST_SENTENCE, _LONGEST_TITLE, _LONGEST_SUBJECT = 400, 200, 150
_WEB = ("http://", "https://")
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
    evidence : str
        Where the live page shows why it counts; empty where that has no address.
    """

    head: str
    about: str
    sentence: str
    url: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """A message of an alert.

    Attributes
    ----------
    id : str
        The same for the same events, so that a message that comes twice can be known.
    subject : str
        One line.
    items : tuple of Item
        Fifty at most; ``more`` says how many articles are left out.
    events : tuple of mapping
        What it was made of.
    link : str
        Where the live page shows all of it; empty where that has no address.
    """

    id: str
    alert: str
    subject: str
    items: tuple[Item, ...]
    more: int
    events: tuple[Mapping[str, Any], ...]
    link: str = ""

    @classmethod
    def of(
        cls, alert: str, events: Sequence[Mapping[str, Any]], *, zone: ZoneInfo, base_url: str = "", link: str = ""
    ) -> Message:
        """Make the message about some events; ``base_url`` is that of the live page, ``link`` where it shows them."""
        articles: dict[str, list[Mapping[str, Any]]] = {}
        spikes = [event for event in events if event["event"] == "spike"]
        for event in events:
            if event["event"] != "spike":
                articles.setdefault(event["url"], []).append(event)
        items = [*(_spike(event, zone) for event in spikes), *(_article(each, base_url) for each in articles.values())]
        named = hashlib.sha256("\0".join(str(event["id"]) for event in events).encode()).hexdigest()[:24]
        subject = _line(f"{alert}: {_counts(spikes, articles)}", _LONGEST_SUBJECT)
        more = max(0, len(items) - _MOST_ARTICLES)
        return cls(named, alert, subject, tuple(items[:_MOST_ARTICLES]), more, tuple(events), link)

    def text(self) -> str:
        """Return it as plain text."""
        lines = attrgetter("head", "about", "sentence", "url", "evidence")
        parts = ["\n  ".join(filter(None, lines(item))) for item in self.items]
        return "\n\n".join((*parts, *self._rest())) + "\n"

    def html(self) -> str:
        """Return it as HTML."""
        return template("message.html").render(message=self)

    def slack(self) -> str:
        """Return it in Slack's marks; no word of a page is a link or a call to everybody, nor is it in Mattermost."""
        parts = [f"*{_slack(self.subject)}*"]
        for item in self.items:
            head = _slack(item.head)
            link = f"<{_slack(item.url).replace('|', '%7C')}|{head}>" if item.url.startswith(_WEB) else head
            lines = [_slack(line) for line in (item.about, item.sentence) if line]
            parts.append("\n".join((f"*{link}*", *lines, *([f"<{item.evidence}|evidence>"] if item.evidence else ()))))
        return "\n\n".join((*parts, *self._rest()))

    def _rest(self) -> tuple[str, ...]:
        more = f"and {self.more} more" if self.more else ""
        return tuple(filter(None, (more, self.link)))


def _counts(spikes: Sequence[Mapping[str, Any]], articles: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return how many articles name each brand."""
    brands = Counter(brand for events in articles.values() for brand in {event["brand"] for event in events})
    named = ", ".join(f"{brand} {count}" for brand, count in brands.most_common())
    parts = [f"spike of {event['brand']}" for event in spikes]
    parts += [f"{how_many(len(articles), 'article')} ({named})"] if articles else []
    return "; ".join(parts)


def _article(events: Sequence[Mapping[str, Any]], base_url: str) -> Item:
    first = max(events, key=lambda event: event.get("relevance") or 0.0)
    brands = ", ".join(dict.fromkeys(str(event["brand"]) for event in events))
    day = str(first.get("published") or first.get("found_at") or "")[:10]
    facts = (first.get("host"), first.get("lang"), day, first.get("place"), words_for(first.get("relevance")))
    return Item(
        head=_line(f"{brands}: {first.get('title') or first['url']}", _LONGEST_TITLE),
        about=_line(" · ".join(str(part) for part in facts if part), _LONGEST_TITLE),
        sentence=_line(str(first.get("sentence") or ""), _LONGEST_SENTENCE),
        url="".join(clean_characters(str(first["url"])).split()),
        evidence=base_url + str(first["evidence"]) if base_url and first.get("evidence") else "",
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
    """Return a text for Slack; Mattermost takes Markdown's links and images, and @all, in any text."""
    return escape(text, quote=False).replace("@", "@\u200b").replace("](", "]\u200b(")


_TIMEOUT = 60.0
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
_IN_FEED = 200
_PERMANENT = 500

Send = Callable[[Message], Coroutine[Any, Any, None]]


def channels_of(alert: Alert, *, smtp: Smtp | None, folder: Path, agent: str) -> dict[str, Send]:
    """Return the channels of an alert by their names, ``"email"`` and so on; ``smtp`` is what sends its e-mail."""
    found: dict[str, Send] = {}
    if alert.email and smtp is not None:
        found["email"] = _in_thread(send_mail, smtp, alert.email)
    if alert.slack:
        found["slack"] = partial(post_to_slack, alert.slack, agent)
    if alert.feed:
        found["feed"] = _in_thread(add_to_feed, folder / alert.feed)
    if alert.command:
        found["command"] = _in_thread(run_command, alert.command, folder)
    return found


def _in_thread(send: Callable[..., None], *settings: object) -> Send:
    return lambda message: asyncio.to_thread(send, *settings, message)


def send_mail(server: Smtp, to: Sequence[str], message: Message) -> None:
    """Send a message to some addresses, by SMTP; its Message-ID is the same whenever it is sent again."""
    port = server.port or _PORTS[server.security]
    where = f"{server.host}:{port}"
    password = None if server.password is None else environment_value(server.password, where=where)
    mail = EmailMessage()
    mail["Subject"] = message.subject
    mail["From"] = server.sender
    mail["To"] = ", ".join(to)
    mail["Date"] = formatdate()
    mail["Message-ID"] = f"<{message.id}@{server.sender.rpartition('@')[2].rstrip('>') or 'blockfeat'}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(message.text())
    mail.add_alternative(message.html(), subtype="html")
    try:
        context = ssl.create_default_context()
        connect = partial(smtplib.SMTP_SSL, context=context) if server.security == "tls" else smtplib.SMTP
        opened = connect(server.host, port, timeout=_TIMEOUT)
        try:
            if server.security == "starttls":
                opened.starttls(context=context)
            if server.user is not None and password is not None:
                opened.login(server.user, password)
            refused = opened.send_message(mail)
        finally:
            # Whatever the server says to this: the mail is sent, or it is not.
            with suppress(smtplib.SMTPException, OSError):
                opened.quit()
    except smtplib.SMTPAuthenticationError as error:
        raise DeliveryError(f"{where}: refused user or password ({error.smtp_code})") from error
    except smtplib.SMTPRecipientsRefused as error:
        raise DeliveryError(f"{where}: refused all of {', '.join(error.recipients)}") from error
    except smtplib.SMTPDataError as error:
        reason = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else ""
        refuses = error.smtp_code >= _PERMANENT
        raise DeliveryError(f"{where}: {error.smtp_code} {reason}", refused=refuses) from error
    except (smtplib.SMTPException, OSError, ValueError) as error:
        raise DeliveryError(f"{where}: {error or type(error).__name__}") from error
    if refused:
        raise DeliveryError(f"{where}: sent, but refused for {', '.join(refused)}", arrived=True)


async def post_to_slack(where: str, agent: str, message: Message) -> None:
    """Post a message to an incoming webhook of Slack, or of Mattermost; its address is a secret, and in no message."""
    url = where if where.startswith(_WEB) else environment_value(where, where="slack")
    body = json.dumps({"text": message.slack()}, ensure_ascii=False).encode("utf-8", "replace")
    await post(url, body, headers={"User-Agent": agent}, name="slack")


def add_to_feed(path: Path, message: Message) -> None:
    """Write an Atom feed anew: the events of a message, then what it had, two hundred at most; each is there once."""
    try:
        known = entries_of(path.read_bytes()) if path.exists() else {}
        new = {str(event["id"]): _row(event) for event in message.events[-_IN_FEED:][::-1]}
        older = [entry for key, entry in known.items() if key not in new][: _IN_FEED - len(new)]
        write_whole(path, atom(new.values(), title=message.alert, address=path.resolve().as_uri(), older=older))
    except (OSError, BlockfeatError) as error:
        raise DeliveryError(f"{path}: {error}") from error


def _row(event: Any) -> dict[str, Any]:
    """Return an event as an entry of a feed."""
    found = event.get("found_at") or iso(time.time())
    if event["event"] == "spike":
        said = f"{event['articles']} articles in an hour; usual are {event['expected']:.1f}"
        values = {"url": "", "title": "spike", "host": "blockfeat", "sentence": said}
        return {"id": event["id"], "brand": event["brand"], "fetched_at": found, **values}
    names = ("id", "brand", "title", "url", "host", "sentence")
    return {**{name: event.get(name) for name in names}, "fetched_at": found}


def run_command(words: Sequence[str], folder: Path, message: Message) -> None:
    """Run a program that gets a message as JSON on its standard input; exit code 0 means that it has taken it."""
    values = {"id": message.id, "alert": message.alert, "subject": message.subject, "text": message.text()}
    given = json.dumps({**values, "mentions": list(message.events)}, ensure_ascii=False).encode("utf-8", "replace")
    pipes: dict[str, Any] = {"input": given, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    try:
        done = subprocess.run(words, cwd=folder, timeout=_TIMEOUT, check=False, **pipes)
    except subprocess.TimeoutExpired:
        raise DeliveryError(f"{words[0]}: took more than {_TIMEOUT:.0f} s") from None
    except (OSError, ValueError) as error:
        raise DeliveryError(f"{words[0]}: {error}") from error
    if done.returncode:
        last = ": ".join(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:])
        raise DeliveryError(f"{words[0]}: exit code {done.returncode} {last}".strip())
