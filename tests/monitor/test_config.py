"""Configurations, and what is said of those that have faults."""

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat._config import duration_of
from blockfeat.errors import ConfigError, InputError
from blockfeat.monitor.config import example_config, parse_config, read_config
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.receivers import Alert, minutes_of, span_of
from cases import CASES

_SOURCES_AND_BRANDS = """
[[sources]]
url = "https://example.org/feed.xml"
[[brands]]
name = "Corvane"
"""


def _faults(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, name="m.toml")
    return str(caught.value).splitlines()


def test_the_example_is_a_configuration_and_shows_every_default() -> None:
    config = parse_config(example_config())
    assert config.sources[0].url.endswith("/feeds.opml")
    assert "банк Толмет" in config.brands[0].aliases["ru"]
    shown = [line[2:] for line in example_config().splitlines() if line.startswith("# ") and " = " in line]
    of_fetch = [line for line in shown if line.split(" = ")[0] in ("max_delay", "per_host", "concurrency", "timeout")]
    usual = parse_config(_SOURCES_AND_BRANDS + "[fetch]\n" + "\n".join(of_fetch))
    assert usual.fetch == parse_config(_SOURCES_AND_BRANDS).fetch


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("# ours\nhttps://example.org/1\n\nhttps://example.org/2\n", encoding="utf-8")
    path = tmp_path / "m.toml"
    path.write_text('[monitor]\nstore = "x/y.db"\n[[sources]]\nfile = "list.txt"\n[[brands]]\nname = "Corvane"\n')
    config = read_config(path)
    assert config.store == str(tmp_path / "x" / "y.db")
    assert [source.kind for source in config.sources] == ["page", "page"]
    assert [source.url for source in config.sources] == ["https://example.org/1", "https://example.org/2"]


def test_every_fault_is_named_with_its_line() -> None:
    file = Path(__file__).with_name("faulty.toml").read_text(encoding="utf-8")
    faults = _faults(file)
    named = [(number, line.split("# ")[1]) for number, line in enumerate(file.splitlines(), 1) if "# " in line]
    assert len(named) == 11
    for line, words in named:
        assert any(fault.startswith(f"m.toml:{line}: ") and words in fault for fault in faults), (line, faults)


@pytest.mark.parametrize(("text", "line", "reason"), CASES["what_is_wrong_with_a_table_has_its_line"])
def test_what_is_wrong_with_a_table_has_its_line(text: str, line: int, reason: str) -> None:
    before = _SOURCES_AND_BRANDS.count("\n")
    faults = _faults(_SOURCES_AND_BRANDS + text)
    assert any(fault.startswith(f"m.toml:{before + line}: ") and reason in fault for fault in faults), faults


def test_no_name_is_too_long_to_be_looked_for_and_the_stream_is_not_the_store() -> None:
    (fault,) = _faults(_SOURCES_AND_BRANDS + f"[[brands]]\nname = '{'a ' * 600}'\n")
    assert fault.endswith("has at most 1,000 characters")
    named = f"[monitor]\nstore = 'a.db'\nstream = 'a.db'\n{_SOURCES_AND_BRANDS}"
    assert _faults(named) == ["m.toml:3: 'monitor.stream' is the store"]


def test_names_are_aliases_of_all_languages_where_none_is_said() -> None:
    written = ('aliases = "X"', 'aliases = ["X"]', 'aliases = {"*" = "X"}', 'aliases = {"*" = ["X"]}')
    read = [parse_config(f"{_SOURCES_AND_BRANDS}{aliases}\n").brands for aliases in written]
    assert read == [(Brand("Corvane", {"*": ("X",)}),)] * 4


@pytest.mark.parametrize(("text", "line"), [("[a]\nb = 1\nb = 2\n", 3), ("[monitor\n", 1), ("a = 1\nb = [1,\n2\n", 3)])
def test_a_fault_of_syntax_has_its_line(text: str, line: int) -> None:
    (fault,) = _faults(text)
    assert fault.startswith(f"m.toml:{line}: ")


def test_without_sources_and_brands_there_is_nothing_to_do() -> None:
    faults = _faults("")
    assert any("no [[sources]]" in fault for fault in faults)
    assert any("no [[brands]]" in fault for fault in faults)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_config(tmp_path / "absent.toml")


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("1.5h", 5400), ("2 d", 172800), ("so", None), ("", None)])
def test_durations(text: str, seconds: float | None) -> None:
    assert duration_of(text) == seconds


@pytest.mark.parametrize(("text", "line", "reason"), CASES["a_key_that_is_gone_says_what_to_do"])
def test_a_key_that_is_gone_says_what_to_do(text: str, line: int, reason: str) -> None:
    before = _SOURCES_AND_BRANDS.count("\n")
    (fault,) = _faults(_SOURCES_AND_BRANDS + text)
    assert fault.startswith(f"m.toml:{before + line}: {reason}")


def test_settings_are_checked(tmp_path: Path) -> None:
    good = _SOURCES_AND_BRANDS + (
        '[monitor]\ntimezone = "Europe/Berlin"\n[smtp]\nhost = "mail.example.org"\nsender = "m@example.org"\n'
        '[[alerts]]\nname = "A"\nbrands = "Corvane"\nwhen = "daily"\nat = "07:30"\nquiet = "22:00-06:00"\n'
        'email = "you@example.org"\nquery = "strike*"\ntell = ["mentions", "spikes"]\n'
    )
    config = parse_config(good)
    (alert,) = config.alerts
    assert (alert.when, alert.at, alert.quiet, config.timezone) == ("daily", 450, (1320, 360), "Europe/Berlin")
    assert (alert.email, alert.tell) == (("you@example.org",), ("mentions", "spikes"))
    assert config.smtp.host == "mail.example.org"
    bad = _SOURCES_AND_BRANDS + (
        '[monitor]\ntimezone = "Mars/Base"\n[[alerts]]\nname = "A"\nbrands = "Nobody"\nat = "25:00"\nwhen = "weekly"\n'
        'quiet = "10"\nquery = "(a"\n[[alerts]]\nname = "A"\nemail = "you"\n[[alerts]]\nname = "B"\nemail = "a@b.c"\n'
    )
    reasons = (
        "no time zone|no brand or query 'Nobody'|must be a time|must be one of at once, hourly, daily|must be hours|"
        "a bracket is not closed|needs at least one of email|two alerts 'A'|no e-mail address|needs a table [smtp]"
    )
    said = "\n".join(_faults(bad))
    assert [reason for reason in reasons.split("|") if reason not in said] == []


_BERLIN = ZoneInfo("Europe/Berlin")


def _at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=_BERLIN).timestamp()


def _alert(when: Any = "at once", at: int = 480, quiet: tuple[int, int] | None = None) -> Alert:
    return Alert("a", when=when, at=at, quiet=quiet)


_QUIET = _alert(quiet=(1320, 420))


@pytest.mark.parametrize(
    ("alert", "last", "early", "late"),
    [
        (_alert(), "2026-11-22T09:00", "2026-11-22T09:00:30", "2026-11-22T09:01"),
        (_alert("hourly"), "2026-11-22T09:10", "2026-11-22T09:59", "2026-11-22T10:00"),
        (_alert("hourly"), "2026-11-22T09:00", "2026-11-22T09:30", "2026-11-22T10:00"),
        (_alert("daily", 480), "2026-11-22T07:00", "2026-11-22T07:59", "2026-11-22T08:00"),
        (_alert("daily", 480), "2026-11-22T08:00", "2026-11-22T20:00", "2026-11-23T08:00"),
        (_alert("daily", 480), "2026-11-22T09:00", "2026-11-23T07:59", "2026-11-23T08:01"),
        (_alert("daily", 480), "2026-10-24T08:30", "2026-10-25T07:30", "2026-10-25T08:00"),  # a night of an hour more
        (_QUIET, "2026-11-22T09:00", "2026-11-22T22:00", "2026-11-23T07:00"),
        (_QUIET, "2026-11-22T09:00", "2026-11-23T06:59", "2026-11-23T07:00"),
        (_alert(quiet=(600, 600)), "2026-11-22T09:00", "2026-11-22T09:00:30", "2026-11-22T10:00"),
    ],
)
def test_turns(alert: Alert, last: str, early: str, late: str) -> None:
    assert [alert.is_open(_at(now), _BERLIN, last=_at(last)) for now in (early, late)] == [False, True]


def test_at_the_end_of_a_run_nothing_is_gathered_but_hours_are_quiet() -> None:
    now = _at("2026-11-22T09:00:05")
    assert _alert().is_open(now, _BERLIN, last=now - 1, is_end=True)
    assert not _alert(quiet=(0, 1439)).is_open(now, _BERLIN, last=0, is_end=True)
    assert not _alert("hourly").is_open(now, _BERLIN, last=now - 1, is_end=True)


@given(st.floats(1.7e9, 1.9e9), st.floats(0, 3e5), st.integers(0, 1439))
def test_a_daily_digest_comes_once_in_a_day(last: float, wait: float, at: int) -> None:
    alert = _alert("daily", at)
    assert alert.is_open(last + 90_001 + wait, _BERLIN, last=last)
    if alert.is_open(last + wait, _BERLIN, last=last):
        assert not alert.is_open(last + wait, _BERLIN, last=last + wait)


@pytest.mark.parametrize("text", ["", "8", "24:00", "08:60", "8h", "-1:00", "ab:cd"])
def test_times_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        minutes_of(text)
    with pytest.raises(ValueError, match="must be"):
        span_of(f"{text}-07:00")


def test_what_an_alert_is_of() -> None:
    least = {"event": "new", "counted": True, "brand": "Corvane"}  # of an older store
    event = least | {"lang": "de", "place": "body", "relevance": 0.5, "host": "a.example"}
    event |= {"source": "https://a.example/feed"}
    spike = least | {"event": "spike"}
    alert = Alert("A", brands=("Corvane",), langs=("de",), places=("body",), least_relevance=0.5)
    assert alert.is_of(event)
    for change in ({"brand": "Brelan"}, {"lang": "en"}, {"place": "headline"}, {"relevance": 0.4}, {"counted": False}):
        assert not alert.is_of(event | change), change
    assert [Alert("A").is_of(each) for each in (least, event | {"event": "counted"})] == [True, True]
    assert not Alert("A").is_of(event | {"event": "update"})
    sources = ("a.example", "https://a.example/feed", "b.example")
    assert [Alert("A", sources=(source,)).is_of(event) for source in sources] == [True, True, False]
    assert [Alert("A", tell=tell).is_of(spike) for tell in (("mentions",), ("spikes",))] == [False, True]
    assert not Alert("A", tell=("spikes",)).is_of(event)


def test_no_zone_is_a_folder_and_an_empty_list_is_no_source() -> None:
    (fault,) = _faults(f"[monitor]\ntimezone = 'Europe'\n{_SOURCES_AND_BRANDS}")
    assert fault.startswith("m.toml:2: ")
    assert "no time zone" in fault
    assert "no [[sources]]" in _faults("sources = []\n[[brands]]\nname = 'A'\n")[0]


def test_a_number_that_no_message_can_show_is_refused() -> None:
    (fault,) = _faults(f"{_SOURCES_AND_BRANDS}[fetch]\nper_host = 0x{'f' * 5000}\n")
    assert "numbers of thousands of digits" in fault
