"""Scores over labelled pages: means, groups, worst pages, snippets, failures, and their tables."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data import LabelledPage
from blockfeat.errors import InputError
from blockfeat.training.evaluation import Evaluation, SnippetScores, evaluate, score_page, word_scores

PAGES = [
    LabelledPage("1", "one two", "one two", lang="en", corpus="a", page_type="article"),
    LabelledPage("2", "one two three four", "one two", lang="en", corpus="a", present=("one",), absent=("four",)),
    LabelledPage("3", "drei", "drei vier", lang="de", corpus="b"),
    LabelledPage("4", "fünf", None, lang="de", corpus="c", present=("fünf", "sechs"), absent=("x",)),
]


def extract(page: LabelledPage) -> str:
    return page.html


EVALUATION = evaluate(extract, PAGES)


def test_pages_are_scored_in_order() -> None:
    assert [page.id for page in EVALUATION.pages] == ["1", "2", "3", "4"]
    first, second, third, fourth = EVALUATION.pages
    assert (first.precision, first.recall, first.f1, first.cosine) == (1.0, 1.0, 1.0, 1.0)
    assert (second.precision, second.recall, second.words_predicted, second.words_gold) == (0.5, 1.0, 4, 2)
    assert second.snippets == SnippetScores(1, 1, 0, 0)
    assert (third.precision, third.recall, third.snippets) == (1.0, 0.5, None)
    assert (fourth.f1, fourth.cosine, fourth.words_gold, fourth.has_text) == (None, None, 0, False)


def test_means_leave_pages_without_text_out() -> None:
    assert EVALUATION.mean("precision") == pytest.approx((1 + 0.5 + 1) / 3)
    assert (EVALUATION.mean("f1"), len(EVALUATION.values("cosine"))) == (pytest.approx((1 + 2 / 3 + 2 / 3) / 3), 3)
    summary = EVALUATION.summary()
    assert summary.f1_low <= summary.f1 <= summary.f1_high


def test_snippets_are_pooled() -> None:
    assert EVALUATION.snippets() == SnippetScores(2, 1, 1, 1)
    assert Evaluation(EVALUATION.pages[:1]).snippets() is None


def test_groups() -> None:
    rows = {row.group: row for row in EVALUATION.by("lang")}
    assert list(rows) == ["de", "en"]
    assert (rows["de"].pages, rows["de"].text_pages, rows["en"].pages) == (2, 1, 2)
    assert rows["de"].f1 == rows["de"].f1_low == rows["de"].f1_high == pytest.approx(2 / 3)
    assert rows["de"].snippets == SnippetScores(1, 0, 1, 1)
    assert [row.group for row in EVALUATION.by("page_type")] == ["article", "unknown"]
    snippets_only = EVALUATION.by("corpus")[-1]
    assert (snippets_only.group, snippets_only.f1, snippets_only.f1_low) == ("c", None, None)


def test_worst_pages_come_first() -> None:
    for count, worst in ((3, ["2", "3", "1"]), (1, ["2"]), (0, [])):
        assert [page.id for page in EVALUATION.worst(count)] == worst


def test_the_worst_pages_without_text_are_ranked_by_snippets() -> None:
    missed = score_page("", LabelledPage("5", "", None, corpus="c", present=("fünf",)))
    found = Evaluation((*EVALUATION.pages, missed))
    assert [page.id for page in found.worst_by_snippets()] == ["5", "4"]
    assert [page.id for page in found.worst_by_snippets(1)] == ["5"]
    assert [page["id"] for page in found.to_dict()["worst_by_snippets"]] == ["5", "4"]


def test_a_failure_counts_as_empty_and_is_kept() -> None:
    def failing(page: LabelledPage) -> str:
        if page.id == "1":
            raise RuntimeError("broken")
        return extract(page)

    found = evaluate(failing, PAGES)
    assert found.pages[0].error == "RuntimeError: broken"
    assert (found.pages[0].f1, found.pages[0].words_predicted) == (0.0, 0)
    assert [page.error for page in found.pages[1:]] == [None, None, None]
    assert found.summary().errors == 1


def test_an_interrupt_is_not_a_failure_of_the_page() -> None:
    def interrupted(page: LabelledPage) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupted, PAGES)


def test_a_peer_that_returns_none_found_nothing() -> None:
    (found,) = evaluate(lambda page: None, PAGES[:1]).pages  # type: ignore[arg-type, return-value]
    assert (found.f1, found.error) == (0.0, None)


def test_no_pages() -> None:
    found = evaluate(extract, [])
    assert math.isnan(found.mean("f1"))
    assert (found.summary().f1_low, found.by("lang"), found.worst()) == (None, [], [])
    assert found.to_dict()["all"]["f1"] is None


def test_unknown_names_are_errors() -> None:
    with pytest.raises(InputError, match="unknown metric 'f2'"):
        EVALUATION.mean("f2")
    with pytest.raises(InputError, match="cannot group by 'host'"):
        EVALUATION.by("host")


def test_to_dict_is_json() -> None:
    document = json.loads(json.dumps(EVALUATION.to_dict(pages=True, worst=2), allow_nan=False))
    assert (document["all"]["pages"], document["all"]["snippets"]["true_positives"]) == (4, 2)
    assert document["all"]["snippets"]["f1"] == pytest.approx(2 / 3)
    assert [row["group"] for row in document["by"]["corpus"]] == ["a", "b", "c"]
    assert ([page["id"] for page in document["worst"]], len(document["pages"])) == (["2", "3"], 4)
    assert "pages" not in EVALUATION.to_dict()


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=8))
def test_means_lie_between_0_and_1(pairs: list[tuple[str, str]]) -> None:
    pages = [LabelledPage(str(number), html, text) for number, (html, text) in enumerate(pairs)]
    found = evaluate(extract, pages)
    assert [page.f1 for page in found.pages] == [word_scores(*pair).f1 for pair in pairs]
    assert not pairs or 0 <= found.mean("f1") <= 1
