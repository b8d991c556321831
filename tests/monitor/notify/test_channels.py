"""Alerts against a local SMTP server, local webhooks, a file and a command."""

import asyncio
import email
import email.policy
import json
import re
import socketserver
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from zoneinfo import ZoneInfo

import pytest

from blockfeat.monitor.notify import channels
from blockfeat.monitor.notify.channels import DeliveryError, Message, add_to_feed, post_to_slack, run_command, send_mail
from blockfeat.monitor.receivers import Alert, Smtp
from hooks import Hook

_EVENT = {
    **{"id": "1", "event": "new", "brand": "Bäcker", "counted": True, "place": "headline", "relevance": 0.8},
    **{"sentence": "Bäcker <b>opens</b> & closes.", "title": "Bäcker\r\nBcc: evil@example.org", "lang": "de"},
    **{"url": "https://a.example/1?x=(1)", "host": "a.example"},
    **{"published": "2026-11-22T08:00:00Z", "found_at": "2026-11-22T09:00:00Z"},
}
_SPIKE = {
    **{"id": "9", "event": "spike", "brand": "Bäcker", "counted": True},
    **{"hour": 1_763_805_600.0, "articles": 14, "expected": 2.31, "titles": ["One", "Two"]},
}


_UTC = ZoneInfo("UTC")


def _message(*events: dict[str, Any]) -> Message:
    return Message.of("Head", events or (_EVENT,), zone=_UTC)


def _send(channel: Callable[[Message], Coroutine[Any, Any, None] | None], *events: dict[str, Any]) -> None:
    if (sending := channel(_message(*events))) is not None:
        asyncio.run(sending)


class MailServer(socketserver.ThreadingTCPServer):
    """Takes mail; ``mails`` has it, ``refuses`` makes it answer otherwise."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], bytes]] = []
        self.refuses: dict[str, str] = {}
        super().__init__(("127.0.0.1", 0), _Session)

    def smtp(self, **options: Any) -> Smtp:
        return Smtp("127.0.0.1", "monitor@example.org", self.server_address[1], "none", **options)


class _Session(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        to: list[str] = []
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline().strip().decode():
            word = line.split()[0].upper()
            refusals = [said for start, said in self.server.refuses.items() if line.upper().startswith(start)]
            answer = refusals[0] if refusals else "250 ok"
            if word == "RCPT" and answer.startswith("250"):
                to.append(line.split("<")[1].split(">")[0])
            if word == "DATA" and answer.startswith("250"):
                self.wfile.write(b"354 go\r\n")
                lines = []
                while (part := self.rfile.readline()) != b".\r\n":
                    lines.append(part)
                self.server.mails.append((to, b"".join(lines)))
            self.wfile.write(f"{answer}\r\n".encode())
            if word == "QUIT":
                return


@pytest.fixture
def mail() -> Iterator[MailServer]:
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def test_a_mail_has_text_and_html_and_the_same_id_again(mail: MailServer) -> None:
    send = partial(send_mail, mail.smtp(), ("you@example.org", "all@example.org"))
    for _ in range(2):
        _send(send, _EVENT, _SPIKE)
    (to, data), (_, again) = mail.mails
    read, second = (email.message_from_bytes(each, policy=email.policy.default) for each in (data, again))
    assert to == ["you@example.org", "all@example.org"]
    assert read["Message-ID"] == second["Message-ID"]
    assert read["Message-ID"].endswith("@example.org>")
    assert (read["Bcc"], read["Auto-Submitted"]) == (None, "auto-generated")
    assert read["Subject"] == "Head: spike of Bäcker; 1 article (Bäcker 1)"
    plain = read.get_body(("plain",)).get_content()
    html = read.get_body(("html",)).get_content()
    assert "Bäcker: Bäcker Bcc: evil@example.org" in plain
    assert "usual on a Saturday at this hour are 2.3" in plain
    assert "Bäcker &lt;b&gt;opens&lt;/b&gt; &amp; closes." in html


@pytest.mark.parametrize(
    ("refuses", "reason", "refused"),
    [
        ({"RCPT": "550 no"}, "refused all of", False),
        ({"DATA": "554 spam"}, "554 spam", True),
        ({"DATA": "500 what"}, "500 what", True),
        ({"DATA": "499 what"}, "499 what", False),
        ({"DATA": "451 later"}, "451 later", False),
        ({"MAIL": "421 busy"}, "421", False),
    ],
)
def test_what_a_mail_server_refuses(mail: MailServer, refuses: dict[str, str], reason: str, *, refused: bool) -> None:
    mail.refuses = refuses
    with pytest.raises(DeliveryError, match=reason) as error:
        _send(partial(send_mail, mail.smtp(), ("you@example.org",)))
    assert (error.value.refused, error.value.arrived) == (refused, False)


def test_one_address_of_two_that_is_refused_is_told_and_the_mail_is_not_sent_again(mail: MailServer) -> None:
    mail.refuses = {"RCPT TO:<GONE": "550 gone"}
    with pytest.raises(DeliveryError, match=r"refused for gone@example\.org") as error:
        _send(partial(send_mail, mail.smtp(), ("you@example.org", "gone@example.org")))
    assert error.value.arrived
    assert mail.mails[0][0] == ["you@example.org"]


def test_no_mail_server_and_no_password(mail: MailServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAIL_PASSWORD", raising=False)
    for smtp, reason in (
        (Smtp("127.0.0.1", "a@b.c", 1, "none"), r"127\.0\.0\.1:1:"),
        (mail.smtp(user="me", password="MAIL_PASSWORD"), "MAIL_PASSWORD is not set"),
        (Smtp("127.0.0.1", "a@b.c", mail.server_address[1]), None),
    ):
        with pytest.raises(DeliveryError, match=reason):
            _send(partial(send_mail, smtp, ("you@example.org",)))
    assert mail.mails == []


def test_no_word_of_a_page_is_a_link_or_a_call_in_a_chat(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_URL", f"{hook.url}secret")
    evil = _EVENT | {"title": '<!channel> @all [x](https://evil.example) "it\'s"', "url": "https://a.example/|x"}
    _send(partial(post_to_slack, "CHAT_URL", "agent"), evil)
    (said,) = (body["text"] for body in hook.bodies)
    assert said.startswith("*Head: 1 article (Bäcker 1)*\n\n*<https://a.example/%7Cx|Bäcker: &lt;!channel&gt; ")
    # Mattermost calls everybody by @all in any text, and has Markdown's links.
    assert "@all" not in said
    assert "[x](" not in said
    assert '[x]\u200b(https://evil.example) "it\'s"' in said


def test_the_address_of_a_chat_stands_in_no_message(hook: Hook) -> None:
    hook.answers = [(500, {})]
    with pytest.raises(DeliveryError, match="slack: answered 500") as error:
        _send(partial(post_to_slack, f"{hook.url}secret", "agent"))
    assert "secret" not in str(error.value)


def test_a_feed_has_each_mention_once_and_the_newest_first(tmp_path: Path) -> None:
    file = tmp_path / "alerts.atom"
    send = partial(add_to_feed, file)
    _send(send, _EVENT, _SPIKE)
    _send(send, _EVENT | {"id": "2", "brand": "Corvane & Co", "title": "T\x00"}, _EVENT)
    rows = channels.entries_of(file.read_bytes())
    assert list(rows) == ["1", "2", "9"]
    assert ('term="Corvane &amp; Co"' in rows["2"], f'href="{_EVENT["url"]}"' in rows["1"]) == (True, True)
    assert _EVENT["found_at"] in rows["1"]
    for number in range(30):
        _send(send, *({**_EVENT, "id": f"{number}-{each}"} for each in range(10)))
    assert len(channels.entries_of(file.read_bytes())) == 200


def test_a_damaged_feed_is_begun_anew_and_a_folder_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "alerts.atom"
    file.write_bytes(b'<!DOCTYPE x [<!ENTITY a "b">]><feed>&a;')
    _send(partial(add_to_feed, file))
    assert list(channels.entries_of(file.read_bytes())) == ["1"]
    for path in (tmp_path, file / "below.atom"):
        with pytest.raises(DeliveryError):
            _send(partial(add_to_feed, path))


def test_a_command_gets_the_message(tmp_path: Path) -> None:
    program = "import sys; open('got.json', 'w').write(sys.stdin.read())"
    _send(partial(run_command, (sys.executable, "-c", program), tmp_path))
    got = json.loads((tmp_path / "got.json").read_text(encoding="utf-8"))
    assert (got["subject"], got["mentions"][0]["id"]) == ("Head: 1 article (Bäcker 1)", "1")
    failing = (sys.executable, "-c", "import sys; print('so\\nmuch\\nno luck', file=sys.stderr); sys.exit(3)")
    with pytest.raises(DeliveryError, match=rf"^{re.escape(sys.executable)}: exit code 3 no luck$"):
        _send(partial(run_command, failing, tmp_path))
    for name in ("no-such-program", "a\0b"):
        with pytest.raises(DeliveryError, match=f"^{name}: "):
            _send(partial(run_command, (name, "-c", "token"), tmp_path))


@pytest.mark.parametrize("base", ["", "https://m.example"])
def test_many_articles_are_cut_and_counted_and_lead_to_all_and_to_their_evidence(base: str) -> None:
    values = _EVENT | {"evidence": "/article/7#b3"}
    events = [values | {"id": str(n), "url": f"https://a.example/{n}"} for n in range(70)]
    message = Message.of("Head", events, zone=ZoneInfo("UTC"), base_url=base, link=base and f"{base}/?brand=x&lang=de")
    assert (len(message.items), message.more) == (50, 20)
    assert message.text().rstrip().endswith(f"\n\n{base}/?brand=x&lang=de" if base else "and 20 more")
    assert message.subject == "Head: 70 articles (Bäcker 70)"
    links = {"text": 50, "html": 50, "slack": 50}
    found = {name: getattr(message, name)().count(f"{base}/article/7#b3") for name in links}
    assert found == (links if base else dict.fromkeys(links, 0))
    assert ('<a href="https://m.example/?brand=x&amp;lang=de">' in message.html()) is bool(base)


@pytest.mark.parametrize(("length", "cut"), [(150, 150), (200, 200), (400, 400), (401, 400)])
def test_long_words_of_a_page_are_cut(length: int, cut: int) -> None:
    long = "x" * length
    message = Message.of("x" * (length - 17), [_EVENT | {"brand": "x", "title": long[3:], "sentence": long}], zone=_UTC)
    (item,) = message.items
    assert (len(item.sentence), item.sentence[-1]) == (cut, "x" if cut == length else "…")
    assert (len(item.head), len(message.subject)) == (min(length, 200), min(length, 150))


def test_an_article_is_told_by_the_mention_that_says_most_of_it() -> None:
    passing = {"brand": "Corvane", "relevance": None, "sentence": "In passing.", "place": "body"}
    undated = {"published": None, "relevance": 0.7}
    (item,) = _message(_EVENT | passing, _EVENT | undated, _EVENT | passing | {"relevance": 0.1}).items
    assert item.head == "Corvane, Bäcker: Bäcker Bcc: evil@example.org"
    assert (item.about, item.sentence) == ("a.example · de · 2026-11-22 · headline · about", _EVENT["sentence"])
    assert _message({"id": "2", "event": "new", "brand": "B", "url": "/x"}).html().count("<p") == 2


@pytest.mark.parametrize(("hour", "hours"), [(0, "08:30 to 09:30"), (15, "23:30 to 00:30")])
def test_a_spike_is_told_with_its_hour_and_what_is_usual(hour: int, hours: str) -> None:
    zone = ZoneInfo("Asia/Kolkata")
    event = _SPIKE | {"hour": 1_763_780_400.0 + 3600 * hour, "expected": 2.0}
    message = Message.of("Head", [event], zone=zone)
    said = f"Bäcker: 14 articles from {hours}; usual on a Saturday at this hour are 2"
    assert (message.subject, message.text()) == ("Head: spike of Bäcker", f"{said}\n  One; Two\n")
    assert message.slack() == f"*Head: spike of Bäcker*\n\n*{said}*\nOne; Two"
    assert ("<a " in message.html(), message.html().count("<p")) == (False, 2)


@pytest.mark.parametrize(("security", "port"), [("starttls", 587), ("tls", 465), ("none", 25)])
@pytest.mark.parametrize("user", [None, "me"])
def test_how_a_mail_server_is_spoken_to(
    monkeypatch: pytest.MonkeyPatch, security: Any, port: int, user: str | None
) -> None:
    plain, tls = (Mock(**{"return_value.send_message.return_value": {}}) for _ in range(2))
    monkeypatch.setattr("smtplib.SMTP", plain)
    monkeypatch.setattr("smtplib.SMTP_SSL", tls)
    monkeypatch.setenv("MAIL_PASSWORD", "secret")
    for given in (None, 2525):
        _send(
            partial(send_mail, Smtp("h.example", "a@b.c", given, security, user, "MAIL_PASSWORD"), ("you@example.org",))
        )
        used, other = (tls, plain) if security == "tls" else (plain, tls)
        assert (used.call_args.args, other.called) == (("h.example", given or port), False)
    steps = [*["starttls"] * (security == "starttls"), *["login"] * (user is not None), "send_message", "quit"]
    assert [name for name, *_ in used.return_value.method_calls] == steps * 2
    used.side_effect = OSError("down")
    with pytest.raises(DeliveryError, match=f"^127.0.0.1:{port}: down"):
        _send(partial(send_mail, Smtp("127.0.0.1", "a@b.c", security=security), ("you@example.org",)))


def test_which_answers_refuse_the_mentions_themselves(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # a proxy of the machine is not asked
    refused = set()
    for status in range(399, 430):
        hook.answers = [(status, {})]
        with pytest.raises(DeliveryError, match=f"slack: answered {status}") as error:
            _send(partial(post_to_slack, hook.url, "agent"))
        refused |= {status} if error.value.refused else set()
    assert refused == {400, 409, 413, 414, 415, 422}


def test_a_command_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channels, "_TIMEOUT", 0.1)
    with pytest.raises(DeliveryError, match=f"^{re.escape(sys.executable)}: took more than 0 s$"):
        _send(partial(run_command, (sys.executable, "-c", "import time; time.sleep(600)"), tmp_path))


def test_channels_are_those_that_are_named(tmp_path: Path) -> None:
    alert = Alert("A", email=("a@b.c",), slack="https://x.example", feed="f.atom")
    smtp = Smtp("h", "a@b.c")
    assert list(channels.channels_of(alert, smtp=smtp, folder=tmp_path, agent="x")) == ["email", "slack", "feed"]
    assert list(channels.channels_of(alert, smtp=None, folder=tmp_path, agent="x")) == ["slack", "feed"]
    assert list(channels.channels_of(Alert("A", command=("x",)), smtp=smtp, folder=tmp_path, agent="x")) == ["command"]
