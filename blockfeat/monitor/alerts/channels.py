"""Where alerts go: e-mail, chats, an Atom file, a command; each raises `DeliveryError` where it fails."""

from __future__ import annotations

import asyncio
import json
import os
import smtplib
import ssl
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path
from typing import Any

from blockfeat._files import write_whole
from blockfeat.errors import BlockfeatError
from blockfeat.monitor.alerts.atom import atom, entries_of
from blockfeat.monitor.alerts.message import Message
from blockfeat.monitor.alerts.settings import Alert, Smtp
from blockfeat.monitor.delivery import DeliveryError, environment_value, post

_TIMEOUT = 60.0
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
_IN_FEED = 200
_PERMANENT = 500

Send = Callable[[Message], Coroutine[Any, Any, None]]


def channels_of(alert: Alert, *, smtp: Smtp | None, folder: Path, agent: str) -> dict[str, Send]:
    """Return the channels of an alert by their names, ``"email"`` and so on; ``smtp`` is what sends its e-mail."""
    found: dict[str, Send] = {}
    if alert.email and smtp is not None:
        found["email"] = Email(smtp, alert.email)
    if alert.slack:
        found["slack"] = Slack(alert.slack, agent)
    if alert.feed:
        found["feed"] = AtomFile(folder / alert.feed)
    if alert.command:
        found["command"] = Command(alert.command, folder)
    return found


@dataclass(frozen=True, slots=True)
class Email:
    """A message to some addresses, by SMTP."""

    server: Smtp
    to: tuple[str, ...]

    async def __call__(self, message: Message) -> None:
        """Send it."""
        await asyncio.to_thread(self._send, message)

    def mail(self, message: Message) -> EmailMessage:
        """Return the message as e-mail; its Message-ID is the same whenever it is sent again."""
        mail = EmailMessage()
        mail["Subject"] = message.subject
        mail["From"] = self.server.sender
        mail["To"] = ", ".join(self.to)
        mail["Date"] = formatdate()
        mail["Message-ID"] = f"<{message.id}@{self.server.sender.rpartition('@')[2].rstrip('>') or 'blockfeat'}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text())
        mail.add_alternative(message.html(), subtype="html")
        return mail

    def _send(self, message: Message) -> None:
        server = self.server
        where = f"{server.host}:{server.port or _PORTS[server.security]}"
        password = None if server.password is None else environment_value(server.password, where=where)
        mail = self.mail(message)
        try:
            context = ssl.create_default_context()
            opened: smtplib.SMTP
            if server.security == "tls":
                opened = smtplib.SMTP_SSL(server.host, server.port or _PORTS["tls"], timeout=_TIMEOUT, context=context)
            else:
                opened = smtplib.SMTP(server.host, server.port or _PORTS[server.security], timeout=_TIMEOUT)
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


@dataclass(frozen=True, slots=True)
class Slack:
    """An incoming webhook of Slack, or of Mattermost, which reads Slack's messages."""

    where: str
    agent: str

    async def __call__(self, message: Message) -> None:
        """Post it. The address is a secret, and stands in no message."""
        is_address = self.where.startswith(("http://", "https://"))
        url = self.where if is_address else environment_value(self.where, where="slack")
        body = json.dumps({"text": message.slack()}, ensure_ascii=False).encode("utf-8", "replace")
        await post(url, body, headers={"User-Agent": self.agent}, name="slack")


@dataclass(frozen=True, slots=True)
class AtomFile:
    """An Atom feed in a file, with the last two hundred mentions; each is there once."""

    path: Path

    async def __call__(self, message: Message) -> None:
        """Write the file anew, with what the message tells before what it had."""
        await asyncio.to_thread(self._write, message)

    def _write(self, message: Message) -> None:
        try:
            known = entries_of(self.path.read_bytes()) if self.path.exists() else []
            new = [_row(event) for event in reversed(message.events)]
            ids = {row["id"] for row in new}
            rows = [*new, *(row for row in known if row["id"] not in ids)][:_IN_FEED]
            name = self.path.resolve().as_uri()
            data = atom(rows, title=message.alert, home=None, address=name, updated=formatted(time.time()))
            write_whole(self.path, data)
        except (OSError, BlockfeatError) as error:
            raise DeliveryError(f"{self.path}: {error}") from error


def formatted(moment: float) -> str:
    """Return a moment in RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _row(event: Any) -> dict[str, Any]:
    """Return an event as an entry of a feed."""
    found = formatted(time.time()) if event.get("found_at") is None else event["found_at"]
    if event["event"] == "spike":
        said = f"{event['articles']} articles in an hour; usual are {event['expected']:.1f}"
        values = {"url": "", "title": "spike", "host": "blockfeat", "sentence": said}
        return {"id": event["id"], "brand": event["brand"], "fetched_at": found, **values}
    names = ("id", "brand", "title", "url", "host", "sentence")
    return {**{name: event.get(name) for name in names}, "fetched_at": found}


@dataclass(frozen=True, slots=True)
class Command:
    """A program that gets each message as JSON on its standard input; exit code 0 means that it has taken it."""

    words: tuple[str, ...]
    folder: Path

    async def __call__(self, message: Message) -> None:
        """Run it."""
        values = {"id": message.id, "alert": message.alert, "subject": message.subject, "text": message.text()}
        given = json.dumps({**values, "mentions": list(message.events)}, ensure_ascii=False).encode("utf-8", "replace")
        pipe = asyncio.subprocess.PIPE
        try:
            running = await asyncio.create_subprocess_exec(
                *self.words, stdin=pipe, stdout=asyncio.subprocess.DEVNULL, stderr=pipe, cwd=self.folder, env=os.environ
            )
        except (OSError, ValueError) as error:
            raise DeliveryError(f"{self.words[0]}: {error}") from error
        try:
            _, said = await asyncio.wait_for(running.communicate(given), _TIMEOUT)
        except TimeoutError:
            running.kill()
            await running.wait()
            raise DeliveryError(f"{self.words[0]}: took more than {_TIMEOUT:.0f} s") from None
        if running.returncode:
            last = ": ".join(said.decode("utf-8", "replace").strip().splitlines()[-1:])
            raise DeliveryError(f"{self.words[0]}: exit code {running.returncode} {last}".strip())
