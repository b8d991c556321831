"""New mentions to webhooks and alerts: what goes wrong there fails this delivery and ends nothing."""

import asyncio
import hashlib
import hmac
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blockfeat.monitor.config import MonitorConfig, PageSettings
from blockfeat.monitor.notify.channels import DeliveryError, Message
from blockfeat.monitor.notify.queue import (
    AlertReceiver,
    FileStream,
    Receiver,
    WebhookReceiver,
    deliver,
    receivers_of,
    redeliver,
)
from blockfeat.monitor.receivers import Alert, Webhook
from blockfeat.monitor.store.outbox import NOT_THERE
from blockfeat.monitor.store.store import Store
from cases import CASES
from hooks import Hook
from stored_pages import add, column, events, execute, mention, other_story, record, save

_EVENTS = ['{"id": "1", "brand": "Corvane"}', '{"id": "2", "brand": "Bäcker"}']


def _send(url: str, **options: Any) -> None:
    asyncio.run(WebhookReceiver(Webhook(url=url, **options), agent="blockfeat").take(_EVENTS))


def test_mentions_and_the_token_arrive(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_TOKEN", "s3cret")
    _send(hook.url, token="HOOK_TOKEN")
    _send(hook.url)
    assert [each.get("authorization") for each in hook.headers] == ["Bearer s3cret", None]
    assert hook.bodies[0] == {"mentions": [{"id": "1", "brand": "Corvane"}, {"id": "2", "brand": "Bäcker"}]}


@pytest.mark.parametrize("value", ["schlüssel", "two\nlines", "", "  ", "\ud800", None])
def test_a_bad_token_fails_the_delivery_unshown(hook: Hook, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.setattr("os.environ", os.environ | ({} if value is None else {"HOOK_TOKEN": value}))
    with pytest.raises(DeliveryError, match="HOOK_TOKEN" if value else "HOOK_TOKEN is not set") as failure:
        _send(hook.url, token="HOOK_TOKEN")
    assert not (value or "").strip() or str(value) not in str(failure.value)
    assert hook.headers == []


@pytest.mark.parametrize("url", ["http://a:99999/", "http://a:x/", "http://[::1", f"http://{'a' * 70}.example/"])
def test_an_address_that_is_none_fails_the_delivery(url: str) -> None:
    with pytest.raises(DeliveryError, match="http://"):
        _send(url)


def test_a_request_is_signed_over_time_and_body(hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", "s3cret")
    _send(hook.url, secret="HOOK_SECRET")
    parts = dict(part.split("=") for part in hook.headers[0]["x-blockfeat-signature"].split(","))
    expected = hmac.new(b"s3cret", parts["t"].encode() + b"." + hook.raw[0], hashlib.sha256).hexdigest()
    assert (parts["v1"], abs(int(parts["t"]) - time.time()) < 600) == (expected, True)


def test_a_stream_has_whole_lines_each_as_it_came(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "s.jsonl"
    assert (FileStream(str(file)).name, file.exists()) == (f"stream {file}", False)
    file.write_text('{"id": "0"}\n{"id": "cut', encoding="utf-8")
    stream = FileStream(str(file))
    assert file.read_text(encoding="utf-8") == '{"id": "0"}\n'
    for several in (_EVENTS, _EVENTS[:1]):
        asyncio.run(stream.take(several))
    assert file.read_text(encoding="utf-8").splitlines() == ['{"id": "0"}', *_EVENTS, _EVENTS[0]]
    asyncio.run(FileStream("-").take(_EVENTS))
    assert capsys.readouterr().out.splitlines() == _EVENTS
    with pytest.raises(DeliveryError, match="cannot be written"):
        asyncio.run(FileStream(str(tmp_path / "none" / "s.jsonl")).take(_EVENTS))


def _put(store: Store, *each_of: dict[str, Any]) -> None:
    """Let events of a new mention wait; each is named by what is different, and its id."""
    usual = {"event": "new", "brand": "Corvane", "counted": True, "url": "https://a.example/", "title": "T"}
    usual["found_at"] = "2026-01-05T12:00:00Z"
    for event in each_of:
        execute(store, "INSERT INTO outbox (event) VALUES (:event)", event=json.dumps(usual | event))


def _waiting(store: Store, hook: Hook, *each_of: dict[str, Any], **options: Any) -> WebhookReceiver:
    """Let events wait for a webhook."""
    receiver = WebhookReceiver(Webhook(url=hook.url, **options), agent="blockfeat")
    store.set_sinks([receiver.name])
    _put(store, *each_of)
    return receiver


def _deliver(store: Store, *receivers: Receiver, is_end: bool = False) -> tuple[int, list[tuple[str, str]]]:
    async def call(work: Callable[..., Any], *args: Any, **options: Any) -> Any:
        return work(*args, **options)

    return asyncio.run(deliver(store, receivers, call=call, is_end=is_end))


def _ids(hook: Hook) -> list[list[str]]:
    return [[mention["id"] for mention in body["mentions"]] for body in hook.bodies]


def test_one_refused_mention_becomes_a_dead_letter_and_the_others_arrive(store: Store, hook: Hook) -> None:
    hook.refuses = lambda mention: mention["id"] == "2"
    receiver = _waiting(store, hook, {"id": "1"}, {"id": "2"}, {"id": "3"})
    arrived, failed = _deliver(store, receiver)
    assert (arrived, len(failed), _ids(hook)) == (2, 1, [["1", "2", "3"], ["1"], ["2"], ["3"]])
    (letters,) = store.status(now=0).dead_letters
    assert (letters["number"], "422" in letters["error"]) == (1, True)
    hook.refuses = lambda mention: False
    assert (asyncio.run(redeliver(store, [receiver])), store.status(now=0).dead_letters) == ((1, []), ())


@pytest.mark.parametrize(
    ("refused", "most"), [({50}, 3 + 2 * 5), ({3, 21, 22}, 3 + 3 * 2 * 5), (range(20), 2 + 2 * 20)]
)
def test_refusals_cost_few_requests(store: Store, hook: Hook, refused: Iterable[int], most: int) -> None:
    hook.refuses = lambda mention: int(mention["id"]) in refused
    receiver = _waiting(store, hook, *({"id": str(number)} for number in range(60)), batch=20)
    kept = 60 - len(set(refused))
    assert (_deliver(store, receiver)[0], len(hook.taken), len(hook.bodies) <= most) == (kept, kept, True)
    before = len(hook.bodies)
    assert asyncio.run(redeliver(store, [receiver]))[0] == 0
    assert len(hook.bodies) - before < 2 * len(set(refused))
    # In order, each once.
    sent = [int(one) for batch in _ids(hook) if hook.taken.issuperset(batch) for one in batch]
    assert sent == sorted(set(sent))
    hook.refuses = lambda mention: int(mention["id"]) == min(refused)
    assert asyncio.run(redeliver(store, [receiver]))[0] == len(set(refused)) - 1


def test_what_has_arrived_before_a_failure_is_not_sent_again(store: Store, hook: Hook) -> None:
    hook.answers = [(422, {}), (204, {}), (503, {})]
    receiver = _waiting(store, hook, *({"id": str(number)} for number in range(1, 9)), batch=8)
    assert [_deliver(store, receiver)[0] for _ in range(2)] == [4, 4]
    assert [" ".join(ids) for ids in _ids(hook)] == ["1 2 3 4 5 6 7 8", "1 2 3 4", "5 6", "5 6 7 8"]


def test_each_dead_letter_is_tried_once_more_while_its_receiver_can_be_reached(store: Store, hook: Hook) -> None:
    hook.refuses = lambda mention: True
    receiver = _waiting(store, hook, *({"id": str(number)} for number in range(1, 7)), batch=3)
    _deliver(store, receiver)
    for answers, told in [([], "123 1 23 2 3 456 4 56 5 6"), ([(503, {})], "123"), ([(422, {}), (503, {})], "123 1")]:
        hook.bodies.clear()
        hook.answers = list(answers)
        arrived, failed = asyncio.run(redeliver(store, [receiver]))
        assert (arrived, {name for name, _ in failed}) == (0, {receiver.name})
        assert " ".join("".join(ids) for ids in _ids(hook)) == told


def test_no_receiver_waits_for_another_one(store: Store, hook: Hook) -> None:
    """One gathers what comes within a minute, one fails, one fails somewhere only, and one takes it."""

    class Halfway(WebhookReceiver):
        async def take(self, events: Sequence[str]) -> None:
            raise DeliveryError("one address of two", arrived=True)

    gathers, box = _set_up(store, Alert("A"))
    webhook, name = Webhook(url=hook.url), f"webhook {hook.url}"
    halfway, *hooks = (kind(webhook, agent="b", before=n) for n, kind in enumerate((Halfway, *[WebhookReceiver] * 2)))
    store.set_sinks([receiver.name for receiver in (gathers, halfway, *hooks)])
    _put(store, {"id": "1"})
    hook.answers = [(503, {})]
    arrived, failed = _deliver(store, gathers, halfway, *hooks)
    assert (arrived, [each for each, _ in failed], box.told) == (1, [name, f"{name} (2)"], [])
    assert [len(store.undelivered(each.name, limit=9)) for each in (gathers, halfway, *hooks)] == [1, 0, 1, 0]


def test_webhooks_of_one_address_are_told_apart(store: Store, hook: Hook) -> None:
    hooks = tuple(Webhook(url=hook.url, brands=(brand,)) for brand in ("Corvane", "Brelan"))
    receivers = receivers_of(MonitorConfig(store="", sources=(), brands=(), webhooks=hooks))
    names = [receiver.name for receiver in (*receivers, WebhookReceiver(hooks[0], agent="blockfeat"))]
    assert names == [f"webhook {hook.url}", f"webhook {hook.url} (2)", f"webhook {hook.url}"]
    store.set_sinks(names[:2])
    _put(store, {"id": "1"}, {"id": "2", "brand": "Brelan"})
    assert [_deliver(store, receiver) for receiver in receivers] == [(1, [])] * 2
    assert _ids(hook) == [["1"], ["2"]]


def test_what_was_tried_often_enough_becomes_a_dead_letter(store: Store, hook: Hook) -> None:
    hook.answers = [(503, {})] * 2
    receiver = _waiting(store, hook, {"id": "1"}, attempts=2)
    for _ in range(3):
        _deliver(store, receiver)
    assert _ids(hook) == [["1"], ["1"]]
    assert [letters["number"] for letters in store.status(now=0).dead_letters] == [1]
    assert asyncio.run(redeliver(store, [receiver])) == (1, [])


@pytest.mark.parametrize(
    ("failure", "reason"), [(MemoryError(), "not enough memory"), (KeyError("a"), "unexpected KeyError: 'a'")]
)
def test_what_a_receiver_raises_has_a_plain_reason(
    store: Store, hook: Hook, monkeypatch: pytest.MonkeyPatch, failure: Exception, reason: str
) -> None:
    async def take(self: WebhookReceiver, events: list[str]) -> None:
        raise failure

    monkeypatch.setattr(WebhookReceiver, "take", take)
    receiver = _waiting(store, hook, {"id": "1"})
    assert [told for _, told in _deliver(store, receiver)[1]] == [f"{receiver.name}: {reason}"]


def test_a_receiver_that_fails_is_tried_more_and_more_seldom(
    store: Store, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, waits = [0.0], []
    monkeypatch.setattr(time, "time", lambda: clock[0])
    hook.answers = [(503, {})] * 20
    alert, box = _set_up(store, Alert("A"))
    webhook, box.fails = WebhookReceiver(Webhook(url=hook.url), agent="b"), 20
    store.set_sinks([alert.name, webhook.name])
    _put(store, {"id": "1"})
    for attempt in range(19):
        _deliver(store, alert, webhook, is_end=True)
        assert (len(hook.bodies), box.fails, store.status(now=0).dead_letters) == (attempt + 1, 19 - attempt, ())
        (held,) = {row["retry_at"] for row in store.query("SELECT retry_at FROM sink")}
        waits.append(held and held - clock[0])
        clock[0] = held or clock[0]
    assert waits == [None, None, *(30.0 * 2**n for n in range(7)), *[3600.0] * 10]
    _deliver(store, alert, webhook, is_end=True)
    assert [letters["number"] for letters in store.status(now=0).dead_letters] == [1, 1]


def test_retry_after_is_kept(store: Store, hook: Hook) -> None:
    hook.answers = [(429, {"Retry-After": "3600"})]
    receiver = _waiting(store, hook, {"id": "1"})
    for _ in range(3):
        _deliver(store, receiver)
    assert len(hook.bodies) == 1
    assert store.undelivered(receiver.name, limit=9, now=time.time() + 3700) != []


@pytest.mark.parametrize(("wanted", "ids"), CASES["a_receiver_gets_what_it_wants"])
def test_a_receiver_gets_what_it_wants(store: Store, hook: Hook, wanted: dict[str, Any], ids: str) -> None:
    receiver = _waiting(
        store,
        hook,
        {"id": "1"},
        {"id": "2", "counted": False},
        {"id": "3", "event": "update"},
        {"id": "4", "event": "update", "counted": False, "brand": "Brelan"},
        {"id": "5", "event": "counted"},
        **wanted,
    )
    assert _deliver(store, receiver) == (len(ids), [])
    assert "".join(one for batch in _ids(hook) for one in batch) == ids
    assert store.undelivered(receiver.name, limit=9) == []


def test_a_receiver_is_told_of_what_stops_counting_if_it_was_told_of_it(store: Store, hook: Hook) -> None:
    """Ruled out, gone from the page, or a copy's by now; a receiver that came later does not know it."""
    early, other, late = (WebhookReceiver(Webhook(url=hook.url), agent="b", before=number) for number in range(3))
    store.set_sinks([early.name, other.name])
    first, second, *_ = pages = add(store, "a.example/1", "b.example/2", "c.example/3")
    stays, goes = mention("Corvane stays."), mention("Corvane goes.")
    for page, words in zip(pages, (other_story(1), other_story(2), other_story(2)[:-9]), strict=True):
        save(store, page, words, stays, goes, mention("Corvane was never told.", counted=False), announce=True)
    assert (_deliver(store, early), _deliver(store, other)) == ((4, []), (4, []))
    store.set_sinks([early.name, late.name])
    hook.bodies.clear()
    ruled = replace(stays, counted=False, because="forbids: sea")
    save(store, first, other_story(3), ruled, version=1, announce=True)
    save(store, second, other_story(1), version=1, announce=True)
    assert (_deliver(store, early), _deliver(store, late)) == ((6, []), (2, []))
    told = [(each["event"], each["counted"], each["sentence"]) for each in hook.bodies[0]["mentions"]]
    withdrawn = [("update", False, sentence) for sentence in (goes.sentence, stays.sentence)]
    assert sorted(told) == sorted([*withdrawn, *withdrawn, *(("counted", True, each) for *_, each in withdrawn)])
    assert {each["event"] for each in hook.bodies[1]["mentions"]} == {"counted"}
    because = {each["not_counted_because"] for each in hook.bodies[0]["mentions"]}
    assert because == {"forbids: sea", NOT_THERE, None}
    save(store, first, other_story(4), stays, version=2, announce=True)
    save(store, first, other_story(5), stays, goes, version=3, announce=True)
    assert [each["event"] for each in events(store, early.name)] == ["counted", "counted"]


_CONFIG = MonitorConfig(store="", sources=(), brands=(), base_url="https://m.example/live/")


class _Box:
    """Takes messages; ``fails`` lets it fail so often."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.links: list[str] = []
        self.fails = 0

    async def __call__(self, message: Message) -> None:
        if self.fails:
            self.fails -= 1
            raise DeliveryError("not now")
        self.told.append("".join(str(event["id"]) for event in message.events))
        self.links.append(message.link)


def _set_up(store: Store, alert: Alert) -> tuple[AlertReceiver, _Box]:
    box = _Box()
    receiver = AlertReceiver(alert, "test", box, config=_CONFIG)
    store.set_sinks([receiver.name])
    _deliver(store, receiver)
    return receiver, box


def test_what_comes_within_a_minute_is_one_message_and_told_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    receiver, box = _set_up(store, Alert("A"))

    def told(now: float, *new: int, is_end: bool = False) -> list[str]:
        clock[0] = now
        _put(store, *({"id": number} for number in new))
        _deliver(store, receiver, is_end=is_end)
        return list(box.told)

    assert (told(1000.0, 1), told(1061.0, 2), told(1061.0, 3)) == ([], ["12"], ["12"])
    assert told(1061.0, is_end=True) == told(2000.0) == ["12", "3"]
    # Only a message lets the next one wait.
    _put(store, {"id": 4, "backfill": True})
    assert (told(3000.0), told(3001.0, 5)) == (["12", "3"], ["12", "3", "5"])


def test_a_digest_that_fails_is_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [3600.0 * 10 + 60]
    monkeypatch.setattr(time, "time", lambda: clock[0])
    receiver, box = _set_up(store, Alert("A", when="hourly"))

    def told(hour: int, second: float = 0.0) -> list[str]:
        clock[0] = 3600.0 * hour + second
        return [reason for _, reason in _deliver(store, receiver)[1]] or list(box.told)

    _put(store, {"id": 1}, {"id": 2})
    _deliver(store, receiver, is_end=True)
    assert box.told == []
    box.fails = 1
    # An hour in which nothing came is over: what comes later waits for the next.
    assert (told(11), told(11, 40), told(12)) == (["not now"], ["12"], ["12"])
    _put(store, {"id": 3})
    assert (told(12, 20), told(13)) == (["12"], ["12", "3"])


def test_a_digest_is_one_message_that_leads_to_all_of_it(store: Store) -> None:
    receiver, box = _set_up(store, Alert("A", langs=("de",), query="a b"))
    assert receiver.batch == 50_000
    receiver.articles = None
    days = {"lang": "de", "published": "2026-01-04T23:30:00Z"}, {"lang": "de"}
    _put(store, *({"id": number, **days[number % 2]} for number in range(2500)))
    _deliver(store, receiver, is_end=True)
    assert box.told == ["".join(map(str, range(2500)))]
    assert box.links == ["https://m.example/live/?lang=de&since=2026-01-04&until=2026-01-05&words=a+b"]


def test_what_was_old_when_it_was_found_is_marked_and_no_news(store: Store) -> None:
    receiver, box = _set_up(store, Alert("A"))
    # By when the monitor began, and by the most days of [pages].
    published = {
        "old": "2026-01-05T11:59:59Z",
        "older": "2025-11-05",
        "new": "2026-01-05T12:00:01Z",
        "today": "2026-01-05",
    }
    for number, (name, moment) in enumerate(published.items()):
        save(store, name, record(other_story(number), mention(), published=moment), announce=True)
    marked = [event["url"].removeprefix("https://") for event in events(store, receiver.name) if event["backfill"]]
    assert marked == ["old", "older"]
    _put(store, {"id": "a", "published": "2025-12-06"}, {"id": "b", "published": "2025-12-05"})
    _deliver(store, receiver, is_end=True)
    ids = dict(column(store, "mentions", "url", "id"))
    assert box.told == ["".join([ids["https://new"], ids["https://today"], "a"])]
    unbounded = replace(_CONFIG, pages=PageSettings(max_age=None), base_url=None)
    receiver = AlertReceiver(Alert("A"), "test", box, config=unbounded)
    _put(store, {"id": "old", "published": "1999-12-05"})
    _deliver(store, receiver, is_end=True)
    assert (box.told[1:], box.links[1:]) == (["old"], [""])


def test_a_query_is_asked_of_the_article(store: Store) -> None:
    for name, words in (("a.example/", "The ferry strike goes on in the harbour."), ("b.example/", "The ferry sails.")):
        save(store, name, words)
    receiver, box = _set_up(store, Alert("A", query="ferry NEAR/2 strike"))
    _put(store, *({"id": name, "url": f"https://{name}.example/"} for name in ("a", "b", "gone")))
    _deliver(store, receiver, is_end=True)
    assert box.told == ["a"]


def test_a_chosen_alert_keeps_its_name_in_the_store(store: Store) -> None:
    receiver, _ = _set_up(store, Alert("A"))
    other = AlertReceiver(replace(Alert("A"), brands=("Corvane",)), "test", _Box(), config=_CONFIG)
    assert receiver.name == other.name == "alert A: test"
