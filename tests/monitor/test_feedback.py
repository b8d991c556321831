"""Feedback that teaches: verdicts, proposals, lessons; on both databases."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from typer.testing import CliRunner

from blockfeat.commands.monitor import app
from blockfeat.errors import InputError
from blockfeat.monitor.config import CopySettings, read_config
from blockfeat.monitor.feedback import accept, place_lesson, proposals
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.reading import Lessons, plain_path
from blockfeat.monitor.rematch import rematch
from blockfeat.monitor.store.records import FoundMention, PageRecord, Visit
from blockfeat.monitor.store.store import Store
from stored_pages import NOW, add, save_visit

_FRUIT = "He peeled an Orange in the garden number {} and drank the juice."
_PHONE = "Customers of the operator Orange complain about bill {} of the network."
_BOX = "/html/body/div[{}]/aside/p"


def _save(
    store: Store, number: int, sentence: str, *, counted: bool = True, xpath: str = "/html/body/main/p[1]"
) -> str:
    (page,) = [each for each in add(store, f"a.example/{number}") if each.url.endswith(f"/{number}")]
    at = sentence.index("Orange")
    because = None if counted else "dropped: it is a list of links"
    mention = FoundMention(
        "Orange", "body", counted, because, at, at + 6, "Orange", sentence, 0, xpath, 1.0, None, None, 0
    )
    record = PageRecord("ok", title=sentence, text=sentence, kind="article", mentions=(mention,))
    save_visit(store, Visit(page, NOW, None), record, copies=CopySettings(find=False))
    key: str = store.query("SELECT key FROM mention ORDER BY id DESC LIMIT 1")[0]["key"]
    return key


def _judged(store: Store, *, first: int = 0, pairs: int = 24) -> None:
    for number in range(first, pairs):
        wrong = _save(store, 2 * number, _FRUIT.format(number))
        _save(store, 2 * number + 1, _PHONE.format(number))
        store.judge(wrong, "wrong sense", now=NOW)


def test_from_twenty_verdicts_on_a_sense_is_proposed_with_what_it_changes(address: str) -> None:
    with Store.open(address) as store:
        _judged(store, pairs=19)
        assert proposals(store, [Brand("Orange")]) == []
        _judged(store, first=19)
        _save(store, 900, _FRUIT.format("new"))
        _save(store, 901, _PHONE.format("new"))
        (proposal,) = proposals(store, [Brand("Orange")])
        assert (proposal.kind, proposal.subject, proposal.judged, proposal.changes) == ("sense", "Orange", 24, 25)
        assert "juice" in proposal.says or "garden" in proposal.says
        accept(store, proposal, now=NOW)
        lessons = Lessons.of(store.lessons(), [Brand("Orange")])
        assert list(lessons.senses) == ["Orange"]
        assert store.forget_lesson("Orange") == 1
        assert store.lessons() == []


def test_places_of_a_site_are_learnt_and_followed_in_the_past(address: str, tmp_path: Path) -> None:
    file = tmp_path / "monitor.toml"
    file.write_text(
        f'[monitor]\nstore = "{address}"\n[[sources]]\nurl = "https://a.example/feed"\n[[brands]]\nname = "Orange"\n'
    )
    with Store.open(address) as store:
        for number in range(21):
            key = _save(store, number, _PHONE.format(number), xpath=_BOX.format(number % 3 + 1))
            store.judge(key, "not in the article", now=NOW)
        for number in range(30, 33):
            key = _save(store, number, _PHONE.format(number), counted=False, xpath="/html/body/section/p[2]")
            store.judge(key, "missed", now=NOW)
        _save(store, 50, _PHONE.format(50), xpath=_BOX.format(9))
        found = {each.subject: each for each in proposals(store, [])}
        assert {subject: each.changes for subject, each in found.items()} == {
            "a.example /html/body/div/aside/p": 22,
            "a.example /html/body/section/p": 3,
        }
        for proposal in found.values():
            accept(store, proposal, now=NOW)
        lessons = Lessons.of(store.lessons(), [])
        mention = FoundMention("Orange", "body", True, None, 0, 6, "Orange", "Orange", 0, _BOX.format(7), 1.0)
        assert not lessons.judged(mention, "a.example").counted
        assert lessons.judged(mention, "b.example").counted
        # Blocks were not kept here, so that places of the past are not known: nothing is changed by that.
        assert rematch(store, read_config(file), now=NOW).added >= 0


def test_verdicts_that_contradict_each_other_teach_nothing(address: str) -> None:
    with Store.open(address) as store:
        for number in range(24):
            key = _save(store, number, _PHONE.format(number), xpath=_BOX.format(1))
            store.judge(key, "right" if number % 2 else "not in the article", now=NOW)
        assert proposals(store, []) == []


def test_the_last_verdict_counts_and_unknown_ones_are_refused(address: str) -> None:
    with Store.open(address) as store:
        key = _save(store, 1, _PHONE.format(1))
        store.judge(key, "wrong sense", now=NOW)
        store.judge(key, "right", now=NOW)
        assert [row["verdict"] for row in store.mentions_for_learning(judged_only=True)] == ["right"]
        with pytest.raises(InputError, match="no mention 'nobody'"):
            store.judge("nobody", "right", now=NOW)
        with pytest.raises(InputError, match="verdict 'bad'"):
            store.judge(key, "bad", now=NOW)


def test_paths_have_no_numbers() -> None:
    assert plain_path("/html/body/div[2]/p[10]") == "/html/body/div/p"


def test_the_commands(tmp_path: Path) -> None:
    file = tmp_path / "monitor.toml"
    file.write_text('[[sources]]\nurl = "https://a.example/feed"\n[[brands]]\nname = "Orange"\n')
    with Store.open(str(tmp_path / "monitor.db")) as store:
        _judged(store)
        key = _save(store, 500, _PHONE.format(500))
    run = CliRunner().invoke
    assert "25 mentions judged" in run(app, ["judge", str(file), key, "right"]).output
    assert run(app, ["judge", str(file), key, "bad"]).exit_code == 2
    shown = run(app, ["learn", str(file)]).output
    assert "1. Orange: no mention where more speaks for a namesake" in shown
    assert "accepted: Orange" in run(app, ["learn", str(file), "--accept", "1"]).output
    assert run(app, ["learn", str(file), "--accept", "9"]).exit_code == 2
    again = run(app, ["rematch", str(file), "--quiet"])
    assert "24 changed by rules" in again.output, again.output
    assert "lessons forgotten" in run(app, ["learn", str(file), "--forget", "Orange"]).output


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({"not in the article": 3}, False),
        ({"missed": 3}, True),
        ({"missed": 2}, None),
        ({"not in the article": 5, "right": 1}, False),
        ({"not in the article": 5, "right": 2}, None),
        ({"not in the article": 5, "missed": 4}, None),
        # Most of what stands there was seen, and is right.
        ({"not in the article": 5, "passed, counted": 40}, None),
        ({"not in the article": 5, "passed, not counted": 40}, False),
        ({"missed": 5, "passed, not counted": 40}, None),
    ],
)
def test_what_verdicts_say_of_a_place(verdicts: dict[str, int], expected: bool | None) -> None:
    assert place_lesson(verdicts) is expected
