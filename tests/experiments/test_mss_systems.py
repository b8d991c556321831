"""The tables of maximum subsequence segmentation, on a few pages made here."""

from __future__ import annotations

import pytest

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import TrainingError
from blockfeat.models.tokens.model import TokenModel
from blockfeat.models.tokens.page_tokens import PageTokens
from blockfeat.page.page import Page
from blockfeat.training.token_labels import gold_run
from experiments.mss_systems import (
    FOLDS,
    FoldedCounts,
    best_penalty,
    clean_eval_row,
    fold_of,
    score_sites,
    score_systems,
)
from pages import SENTENCES, article_page

TAGS = ("a", "aside", "body", "footer", "h1", "h2", "head", "html", "li", "main", "nav", "p", "title", "ul")
GOLD = "\n".join(f"{SENTENCES[number % 4]} {SENTENCES[(number + 1) % 4]}" for number in range(4))


def pages(count: int, hosts: int) -> list[LabelledPage]:
    html = article_page()
    return [
        LabelledPage(str(number), html, GOLD, "en", f"https://site{number % hosts}.org/{number}", title="Lighthouse")
        for number in range(count)
    ]


def counted(found: list[LabelledPage]) -> FoldedCounts:
    counts = FoldedCounts(TAGS)
    for page in found:
        tokens = PageTokens.of(Page.parse(page.html).tags)
        run = gold_run(tokens, page.text or "")
        assert run is not None
        counts.add(page, tokens, run)
    return counts


@pytest.fixture(scope="module")
def found() -> list[LabelledPage]:
    return pages(24, 12)


def test_pages_of_one_host_are_in_one_fold(found: list[LabelledPage]) -> None:
    by_host = {page.host: {fold_of(other) for other in found if other.host == page.host} for page in found}
    assert all(len(folds) == 1 for folds in by_host.values())
    assert {fold_of(page) for page in found} == set(range(FOLDS))


def test_what_is_left_out_is_not_counted(found: list[LabelledPage]) -> None:
    trained = counted(found).trained()
    inside = {fold: bayes.inside for fold, (_, bayes) in trained.items()}
    whole = inside.pop(None)
    assert sum(whole - without for without in inside.values()) == whole
    assert all(without < whole for without in inside.values())


def test_every_system_has_a_row(found: list[LabelledPage]) -> None:
    rows = {row.system: row for row in score_systems("made", found, counted(found).trained(), 2.0)}
    assert list(rows) == [
        *("longest cell or DIV", "simple, -3.25", "simple, -2"),
        *("supervised, two features", "supervised, two features, HR"),
        *("supervised, bundled", "supervised, bundled, HR"),
    ]
    assert rows["longest cell or DIV"].short == 0.0  # the page has neither
    assert rows["supervised, bundled"].short > 0.95
    assert all(row.pages == 24 and row.best >= row.short for row in rows.values())


def test_the_best_penalty_is_the_one_with_the_highest_score() -> None:
    html = "<body><p>" + "word " * 20 + "</p><ul><li>two words</li></ul><p>" + "more " * 12 + "</p></body>"
    joined = "word " * 20 + "two words " + "more " * 12
    assert best_penalty([LabelledPage("1", html, joined)]) == 1.0
    assert best_penalty([LabelledPage("1", html, "word " * 20)]) == 2.5


def test_sites_with_enough_pages_are_adapted_to() -> None:
    many = pages(21, 1) + pages(6, 6)[1:]
    trained = counted(many).trained()
    rows = list(score_sites(many, trained, "supervised, bundled"))
    assert [(row.site, row.pages) for row in rows] == [("site0.org", 21)]
    with pytest.raises(TrainingError, match="cannot be adapted"):
        list(score_sites(many, trained, "simple, -3.25"))


def test_the_bias_is_tuned_on_development_pages_alone() -> None:
    html = "<body><p>" + "word " * 20 + "</p><ul><li>two words</li></ul><p>" + "more " * 12 + "</p></body>"
    short, long = (
        LabelledPage("1", html, "word " * 20),
        LabelledPage("2", html, "word " * 20 + "two words " + "more " * 12),
    )

    def simple(penalty: float) -> TokenModel:
        return TokenModel("simple", "simple", penalty=penalty)

    row = clean_eval_row("simple", simple, [short], [long], (1.0, 3.25))
    assert (row.bias, row.pages, row.text_only, row.precision) == (3.25, 1, pytest.approx(20 / 34), 1.0)
    assert clean_eval_row("simple", simple, [short], [long], (1.0,)).text_only == 1.0
