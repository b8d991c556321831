"""Feedback that teaches: verdicts, proposals, lessons; on both databases."""

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blockfeat.commands.monitor import app
from blockfeat.errors import InputError
from blockfeat.models import SiteModel, load_model
from blockfeat.monitor.config import CopySettings, read_config
from blockfeat.monitor.feedback import accept, place_lesson, proposals
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import ReaderSettings, rules_of_sites
from blockfeat.monitor.rematch import rematch
from blockfeat.monitor.reports import Filters, counts, mention_rows
from blockfeat.monitor.store.store import Store
from cases import CASES
from stored_pages import NOW, column, execute, mention, save

_FRUIT = "He peeled an Orange in the garden number {} and drank the juice."
_PHONE = "Customers of the operator Orange complain about bill {} of the network."
_BOX = "/html/body/div[{}]/aside/p"
_CONFIG = '[[sources]]\nurl = "https://a.example/feed"\n[[brands]]\nname = "Orange"\n'


def _save(store: Store, number: int, sentence: str, verdict: str = "", *, counted: bool = True, xpath: str = "") -> str:
    """Save a page with one mention, and judge it; return its id."""
    words, at = sentence.format(number), sentence.index("Orange")
    found = mention(words, brand="Orange", match="Orange", start=at, stop=at + 6, text_start=0, place="body")
    found = replace(found, counted=counted, because=None if counted else "dropped: it is a list of links", block=0)
    save(store, f"a.example/{number}", words, replace(found, xpath=xpath), copies=CopySettings(find=False))
    key: str = store.query("SELECT key FROM mention ORDER BY id DESC LIMIT 1")[0]["key"]
    if verdict:
        store.judge(key, verdict, now=NOW)
    return key


def _judged(store: Store, *, first: int = 0, pairs: int = 24) -> None:
    for number in range(first, pairs):
        _save(store, 2 * number, _FRUIT, "wrong sense")
        _save(store, 2 * number + 1, _PHONE)


def test_from_ten_verdicts_on_a_sense_is_proposed_with_what_it_changes(store: Store) -> None:
    _judged(store, pairs=9)
    assert proposals(store, [Brand("Orange")]) == []
    _judged(store, first=9, pairs=10)
    _save(store, 900, _FRUIT)
    _save(store, 901, _PHONE)
    (proposal,) = proposals(store, [Brand("Orange")])
    assert (proposal.kind, proposal.subject, proposal.judged, proposal.changes) == ("sense", "Orange", 10, 11)
    assert "juice" in proposal.says or "garden" in proposal.says
    (given,) = proposals(store, [Brand("Orange", about=("network",), others=("juice", "garden"))])
    assert (given.says.count("juice"), given.says.count("garden")) == (1, 1)
    accept(store, proposal, now=NOW)
    assert [(kind, subject) for kind, subject, _ in store.lessons()] == [("sense", "Orange")]
    assert (store.forget_lesson("Orange"), store.lessons()) == (1, [])


def test_places_of_a_site_are_learnt_and_followed_in_the_past(store: Store, address: str, tmp_path: Path) -> None:
    file = tmp_path / "monitor.toml"
    file.write_text(f'[monitor]\nstore = "{address}"\n{_CONFIG}')
    for number in range(21):
        _save(store, number, _PHONE, "not in the article", xpath=_BOX.format(number % 3 + 1))
    for number in range(30, 33):
        _save(store, number, _PHONE, "missed", counted=False, xpath="/html/body/section/p[2]")
    _save(store, 50, _PHONE, xpath=_BOX.format(9))
    found = {each.subject: each for each in proposals(store, [])}
    changes = {"a.example /html/body/div/aside/p": 22, "a.example /html/body/section/p": 3}
    assert {subject: each.changes for subject, each in found.items()} == changes
    for proposal in found.values():
        accept(store, proposal, now=NOW)
    settings = ReaderSettings.of(read_config(file), store.lessons())
    boxed = settings.judged(mention(xpath=_BOX.format(7)), "a.example")
    rule = "dropped: a rule of the site, drop /html/body/div/aside/p (21 judged mentions)"
    assert (boxed.counted, boxed.because) == (False, rule)
    assert settings.judged(mention(xpath=_BOX.format(7)), "b.example").counted
    # Blocks were not kept here, so that places of the past are not known: nothing is changed by that.
    assert rematch(store, read_config(file), now=NOW).added >= 0
    written = tmp_path / "site.json"
    assert "written" in CliRunner().invoke(app, ["learn", str(file), "--rules", str(written)]).output
    wheres = [("drop", "/html/body/div/aside/p"), ("keep", "/html/body/section/p")]
    model = load_model(written)
    assert isinstance(model, SiteModel)
    assert [rule[:2] for rule in model.rules("a.example")] == wheres
    old = [("site", "", {"host": "news.a.example:80", "path": "/html/p", "inside": True})]
    assert rules_of_sites(old)["a.example"].rules[0][:2] == ("keep", "/html/p")


def test_verdicts_that_contradict_each_other_teach_nothing(store: Store) -> None:
    for number in range(24):
        _save(store, number, _PHONE, "right" if number % 2 else "not in the article", xpath=_BOX.format(1))
    assert proposals(store, []) == []


def test_the_last_verdict_counts_and_unknown_ones_are_refused(store: Store) -> None:
    key = _save(store, 1, _PHONE, "wrong sense")
    store.judge(key, "right", now=NOW)
    assert [row["verdict"] for row in store.mentions_for_learning(judged_only=True)] == ["right"]
    for one, verdict, reason in (("nobody", "right", "no mention 'nobody'"), (key, "bad", "verdict 'bad'")):
        with pytest.raises(InputError, match=reason):
            store.judge(one, verdict, now=NOW)


def test_what_a_person_has_decided_stays(store: Store, address: str, tmp_path: Path) -> None:
    file = tmp_path / "monitor.toml"
    file.write_text(f'[monitor]\nstore = "{address}"\n{_CONFIG}about = ["mobile"]\n')
    config, unsure = read_config(file), Filters(counted="unsure")
    right, wrong = (_save(store, number, "We saw Orange at fair {}.") for number in (1, 2))
    assert rematch(store, config, now=NOW).changed == 2
    assert [row["id"] for row in mention_rows(store, unsure)] == [right, wrong]
    store.judge(wrong, "wrong sense", now=NOW)
    store.judge(right, "right", now=NOW)
    for _ in range(2):
        assert [row["id"] for row in mention_rows(store, Filters())] == [right]
        assert [*mention_rows(store, unsure)] == []
        assert rematch(store, config, now=NOW).changed == 0
    for verdict, counting in (("wrong sense", []), ("right", [right]), ("not in the article", [])):
        store.judge(right, verdict, now=NOW)
        assert [row["id"] for row in mention_rows(store, Filters())] == counting
        assert rematch(store, config, now=NOW).changed == 0


def test_what_is_right_but_not_in_the_article_keeps_its_rule_and_does_not_count(store: Store) -> None:
    key = _save(store, 1, _PHONE, counted=False)
    execute(store, "UPDATE mention SET rule = 'unsure: x'")
    for verdict in ("right", "wrong sense", "right"):
        store.judge(key, verdict, now=NOW)
        assert column(store, "mentions", "rule", "counted") == [("unsure: x", 0)]


def test_what_is_unsure_outside_of_the_article_is_not_asked_and_not_changed(store: Store) -> None:
    _judged(store, pairs=10)
    inside = _save(store, 900, _PHONE)
    for number in (901, 902):
        _save(store, number, _PHONE, counted=False)
    (before,) = proposals(store, [Brand("Orange")])
    execute(store, "UPDATE mention SET rule = 'unsure: x' WHERE NOT counted")
    assert [*mention_rows(store, Filters(counted="unsure"))] == []
    assert proposals(store, [Brand("Orange")]) == [before]
    execute(
        store, f"UPDATE mention SET rule = 'unsure: x', because = 'unsure: x', counted = FALSE WHERE key = '{inside}'"
    )
    assert [row["id"] for row in mention_rows(store, Filters(counted="unsure"))] == [inside]
    (shown,) = (count for count in counts(store, ("because",)) if count.values == ("unsure",))
    assert (shown.ruled_out, shown.mentions) == (1, 0)
    (after,) = proposals(store, [Brand("Orange")])
    assert after.changes == before.changes + 1


def test_the_commands(tmp_path: Path) -> None:
    file = tmp_path / "monitor.toml"
    file.write_text(_CONFIG)
    with Store.open(str(tmp_path / "monitor.db")) as store:
        _judged(store)
        key = _save(store, 500, _PHONE)

    def said(command: str, *arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, [command, str(file), *arguments])
        assert result.exit_code == code, result.output
        return result.output

    assert "25 mentions judged" in said("judge", key, "right")
    said("judge", key, "bad", code=2)
    assert "1. Orange: no mention where more speaks for a namesake" in said("learn")
    assert "accepted: Orange" in said("learn", "--accept", "1")
    said("learn", "--accept", "9", code=2)
    assert "24 changed, 0 no longer found" in said("rematch", "--quiet")
    assert "lesson forgotten" in said("learn", "--forget", "Orange")


@pytest.mark.parametrize(("wrong", "others", "expected"), CASES["what_verdicts_say_of_a_place"])
def test_what_verdicts_say_of_a_place(wrong: int, others: dict[str, int], expected: bool | str) -> None:
    said = place_lesson({"not in the article": wrong} | others if wrong else others)
    assert ("" if said is None else said) == expected
