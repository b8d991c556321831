"""Who sees the live page, and whether the monitor behind it is at work."""

import base64
import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from unicodedata import normalize
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from blockfeat.monitor.config import Source
from blockfeat.monitor.store.runs import _hashed
from blockfeat.monitor.store.store import Store
from blockfeat.web.guard import ServeSettings
from blockfeat.web.live.app import create_live_app, door, feedback_router, router
from cases import CASES
from command_line import call, serving
from stored_pages import NOW, execute, mention, record, save_on_day

_PASSWORD = "пароль Ω 合言葉 é"
_BROWSER = {"accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "m.db")) as opened:
        save_on_day(opened, 0, record("Text.", mention()))
        opened.set_password(_PASSWORD)
        yield opened


def _client(store: Store, *, scheme: str = "http", **options: Any) -> TestClient:
    app = create_live_app(store, settings=ServeSettings(requests_per_minute=0), feedback=True, **options)
    return TestClient(app, base_url=f"{scheme}://localhost", client=("192.0.2.1", 1), follow_redirects=False)


def _bearer(password: str, *, encoding: str = "utf-8") -> dict[str, bytes]:
    return {"authorization": b"Bearer " + password.encode(encoding)}


def _basic(pair: bytes) -> dict[str, bytes]:
    return {"authorization": b"basic " + base64.b64encode(pair)}


def _log_in(client: TestClient, password: str = _PASSWORD) -> int:
    return int(client.post("/login", data={"password": password}).status_code)


def test_everything_but_the_door_needs_the_password(store: Store) -> None:
    client = _client(store)
    assert {route.path for route in door.routes} == {"/login", "/logout", "/healthz"}
    routes = [*router.routes, *feedback_router.routes]
    guarded = {(route.path, method) for route in routes for method in route.methods}
    assert {"/", "/status", "/metrics", "/mentions.csv", "/feedback", "/lessons"} <= {path for path, _ in guarded}
    for path, method in guarded:
        answer = client.request(method, path.replace("{number}", "1"))
        assert (path, answer.status_code, answer.headers["www-authenticate"]) == (path, 401, "Bearer")
        assert "Corvane" not in answer.text
    assert client.get("/static/live.css").status_code == 200
    assert "ProblemBody" in client.get("/openapi.json").json()["components"]["schemas"]
    sent = client.get("/?q=a%26b", headers=_BROWSER)
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?back=%2F%3Fq%3Da%2526b")
    assert client.get("/login").status_code == 401


def test_a_browser_logs_in_once_and_out(store: Store) -> None:
    client = _client(store)
    assert "/login?back=%2Fstatus&amp;again=True" in client.get("/login?back=/status").text
    assert 'http-equiv="refresh"' not in client.get("/login?back=/status&again=true").text
    wrong = client.post("/login", data={"password": "not the password", "back": "/status"})
    assert (wrong.status_code, "This is not the password" in wrong.text) == (401, True)
    assert 'name="back" value="/status"' in wrong.text
    assert (_log_in(client, ""), client.post("/login").status_code, list(client.cookies)) == (401, 401, [])
    done = client.post("/login", data={"password": _PASSWORD, "back": "/article/1"})
    assert (done.status_code, done.headers["location"]) == (303, "/article/1")
    cookie = done.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=2592000"))
    assert ("Secure" in cookie, _PASSWORD in cookie) == (False, False)
    assert (client.get("/", headers=_BROWSER).status_code, client.get("/login?back=/x").status_code) == (200, 303)
    assert "Log out" in client.get("/").text
    assert client.post("/logout").status_code == 303
    assert client.get("/").status_code == 401
    over_tls = _client(store, scheme="https").post("/login", data={"password": _PASSWORD, "back": "//evil.example"})
    assert (over_tls.headers["location"], "Secure" in over_tls.headers["set-cookie"]) == ("/", True)


def test_another_site_cannot_log_in(store: Store) -> None:
    client = _client(store)
    form = {"password": _PASSWORD}
    assert client.post("/login", data=form, headers={"origin": "https://evil.example"}).status_code == 403
    assert client.post("/login", data=form, headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (_bearer(_PASSWORD), 200),
        (_bearer(normalize("NFD", _PASSWORD)), 200),
        (_basic(b"anybody:" + _PASSWORD.encode()), 200),
        (_bearer(_PASSWORD.upper()), 401),
        (_bearer(_PASSWORD[:-1]), 401),
        (_bearer(""), 401),
        (_basic(_PASSWORD.encode()), 401),
        ({"authorization": "Basic no base64"}, 401),
        ({"authorization": _basic(b"anybody:" + _PASSWORD.encode())["authorization"] + b"!"}, 401),
        ({"authorization": "Digest x"}, 401),
        (_bearer("é", encoding="latin-1"), 401),
    ],
)
def test_programs_send_the_password(store: Store, headers: dict[str, Any], status: int) -> None:
    assert _client(store).get("/api/v1/mentions", headers=headers).status_code == status


def test_tries_are_limited_and_only_of_who_tries(store: Store) -> None:
    guesser = _client(store)
    guesser.app.state.access._tries._clock = lambda: 0.0  # a password takes seconds to compare on a machine at work
    known, other = (TestClient(guesser.app, base_url="http://localhost", client=(at, 1)) for at in ("192.0.2.2", "::2"))
    assert known.get("/status", headers=_bearer(_PASSWORD)).status_code == 200
    assert [_log_in(guesser, f"guess {number}") for number in range(5)] == [401] * 5
    refused = guesser.get("/", headers=_bearer("a sixth guess"))
    assert (refused.status_code, 0 < int(refused.headers["retry-after"]) <= 12) == (429, True)
    # Else the right one would be told apart by its answer, and guessing had no limit.
    assert guesser.get("/status", headers=_bearer(_PASSWORD)).status_code == 429
    guesser.app.state.access._tries._clock = lambda: 11.5  # half a second too early
    early = guesser.get("/status", headers=_bearer(_PASSWORD))
    assert (early.status_code, early.headers["retry-after"]) == (429, "1")
    # Who comes from elsewhere goes on, however often.
    assert {known.get("/status", headers=_bearer(_PASSWORD)).status_code for _ in range(9)} == {200}
    # The right password gives no tries back; the first time it was one itself.
    assert [_log_in(known, f"guess {number}") for number in range(5)] == [401] * 4 + [429]
    assert _log_in(other, "a guess") == 401


def test_a_new_password_ends_what_the_old_one_opened(store: Store) -> None:
    client = _client(store, is_open=False)
    assert _log_in(client) == 303
    store.set_password("another password")
    old = (client.get("/").status_code, client.get("/", headers=_bearer(_PASSWORD)).status_code)
    assert (old, client.get("/", headers=_bearer("another password")).status_code) == ((401, 401), 200)
    store.set_password(None)
    assert (client.get("/").status_code, _log_in(client, "another password")) == (401, 401)
    assert _client(store).get("/").status_code == 200, "on this machine alone a password is not needed"


def test_no_ticket_can_be_made_or_used_too_long(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    client, later = _client(store), time.time() + 31 * 86_400
    assert _log_in(client) == 303
    ((name, ticket),) = client.cookies.items()
    ahead = f"{later:.0f}.{ticket.partition('.')[2]}"
    forged = ("", ".", ahead, f"²{ticket}", "99999999999.\u00e9", ticket[:-1], "9" * 5_000)
    for value in forged:
        stranger = TestClient(client.app, base_url="http://localhost")
        assert stranger.get("/", headers={"cookie": f"{name}={value}".encode()}).status_code == 401
    other = _client(store)
    other.cookies.set(name, ticket)
    assert other.get("/").status_code == 401, "of another process"
    end = int(ticket.partition(".")[0])
    assert 0 <= time.time() + 30 * 86_400 - end < 60
    for now, status in ((end - 1, 200), (end, 401), (later, 401)):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        # A client of its own would no longer send it.
        stranger = TestClient(client.app, base_url="http://localhost")
        assert stranger.get("/", headers={"cookie": f"{name}={ticket}"}).status_code == status


def test_the_password_is_stored_as_a_hash(store: Store, tmp_path: Path) -> None:
    first = store.password_hash()
    store.set_password(_PASSWORD)
    assert (first is not None, store.password_hash() != first) == (True, True)
    assert not any(_PASSWORD.encode() in file.read_bytes() for file in tmp_path.iterdir())
    assert _hashed("harbour", b"").startswith("1b64de3b745baadb93b1"), "hashes that are stored would be of no use"


def test_the_commands_of_a_password(store: Store, tmp_path: Path) -> None:
    short = call("monitor", "password", "m.db", given="   short   \n", folder=tmp_path)
    assert (short.returncode, "fewer than 8 characters" in short.said) == (2, True)
    assert call("monitor", "password", "m.db", folder=tmp_path).returncode != 0
    assert call("monitor", "password", "m.db", given="long enough\nmore", folder=tmp_path).returncode == 0
    assert _client(store).get("/", headers=_bearer("long enough")).status_code == 200
    assert call("monitor", "password", "m.db", "--remove", folder=tmp_path).returncode == 0
    assert store.password_hash() is None
    refused = call("monitor", "serve", "m.db", "--host", "0.0.0.0", "--port", "0", folder=tmp_path)
    assert (refused.returncode, "0.0.0.0: set a password" in refused.said) == (2, True)
    store.set_password(_PASSWORD)
    with serving("monitor", "serve", "m.db", "--host", "0.0.0.0", folder=tmp_path) as (url, _, _):
        assert url.startswith("http://0.0.0.0:")


# Health


def _rounds(store: Store, *begun: float, ended: bool = True) -> None:
    for number, moment in enumerate(begun):
        run = store.begin_run(now=NOW + moment, process=f"p {number}")
        if ended:
            store.end_run(run, now=NOW + moment + 30, summary={})


_TEN_MINUTES = [600.0 * number for number in range(5)]  # the last ends at 2,430


@pytest.mark.parametrize(("begun", "ended", "at", "trouble"), CASES["a_monitor_that_is_not_at_work"])
def test_a_monitor_that_is_not_at_work_is_told(
    store: Store, begun: list[float], ended: bool, at: float, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _rounds(store, *begun, ended=ended)
    monkeypatch.setattr(time, "time", lambda: NOW + at)
    answer = _client(store).get("/healthz")
    assert (answer.status_code, (trouble or "ok") in answer.text) == (503 if trouble else 200, True)
    shown = _client(store).get("/", headers=_bearer(_PASSWORD)).text
    assert ("Nothing new is read" in shown) == bool(trouble)


@pytest.mark.parametrize(("ended", "is_trouble"), [((0, 4), True), ((3,), False), ((1,), False)])
def test_the_three_rounds_before_the_last_one_break_off(store: Store, ended: tuple[int, ...], is_trouble: bool) -> None:
    for number in range(5):
        _rounds(store, 600.0 * number, ended=number in ended)
    assert (store.trouble(now=NOW + 2_500) is not None) == is_trouble


@pytest.mark.parametrize(("minute", "is_trouble"), [(25, False), (35, True)])
def test_the_last_round_of_a_day_before_may_be_half_a_pause_later(store: Store, minute: int, is_trouble: bool) -> None:
    days = ((0, 60 * minute), (86_400, 0))
    _rounds(store, *(day + 3_600.0 * hour + late for day, late in days for hour in range(9)))
    assert (store.trouble(now=NOW + 86_400 + 14 * 3_600) is not None) == is_trouble


@pytest.mark.parametrize(("at", "is_trouble"), CASES["rounds_in_office_hours"])
def test_rounds_may_keep_office_hours(store: Store, at: str, is_trouble: bool) -> None:
    zone = ZoneInfo("Europe/Berlin")
    store.set_timezone(zone)
    end = datetime.fromisoformat(at).replace(tzinfo=zone)
    days = (datetime(2026, 10, 12, tzinfo=zone) + timedelta(days=number) for number in range(12))
    hours = (day.replace(hour=hour) for day in days if day.weekday() < 5 for hour in range(8, 17))
    last = end.replace(hour=9) if 10 < end.hour < 17 and end.day == 22 else end
    _rounds(store, *(hour.timestamp() - NOW for hour in hours if hour < last))
    assert (store.trouble(now=end.timestamp()) is not None) == is_trouble


def test_a_long_round_is_at_work_as_long_as_it_says_so(store: Store) -> None:
    _rounds(store, *_TEN_MINUTES)
    store.begin_run(now=NOW + 3_000, process="p")
    assert store.trouble(now=NOW + 9_000) is not None
    store.keep_alive(now=NOW + 8_990)
    assert store.trouble(now=NOW + 9_000) is None


@pytest.mark.parametrize("damage", ["gone", "no store any more"])
def test_a_store_that_cannot_be_read_is_told_without_its_name(store: Store, tmp_path: Path, damage: str) -> None:
    client = _client(store)
    _rounds(store, time.time() - NOW)
    assert client.get("/healthz").text == "ok\n"
    if damage == "gone":
        (tmp_path / "m.db").unlink()
    else:
        execute(store, "DROP TABLE run")
    answer = client.get("/healthz")
    assert (answer.status_code, answer.text) == (503, "the store cannot be read\n")
    assert {client.get(path, headers=_bearer(_PASSWORD)).status_code for path in ("/", "/metrics", "/status")} == {503}


def test_status_page_and_metrics_say_the_same(store: Store, tmp_path: Path) -> None:
    url = 'https://feeds.example/a"b\\c'
    store.add_sources([Source(url=url)], [], now=NOW)
    execute(store, "UPDATE feed SET failures=2, failing_since='2026-01-05T12:00:00Z', error=url || ': said <500>'")
    store.set_sinks(["stream"])
    _rounds(store, *_TEN_MINUTES)
    client = _client(store)
    found = json.loads(call("monitor", "status", "m.db", "--json", folder=tmp_path).stdout)
    assert (found["failing"], found["failing_feeds"][0]["url"], found["pages"]) == (1, url, {"ok": 1})
    assert found["trouble"].startswith("no sign of a round since")
    assert "trouble: no sign of a round since" in call("monitor", "status", "m.db", folder=tmp_path).stdout
    page = client.get("/status", headers=_bearer(_PASSWORD)).text
    (feed,) = found["failing_feeds"]
    for shown in (found["trouble"], found["alive_at"], feed["failing_since"], "· said &lt;500&gt;"):
        assert shown in page
    answer = client.get("/metrics", headers=_bearer(_PASSWORD))
    metrics = [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]
    numbers = {(sample.name.removeprefix("blockfeat_"), *sample.labels.values()): sample.value for sample in metrics}
    assert (numbers["healthy",], numbers["pages", "ok"], numbers["failing",]) == (0, 1, 1)
    assert (numbers["alive_timestamp_seconds",], numbers["deliveries_waiting", "stream"]) == (NOW + 2_430, 0)
    assert numbers["feed_failing_since_timestamp_seconds", url] == NOW
    assert numbers["store_bytes",] > 2 * 4096 < numbers["free_bytes",]
    asked = _bearer(_PASSWORD) | {"accept": "application/openmetrics-text; version=1.0.0"}
    assert client.get("/metrics", headers=asked).text.endswith("# EOF\n")
