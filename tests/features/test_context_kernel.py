import math
import re
import tomllib
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks import Blocks
from blockfeat.errors import ModelError
from blockfeat.features.cues import Cues
from blockfeat.features.measuring import context_columns, context_features, feature_matrix
from blockfeat.features.places import COLUMNS
from property_examples import examples
from random_pages import PAGES, context_of, measured_of
from timing import seconds_of

GOOD_TEXT = (
    "good", "page_good", "top_share", "good_before", "good_after", "share_1", "share_2", "share_3", "gap_after",
)  # fmt: skip
WINDOWS = ("window_share", "window_density_1", "window_density_5")
MAIN_CONTAINER = (
    "main_steps", "main_distance", "wide_steps", "main_size", "main_position", "main_density", "main_words",
)  # fmt: skip

SENTENCE = "The lantern makers of the valley meet every autumn at the old mill by the river, and many guests come. "


@examples(60)
@given(PAGES)
def test_good_text_and_windows_are_sums_over_the_blocks_around(html: str):
    page = context_of(html)
    n = len(page.blocks)
    words = page.words.tolist()
    good = [page.good_words(index) for index in range(n)]
    total = sum(good) + 1e-9
    columns = page.columns_by_name((*GOOD_TEXT, *WINDOWS))
    for index in range(n):
        assert columns["good"][index] == pytest.approx(math.log1p(good[index]))
        assert columns["page_good"][index] == pytest.approx(math.log1p(total))
        assert columns["top_share"][index] == pytest.approx(good[index] / (max(good) + 1e-9))
        assert columns["good_before"][index] == pytest.approx(sum(good[:index]) / total, abs=1e-6)
        assert columns["good_after"][index] == pytest.approx(1 - sum(good[: index + 1]) / total, abs=1e-6)
        gap = next((other - index for other in range(index + 1, n) if good[other] >= 8), 60)
        assert columns["gap_after"][index] == min(gap, 60)
        for reach in (1, 5):
            window = range(max(index - reach, 0), min(index + reach + 1, n))
            near = sum(good[other] for other in window)
            density = near / (sum(words[other] for other in window) + 1)
            assert columns[f"window_density_{reach}"][index] == pytest.approx(density, abs=1e-6)
        assert columns["window_share"][index] == pytest.approx(near / total, abs=1e-6)
        for level in range(3):
            container = page.levels(index)[level]
            inside = sum(good[page.containers.first[container] : page.containers.end[container]]) / total
            assert columns[f"share_{level + 1}"][index] == pytest.approx(inside, abs=1e-6)


@examples(60)
@given(PAGES)
def test_the_main_container_is_the_deepest_that_holds_most_good_text(html: str):
    page = context_of(html)
    n = len(page.blocks)
    columns = page.columns_by_name(MAIN_CONTAINER)
    if not n:
        return
    good = [page.good_words(index) for index in range(n)]
    total = sum(good) + 1e-9
    ranges = list(dict.fromkeys(zip(page.containers.first.tolist(), page.containers.end.tolist(), strict=True)))
    shares = {span: sum(good[span[0] : span[1]]) / total for span in ranges}
    chain = [span for span in ranges if shares[span] >= 0.6 - 1e-9] or ranges[:1]
    wide = [span for span in chain if shares[span] >= 0.85 - 1e-9] or chain[:1]
    first, end = chain[-1]
    words = page.words[first:end].sum()
    assert np.allclose(columns["main_size"], (end - first) / n)
    assert np.allclose(columns["main_words"], words / max(page.words.sum(), 1))
    assert np.allclose(columns["main_density"], shares[chain[-1]] * total / (words + 1))
    for index in range(n):
        assert columns["main_steps"][index] == sum(not low <= index < high for low, high in chain)
        assert columns["wide_steps"][index] == sum(not low <= index < high for low, high in wide)
        assert columns["main_distance"][index] == min(index - first, 0) + max(index - end + 1, 0)
        assert columns["main_position"][index] == pytest.approx(min(max((index - first) / (end - first), -5), 5))


def test_steps_are_linear_in_the_depth_of_the_chain():
    depth = 400
    html = "<div><p>x</p>" * depth + f"<p>{SENTENCE * 9}" + "</div>" * depth
    columns = context_of(html).columns(("main_steps", "main_distance"))
    assert (columns[0].tolist(), columns[-1].tolist()) == ([30, -depth], [0, 0])


PAGE = f"""<html><head><title>Lantern makers meet - The Valley Post</title>
<meta name="description" content="Lantern makers of the valley meet at the mill"></head><body>
<nav class="menu"><a href="/">Home</a></nav>
<main><article class="article-body"><h1>Lantern makers meet</h1><div class="text">
<p>{SENTENCE}</p><p>{SENTENCE * 2}</p><p>{SENTENCE * 3}</p></div></article></main>
<div id="comments"><h3>Comments</h3><p class="comment">{SENTENCE}</p></div>
<div class="cookieConsent"><p>We use cookies. {SENTENCE}</p></div><footer><p>© Valley Post</p></footer></body></html>"""


NAMES = [feature.name for feature in context_features()]


def columns_of(html: str) -> tuple[Blocks, dict[str, np.ndarray]]:
    measured = measured_of(html)
    return measured.blocks, dict(zip(NAMES, context_columns(measured).T, strict=True))


def test_every_feature_says_unit_range_bound_and_source():
    for feature in context_features():
        assert all((feature.unit, feature.source, feature.low < feature.high))
        assert feature.bound in ("minimum", "maximum")


def test_a_matrix_of_some_features_has_their_columns():
    measured = measured_of(PAGE)
    matrix = context_columns(measured)
    assert matrix.dtype == np.float32
    assert np.isfinite(matrix).all()
    assert (matrix == feature_matrix(context_features(), measured)).all()
    some = context_features()[40:3:-7]
    assert (feature_matrix(some, measured) == matrix[:, [NAMES.index(feature.name) for feature in some]]).all()


def test_the_places_of_a_row_are_those_of_the_features_also_in_compiled_modules():
    assert list(COLUMNS) == NAMES
    declared = files("blockfeat.features").joinpath("places.pxd").read_text(encoding="utf-8").partition("enum:")[2]
    assert [name.lower() for name in re.findall(r"\w+", declared)] == NAMES


def test_features_are_bound_to_their_columns_by_name():
    measured, (_, columns) = measured_of(PAGE), columns_of(PAGE)
    shuffled = NAMES[::-2] + NAMES[1::2]
    for name, column in zip(shuffled, context_columns(measured, names=shuffled).T, strict=True):
        assert (column == columns[name]).all(), name


def test_the_order_of_kinds_of_cues_does_not_relabel_columns():
    measured = measured_of(f"<form><p>{SENTENCE}</p></form><div role=dialog><p>word</p></div><h2>Reply</h2>{PAGE}")
    text = files("blockfeat.features").joinpath("cues.toml").read_text(encoding="utf-8")
    document, swapped = tomllib.loads(text), tomllib.loads(text)
    kinds = swapped["kinds"]
    form, dialog = kinds.index("form"), kinds.index("dialog")
    kinds[form], kinds[dialog] = kinds[dialog], kinds[form]
    swapped["kinds"] = kinds[5:] + kinds[:5]
    swapped["word"] = dict(reversed(swapped["word"].items()))
    before, after = (context_columns(measured, cues=Cues.of(each)) for each in (document, swapped))
    for name in ("around_form", "around_dialog", "words_reply"):
        assert before[:, NAMES.index(name)].any()
    assert (before == after).all()


def test_a_name_that_is_no_feature_and_a_page_without_blocks():
    with pytest.raises(ModelError, match="around_nothing"):
        context_columns(measured_of(PAGE), names=("log_words", "around_nothing"))
    assert context_columns(measured_of("")).shape == (0, len(NAMES))


def test_what_stands_around_and_in_the_text_of_a_whole_page():
    blocks, columns = columns_of(PAGE)
    texts = blocks.texts()
    headline, body, comments = map(texts.index, ("Lantern makers meet", SENTENCE.strip(), "Comments"))
    last = len(texts) - 1
    expected = {
        ("around_main", body): 1,
        ("negatives", body): 0,
        ("main_steps", body): 0,
        ("around_footer", last): 1,
        ("around_h1", headline): 1,
        ("title_share", headline): 1,
        ("since_heading", headline + 1): 1,
        ("h1_before", headline - 1): 0,
        ("h1_before", headline): 1,
        ("heading_reply", comments + 1): 1,
        ("page_articles", 0): pytest.approx(np.log(2)),
    }
    assert {(name, block): columns[name][block] for name, block in expected} == expected
    some = (("around_positive", body), ("around_comment", last - 2), ("negatives", last - 1), ("main_steps", 0))
    for name, block in (*some, ("description_cover", headline)):
        assert columns[name][block] > 0, name


def test_the_title_and_description_have_words_in_common():
    head = "<title>Lamp</title><meta name=description content='The lamp &amp; the mill'>"
    _, columns = columns_of(f"{head}<p>lamp</p><p>the mill</p><p>x</p>")
    assert (columns["title_share"].tolist(), columns["description_share"].tolist()) == ([1, 0, 0], [1, 1, 0])


def test_the_columns_of_json_ld_say_which_blocks_the_page_declares_to_be_its_text():
    declared = '{"articleBody": "One two three four five. Not on this page."}'
    script = f'<script type="application/ld+json">{declared}</script>'
    _, columns = columns_of(f"{script}<p>One two three, <p>four five<p>one two<p>something else here")
    assert columns["declared_share"].tolist() == [1, 1, 0, 0]
    assert not columns["declared_other"].any()
    # Three runs of three words of the seven that are declared.
    assert np.allclose(columns["page_declared"], 3 / 7)
    assert np.allclose(columns["page_declared_words"], np.log1p(5))


def test_the_columns_of_json_ld_tell_posts_from_articles():
    declared = '<script type="application/ld+json">{"comment": {"text": "One two three."}}</script>'
    _, columns = columns_of(f"{declared}<p>One two three<p>something else here")
    assert columns["declared_other"].tolist() == [1, 0]
    assert not columns["declared_share"].any()
    assert not columns["page_declared"].any()


def test_time_grows_with_the_page_not_with_its_square():
    def seconds(count: int) -> float:
        measured = measured_of("<body>" + f"<div class='a'><p>{SENTENCE}</p></div>" * count + "</body>")
        return seconds_of(lambda: context_columns(measured), rounds=3)

    assert seconds(4_000) < 20 * max(seconds(500), 0.002)


PIECES = ("<div>", "</div>", "<p>word", "<li>a b", "<h1>t", "<a href=x>l</a>", "<article>", " ", "<p role>", "<title>t")


@examples(60)
@given(st.lists(st.sampled_from([*PIECES, "<div class='menu Text' a\"b='='>"])))
def test_any_markup_gives_finite_values(parts: list[str]):
    assert np.isfinite(context_columns(measured_of("".join(parts)))).all()
