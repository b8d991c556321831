"""``adapt``: from the pages of a site to a model file that extracts."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blockfeat import Extractor, ModelError, TrainingError
from blockfeat.models import load_model, save_model
from blockfeat.models.decoding import best_run
from blockfeat.page.document import Document
from blockfeat.papers.mss.classifier import Scale, TokenClassifier
from blockfeat.papers.mss.model import TokenModel
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import TokenCounter
from counted_tokens import article_classifier, tokens_of
from experiments.mss.adapt import AdaptOptions, adapt, adapt_to_pages, border_weights, confidence, importance_of, main
from pages import article_page


def base() -> TokenModel:
    return TokenModel("base", "classifier", classifier=article_classifier(balanced=True))


def documents(count: int) -> list[Document]:
    return [Document(id=f"page {number}", data=article_page(3 + number % 4)) for number in range(count)]


def test_a_model_for_a_site(tmp_path: Path) -> None:
    read: list[int] = []
    broken = Document(id="broken", data=b"%PDF-1.4"), Document(id="gone", data=None, error="gone: not found")
    found = adapt([*documents(8), *broken], base(), name="site", on_page=read.append)
    assert (read, (found.pages, len(found.skipped))) == (list(range(1, 11)), (8, 2))
    assert found.skipped[0].startswith("broken: ")
    assert (found.model.name, found.model.record["adapted_from"]) == ("site", "base")
    for page in documents(6):
        (tmp_path / f"{page.id}.html").write_text(str(page.data), encoding="utf-8")
    save_model(base(), tmp_path / "base.npz")
    main([str(tmp_path), "--model", str(tmp_path / "base.npz"), "--output", str(tmp_path / "site.npz")])
    text = Extractor.of(load_model(tmp_path / "site.npz")).extract(article_page(5)).text
    assert "harbour council" in text
    assert "Zephyrona" not in text


@pytest.mark.parametrize(
    ("count", "model", "reason"),
    [(4, base(), "at least 5 pages"), (6, TokenModel("simple", "simple"), "mss-supervised")],  # which has a classifier
)
def test_what_cannot_be_adapted_is_refused(count: int, model: TokenModel, reason: str) -> None:
    with pytest.raises((TrainingError, ModelError), match=reason):
        adapt(documents(count), model)


BOOTSTRAPPING_TAGS = ("html", "head", "body", "title", "div", "p", "ul", "li", "a", "h1", "h3", "span", "section", "em")


@example(100, 100, 100, 64)
@given(st.integers(1, 60), st.integers(1, 40), st.integers(1, 40), st.integers(1, 80))
def test_importance_falls_evenly_with_the_distance_from_the_nearest_border(
    before: int, inside: int, behind: int, distance: int
) -> None:
    run = (before, before + inside)
    weights = border_weights(before + inside + behind, run, distance)
    for token, weight in enumerate(weights.tolist()):
        # The tokens on both sides of a border are at it.
        steps = min(abs(token - border + (token < border)) for border in run)
        assert weight == pytest.approx(max(0.0, 1 - steps / distance))


def test_a_trigrams_importance_is_the_mean_over_its_tokens() -> None:
    keys = np.array([3, 5, 9], dtype=np.uint32)
    page = np.array([9, 5, 3, 3, 5, 9], dtype=np.uint32)
    found = importance_of(keys, [page, page], [(2, 4), (2, 4)], 2)
    assert found.tolist() == [1.0, 1.0, 0.5]
    assert importance_of(np.array([3, 7], dtype=np.uint32), [page[2:3]], [(0, 1)], 4).tolist() == [1.0, 0.0]


def test_confidence_is_the_geometric_mean_beside_both_borders() -> None:
    probabilities = np.array([0.5, 0.1, 0.2, 0.9, 0.8, 0.01, 0.7, 0.6, 0.4, 0.3, 0.5])
    factors = [0.9, 0.8, 0.9, 0.8, 0.7, 0.6, 0.6, 0.7]  # 1-p of two before, p of two on each side inside, 1-p of two
    assert confidence(probabilities, (3, 8), 2) == pytest.approx(np.prod(factors) ** (1 / len(factors)))
    # Tokens far from the borders do not count, however wrong.
    changed = probabilities.copy()
    changed[[0, 5, 10]] = [0.99, 0.5, 0.99]
    assert confidence(changed, (3, 8), 2) == confidence(probabilities, (3, 8), 2)

    sure = np.ones(4)
    assert (confidence(sure, (0, 4), 10), confidence(sure, (0, 0), 10)) == (pytest.approx(1.0), 0.0)
    assert 0 < confidence(np.zeros(4), (0, 4), 10) < 1e-5  # certainty does not make it nothing


def generic_page(number: int) -> str:
    words = " ".join(f"word{(number * 31 + place * 7) % 97}" for place in range(60))
    links = "".join(f"<li><a href='/{place}'>Link {place}</a></li>" for place in range(8))
    return f"<html><body><ul>{links}</ul><div><p>{words}.</p><p>{words}.</p></div><ul>{links}</ul></body></html>"


def site_page(number: int) -> str:
    """A site whose comments look like article text to a classifier from elsewhere; each fifth page has some."""
    text = " ".join(f"term{(number * 53 + place * 11) % 503}" for place in range(80))
    words = " ".join(f"word{(number * 17 + place * 5) % 97}" for place in range(50))
    comment = "<em>None yet</em>" if number % 5 else f"<p>{words}.</p>"
    return (
        f"<html><body><ul><li><a href='/'>Home</a></li></ul><h1>Title {number}</h1>"
        f"<div><p>{text}.</p><p>{text}.</p></div>"
        f"<section><h3>Reader comments</h3>{comment}</section></body></html>"
    )


def comments_in(page: PageTokens, run: tuple[int, int]) -> int:
    return sum(text.startswith("word") for text in page.texts(np.arange(*run)))


@pytest.fixture(scope="module")
def classifier() -> TokenClassifier:
    counter = TokenCounter(BOOTSTRAPPING_TAGS)
    for number in range(12):
        tokens = tokens_of(generic_page(number))
        words = np.flatnonzero(tokens.is_word)
        inside = words[[text.startswith("word") for text in tokens.texts(words)]]
        counter.add(tokens, (int(inside[0]), int(inside[-1]) + 1), source=f"site {number}")
    vocabulary, bayes = counter.finish()
    return TokenClassifier(vocabulary, bayes, Scale())


def test_a_site_is_learnt_without_labels(classifier: TokenClassifier) -> None:
    pages = [tokens_of(site_page(number)) for number in range(20)]
    seen: list[int] = []
    adapted = adapt_to_pages(classifier, pages, AdaptOptions(iterations=4), on_iteration=seen.append)
    assert (seen, len(adapted.runs)) == (list(range(1, len(adapted.changed) + 1)), 20)
    before = [comments_in(page, best_run(classifier.scores(page))) for page in pages]
    behind = [comments_in(page, run) for page, run in zip(pages, adapted.runs, strict=True)]
    assert (max(before), sum(behind)) == (50, 0)
    for page, (first, end) in zip(pages, adapted.runs, strict=True):
        assert sum(text.startswith("term") for text in page.texts(np.arange(first, end))) >= 0.9 * 160
    assert adapt_to_pages(classifier, pages, AdaptOptions(iterations=4)).runs == adapted.runs
    assert adapted.classifier.importance is not None
    assert adapted.classifier.importance.weight.max() <= 1.0
    assert adapt_to_pages(classifier, pages, AdaptOptions(iterations=4)).runs == adapted.runs


def test_pages_of_several_sites_are_chosen_by_site(classifier: TokenClassifier) -> None:
    options = AdaptOptions(share=0.5, iterations=1)
    empty = [PageTokens.of(None)] * 8  # without text: never chosen, but half of them count for their own site alone
    pages = [*(tokens_of(site_page(number)) for number in range(4)), *empty]
    alone = adapt_to_pages(classifier, pages[:4], options)
    by_site = adapt_to_pages(classifier, pages, options, sites=["one"] * 4 + ["two"] * 8)
    together = adapt_to_pages(classifier, pages, options)
    assert by_site.classifier.bayes.inside == alone.classifier.bayes.inside
    assert together.classifier.bayes.inside > alone.classifier.bayes.inside


def test_pages_without_text_cannot_be_adapted_to(classifier: TokenClassifier) -> None:
    with pytest.raises(TrainingError, match="nothing to adapt"):
        adapt_to_pages(classifier, [PageTokens.of(None)] * 6)
