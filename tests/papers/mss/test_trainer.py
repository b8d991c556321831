"""Training in one pass: labels from gold texts, common tags, stems, and counts that can grow."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import ModelError, TrainingError
from blockfeat.page import Page, Tags
from blockfeat.papers.mss.classifier import Importance, Scale
from blockfeat.papers.mss.page_tokens import PageTokens
from blockfeat.papers.mss.trainer import PAPER_TAGS, TokenCounter, common_tags, gold_run
from blockfeat.papers.mss.vocabulary import ALGORITHMS, Vocabulary, stemmer_of, surroundings
from counted_tokens import TAGS, add_gold, article_classifier, tokens_of
from pages import GOLD, SENTENCES, article_page


def tags_of(html: str) -> Tags:
    tags = Page.parse(html).tags
    assert tags is not None
    return tags


ARTICLE, CLASSIFIER = tokens_of(article_page()), article_classifier()


def words_in(tokens: PageTokens, run: tuple[int, int]) -> list[str]:
    chosen = np.arange(*run)
    return tokens.texts(chosen[tokens.is_word[run[0] : run[1]]])


def test_the_gold_text_is_found_on_the_page() -> None:
    run = gold_run(ARTICLE, GOLD)
    assert run is not None
    words = words_in(ARTICLE, run)
    assert words[:4] == ["the", "harbour", "council", "met"]
    assert (words[-3:], ARTICLE.texts(np.array([run[1] - 1]))) == (["the", "old", "lighthouse"], ["."])


# Too short as its tags do not count.
TAGGED = "".join(f"<i>word{number}</i> " for number in range(30))


@pytest.mark.parametrize(
    ("page", "gold"),
    [
        *((article_page(), ""), (article_page(), SENTENCES[0])),
        (article_page(), "Nothing of this is to be found there, not one word in a row. " * 10),
        (f"<p>{TAGGED}</p>", TAGGED.replace("<i>", "").replace("</i>", "")),
    ],
)
def test_a_text_that_is_not_there_or_too_short_gives_no_label(page: str, gold: str) -> None:
    assert gold_run(tokens_of(page), gold) is None


def test_a_teaser_of_the_same_words_does_not_stretch_the_label() -> None:
    teaser = f"<div>{SENTENCES[0]}</div>" + "<ul>" + "<li>Sundry tidings</li>" * 60 + "</ul>"
    page = article_page().replace("<main>", f"{teaser}<main>")
    tokens = tokens_of(page)
    run = gold_run(tokens, GOLD)
    assert run is not None
    words = words_in(tokens, run)
    assert "sundry" not in words
    assert words[:3] == ["the", "harbour", "council"]


def test_runs_with_many_tags_give_no_label() -> None:
    text = " ".join(SENTENCES)
    linked = "".join(f"<i>{word}</i> " for word in text.split())
    for body, plain, filtered in ((text, True, True), (linked, True, False)):
        tokens = tokens_of(f"<p>{body}</p>")
        assert (gold_run(tokens, text) is not None) == plain
        assert (gold_run(tokens, text, most_tags=PAPER_TAGS) is not None) == filtered


def test_tags_of_one_source_alone_are_not_common() -> None:
    one, two = tags_of("<p>a<newselement>b</newselement></p>"), tags_of("<p>c<b>d</b></p>")
    assert common_tags([("one", one), ("one", one), ("two", two)]) == ("body", "html", "p")


def test_rare_tags_are_one_token() -> None:
    vocabulary = Vocabulary.of(("body", "html", "p"), {})
    tokens = tokens_of("<p><x-one>a</x-one><x-two>a</x-two></p>")
    ids, unclosed = vocabulary.ids(tokens)
    opened, closed = ids[3], ids[5]
    assert ((ids[6], ids[8]), len({opened, closed, ids[2]})) == ((opened, closed), 3)
    assert unclosed[4] == unclosed[7] == opened


def test_forms_of_a_word_are_one_token_by_the_stem_of_the_language() -> None:
    assert [*map(stemmer_of("en"), ["houses", "house", "running", "ran"])] == ["hous", "hous", "run", "ran"]
    assert [*map(stemmer_of("de"), ["häuser", "haus"])] == ["haus", "haus"]
    assert (stemmer_of("zh")("房"), stemmer_of(None)("houses")) == ("房", "houses")
    vocabulary = CLASSIFIER.vocabulary
    tokens = tokens_of("<p>repair repaired lighthouse</p>")
    ids = vocabulary.ids(tokens)[0][tokens.is_word]
    assert ids[0] == ids[1] != ids[2]


def test_the_library_has_every_algorithm_that_is_named() -> None:
    import snowballstemmer

    assert set(ALGORITHMS.values()) <= set(snowballstemmer.algorithms())


def test_what_was_learnt_finds_the_article_of_another_page() -> None:
    tokens = tokens_of(article_page(6))
    texts, scores = tokens.texts(np.arange(len(tokens))), CLASSIFIER.scores(tokens)
    by_word = dict(zip(texts, scores.tolist(), strict=True))
    assert by_word["lighthouse"] > 0 > by_word["imprint"]
    assert by_word["quarry"] > 0 > by_word["section"]


def test_features_of_one_site_alone_are_left_out() -> None:
    counter = TokenCounter(TAGS)
    for number in range(3):
        add_gold(counter, article_page(), source="one")
        add_gold(counter, article_page().replace("Imprint", "Contact form"), source=f"other {number}")
    everything, shared = counter.finish(least_sources=1)[1], counter.finish(least_sources=2)[1]
    assert len(shared.grams) < len(everything.grams)
    assert shared.grams.sources.min() >= 2
    assert len(counter.finish(around=False)[1].around) == 0


def test_a_counter_without_pages_cannot_finish() -> None:
    with pytest.raises(TrainingError, match="labelled tokens"):
        TokenCounter(TAGS).finish()


def test_the_forms_of_a_vocabulary_must_ascend() -> None:
    with pytest.raises(ModelError, match="ascend"):
        Vocabulary((), np.array([2, 1], dtype=np.uint32), np.array([1, 1], dtype=np.uint32))


def test_scales_of_scores() -> None:
    odds = np.array([-9.0, 0.0, 1.0, 9.0])
    assert Scale("probability", 0.1).scores(odds) == pytest.approx([-0.4, 0.1, 0.331, 0.6], abs=1e-3)
    assert Scale("log odds", 0.5, 2.0).scores(odds).tolist() == [-2.0, 0.5, 1.5, 2.0]
    with pytest.raises(ModelError, match="known are probability, log odds"):
        Scale("cosine")


def test_importance_multiplies_the_scores_of_known_grams() -> None:
    plain, tokens = CLASSIFIER, ARTICLE
    weight = np.full(len(plain.bayes.grams), 0.5)
    heavy = replace(plain, importance=Importance(weight, 24.0))
    assert heavy.scores(tokens) == pytest.approx(plain.scores(tokens) * 13.0)
    unknown = tokens_of("<p>xyz zyx yxz zxy</p>")
    assert heavy.scores(unknown)[3:5] == pytest.approx(plain.scores(unknown)[3:5])
    with pytest.raises(ModelError, match="importance"):
        replace(plain, importance=Importance(weight[1:]))


def test_what_stands_around_tells_links_parts_and_lengths() -> None:
    words = f"<p>{'word ' * 30}</p>"
    tokens = tokens_of(f"<nav><a href='/'>Home page</a></nav><main>{words * 2}</main><footer>Home page</footer>")
    around = surroundings(tokens)
    texts = tokens.texts(np.arange(len(tokens)))
    first, last = texts.index("home"), len(texts) - 1 - texts[::-1].index("home")
    words = [place for place, text in enumerate(texts) if text == "word"]
    assert around[first] == around[first + 1]
    assert around[first] != around[last]
    assert len(set(around[words[:30]].tolist())) == 1
    assert around[words[0]] != around[words[30]]  # the text before it is another
    assert surroundings(PageTokens.of(None)).size == 0


PIECES = st.sampled_from(["<p>", "</p>", "<nav>", "</nav>", "<a>", "</a>", "<ul><li>", "</ul>", "w ", "<br>"])


@given(st.lists(PIECES, max_size=30))
def test_parts_and_links_equal_a_walk_over_the_tree(pieces: list[str]) -> None:
    tags = tags_of("<body>" + "".join(pieces) + "</body>")
    tokens = PageTokens.of(tags)
    parts, links = surroundings(tokens) % 14, surroundings(tokens) // 14 % 2
    names = {"nav": 3, "ul": 9}
    stack: list[str] = []
    for token, kind in enumerate(tokens.kind.tolist()):
        element = int(tokens.element[token])
        name = tags.name(element) if element >= 0 else ""
        is_empty = element >= 0 and tags.opened[element] == tags.closed[element]
        if kind == 0 and not is_empty:
            stack.append(name)
        assert parts[token] == next((names[open] for open in reversed(stack) if open in names), 0)
        assert links[token] == ("a" in stack)
        if kind == 1:
            stack.pop()
