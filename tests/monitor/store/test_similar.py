"""Copies, sentences that were corrected, and stories."""

import time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from blockfeat.commands.monitor import app
from blockfeat.monitor.config import CopySettings, PageSettings
from blockfeat.monitor.crawl.frontier import after_visit
from blockfeat.monitor.mentions.queries import Query
from blockfeat.monitor.store import similar
from blockfeat.monitor.store.records import DuePage, local_day
from blockfeat.monitor.store.similar import (
    bands_of,
    containment,
    runs_of_words,
    steady,
    story_profile,
    story_similarity,
)
from blockfeat.monitor.store.store import Store
from cases import CASES
from stored_pages import NOW, column, due, entry, execute, mention, other_story, record, save, story
from timing import seconds_of

_STORY = story(1, 25)


def test_a_copy_with_another_beginning_shares_keys() -> None:
    copy = "From our partners at the agency. " + _STORY.replace(" wrote ", " noted ", 2)
    first, second = runs_of_words(_STORY), runs_of_words(copy)
    assert set(bands_of(first, min_words=60)) & set(bands_of(second, min_words=60))
    assert containment(first, second) > 0.9


def test_spaces_case_and_width_do_not_count() -> None:
    other = _STORY.upper().replace(" ", "\u00a0 ").replace("K", "\uff2b")
    assert bands_of(runs_of_words(_STORY), min_words=60) == bands_of(runs_of_words(other), min_words=60)


def test_a_digest_that_holds_an_article_is_no_copy() -> None:
    assert containment(runs_of_words(_STORY), runs_of_words(f"{_STORY} {other_story()} {other_story(2)}")) == 0.0


def test_short_texts_have_no_keys() -> None:
    assert bands_of(runs_of_words("Shares of Corvane closed at 12.30 on Monday."), min_words=60) == ()
    assert runs_of_words("Three words only").size == 0


def test_scripts_without_spaces_have_runs_of_characters() -> None:
    assert runs_of_words("云栖单车把退役车轮做成了风铃").size > 5


@given(st.text(), st.text())
def test_containment_is_a_share_and_symmetric(first: str, second: str) -> None:
    one, other = runs_of_words(first), runs_of_words(second)
    assert 0.0 <= containment(one, other) <= 1.0
    assert containment(one, other) == containment(other, one)
    assert len(bands_of(one, min_words=1)) in (0, similar.BANDS)


@pytest.mark.parametrize("pair", CASES["what_passes_by_itself"])
def test_what_passes_by_itself_is_no_change(pair: str) -> None:
    one, other = (f"The ferry leaves at nine.\n\n{each}\n\nIt returns before dark." for each in pair.split(" | "))
    assert steady(one) == steady(other)


_LONG = "The company said in its report that it had opened its first shop in the town {} years ago"


@pytest.mark.parametrize(("text", "one", "other"), [("{} shops", 12, 13), ("Norvik 3, Brelan {}", 1, 2), (_LONG, 5, 6)])
def test_other_numbers_are_news(text: str, one: int, other: int) -> None:
    assert steady(text.format(one)) != steady(text.format(other))


def test_a_corrected_sentence_is_the_same_one() -> None:
    sentence = "Norvik opened twelve shops in the old town."
    assert similar.is_similar(sentence, "Norvik opened thirteen shops in the old town.")
    assert not similar.is_similar(sentence, "Shares of Norvik fell on Monday.")


@pytest.mark.parametrize("piece", ["1 ", "12,", "vor 1", "5 minutes ", "ago ", "\u00a0", "1 a"])
def test_time_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        return seconds_of(lambda: steady(piece.replace(" ", "\u00a0") * size), clock=time.thread_time)

    seconds(10)
    assert seconds(4_000) < 0.5 + 40 * seconds(400)


_A = (
    "Corvane ferry runs aground off Ostermole",
    "A ferry of Corvane with ninety passengers ran aground near the lighthouse of Ostermole on Sunday. Nobody was "
    "hurt. Tugs pulled the ship free at high tide, the coast guard said, and divers are to look at the hull.",
)
_B = (
    "Ferry aground: tugs free Corvane ship near Ostermole lighthouse",
    "Ninety passengers spent the night on board after the Corvane ferry ran aground near Ostermole. The coast guard "
    "said that tugs freed the ship at high tide and that nobody on the ferry was hurt.",
)
_C = (
    "Corvane orders three electric boats",
    "The shipping company Corvane has ordered three electric boats from a yard in Norvik. They will cost forty million "
    "and replace the oldest diesel vessels on the northern line from next summer.",
)


def _save(store: Store, name: str, article: tuple[str, str], *, day: int = 0, lang: str = "en") -> None:
    title, words = article
    published = f"2026-01-{5 + day:02}T09:00:00Z"
    read = record(words, mention(words[:60]), title=title, lang=lang, kind="article", published=published)
    save(store, name, read, copies=CopySettings(find=False))


def test_articles_of_one_event_are_alike_and_others_are_not() -> None:
    one, other, third = (story_profile(*article, lang="en") for article in (_A, _B, _C))
    assert story_similarity(one, other) >= similar.STORY_SIMILARITY > story_similarity(one, third)
    assert story_similarity(one, one) == pytest.approx(1.0)
    assert story_profile("", "", lang=None) == {}
    chinese = story_profile("招商银行在上海开设分行", "招商银行周一宣布在上海开设新分行。", lang="zh")
    same = story_profile("招商银行上海新分行开业", "招商银行在上海的新分行开业。", lang="zh")
    assert story_similarity(chinese, same) > similar.STORY_SIMILARITY


def test_a_story_is_that_of_its_first_article(store: Store) -> None:
    # e is a week later, f in another language.
    for name, article, day in (("a", _A, 0), ("b", _B, 1), ("c", _C, 1), ("d", _A, 1), ("e", _B, 9)):
        _save(store, name, article, day=day)
    _save(store, "f", _A, lang="de")
    stories = dict(column(store, "pages", "url", "story"))
    of_first = {url[-1]: story and story[-1] for url, story in stories.items()}
    assert of_first == dict.fromkeys("abcdef") | {"b": "a", "d": "a"}


def test_days_are_those_of_the_zone_and_change_with_it(
    store: Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert local_day("2026-01-05T23:30:00Z", ZoneInfo("Europe/Berlin")) == "2026-01-06"
    assert local_day("2026-01-05", ZoneInfo("Asia/Tokyo")) == "2026-01-05"
    _save(store, "a/1", _A)
    execute(store, "UPDATE page SET published = '2026-01-05T23:30:00Z'")
    assert [store.set_timezone(ZoneInfo("Europe/Berlin")) for _ in range(2)] == [1, 0]
    assert [store.today(now=NOW + 3600 * hours).day for hours in (10, 11)] == [5, 6]
    assert column(store, "mentions", "day") == ["2026-01-06"]
    # Half past eleven in UTC: days of options are those of the zone, too.
    monkeypatch.setattr(time, "time", lambda: NOW + 3600 * 11.5)
    options = ("--since", "1m", "--until", "1m", "--format", "csv")
    assert ",1," in CliRunner().invoke(app, ["report", address, *options]).output
    assert store.set_timezone(ZoneInfo("UTC")) == 1


def test_a_page_that_is_gone_is_marked_until_it_is_back(store: Store) -> None:
    _save(store, "a/1", _A)
    execute(store, "UPDATE page SET due_at = 0")
    (page,) = due(store)
    save(store, page, at=NOW + 60, http_status=404, error="404", tried=True)
    assert column(store, "pages", "removed_at") == ["2026-01-05T12:01:00Z"]
    assert column(store, "mentions", "counted") == [1]
    save(store, page, at=NOW + 60, http_status=304)
    assert column(store, "pages", "removed_at") == [None]


def test_pages_are_rechecked_after_their_revisits() -> None:
    seen = DuePage(1, "https://a/1", "a", None, None, None, 0, 1, "2026-01-05T12:00:00Z")
    settings = PageSettings(revisit=60.0, revisit_for=3600.0, recheck=86_400.0)
    assert after_visit(NOW, seen, settings) == NOW + 60
    assert after_visit(NOW + 7200, seen, settings) == NOW + 7200 + 86_400
    assert after_visit(NOW, seen, PageSettings(recheck=5.0)) == NOW + 5
    assert after_visit(NOW, seen, PageSettings()) is None


def test_what_is_purged_is_gone_and_stays_away(store: Store) -> None:
    for name, article, day in (("a/1", _A, 0), ("b/2", _B, 1), ("c/3", _C, 8)):
        _save(store, name, article, day=day)
    for key in column(store, "mentions", "id"):
        store.judge(key, "right", now=NOW)
    assert (store.purge(url="https://a/1"), store.purge(before="2026-01-10")) == (1, 1)
    assert store.purge(host="a", before="2027-01-01") == 0
    assert column(store, "pages", "text", "status", where="url = 'https://a/1'") == [(None, "purged")]
    assert (column(store, "mentions", "url"), store.count_judged()) == (["https://c/3"], 1)
    assert [row["url"] for row in store.articles(Query.parse("corvane"), limit=9)] == ["https://c/3"]
    # A feed that names it with a later date does not bring it back.
    store.add_sources([], [entry("a/1", stamp="2027-01-01T00:00:00Z")], now=NOW)
    assert (due(store), store.purge(host="c"), column(store, "mentions", "url")) == ([], 1, [])


def test_old_pages_evidence_and_versions_are_forgotten(store: Store) -> None:
    day = 86_400.0
    _save(store, "a/1", _A, day=0)
    _save(store, "b/2", _B, day=8)
    execute(store, "UPDATE page SET evidence = :evidence", evidence=b"x")

    def forget(**after: float) -> tuple[int, int, int]:
        return store.forget_old(now=NOW + 9 * day, **dict.fromkeys(("pages", "evidence", "versions")) | after)

    assert (forget(), forget(evidence=5 * day, versions=day)) == ((0, 0, 0), (0, 1, 0))
    assert (forget(pages=5 * day), column(store, "mentions", "url")) == ((1, 0, 0), ["https://b/2"])
