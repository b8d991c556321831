"""Brands in texts: word bounds by script, exclusions, context, case, languages, time."""

import pickle
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import BrandError
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.matcher import BrandMatcher
from timing import seconds_of


def found(brand: Brand | str, text: str, lang: str | None = None) -> list[str]:
    chosen = Brand(brand) if isinstance(brand, str) else brand
    return [hit.text for hit in BrandMatcher.of([chosen]).find(text, lang=lang)]


NAMES = tomllib.loads(Path(__file__).with_name("names_in_texts.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "text", "lang"), NAMES["mentions"])
def test_is_a_mention(name: str, text: str, lang: str) -> None:
    assert len(found(name, text, lang or None)) == 1


@pytest.mark.parametrize(("name", "text", "lang"), NAMES["no_mentions"])
def test_is_no_mention(name: str, text: str, lang: str) -> None:
    assert found(name, text, lang or None) == []


def test_offsets_are_those_of_the_original() -> None:
    text = "Die Stra\u00dfe, \u200bＡＰＰＬＥ\u00ad und App\u00adle’s"
    hits = BrandMatcher.of([Brand("Apple")]).find(text)
    assert [text[hit.start : hit.end] for hit in hits] == [hit.text for hit in hits]
    assert [hit.text.replace("\u00ad", "") for hit in hits] == ["ＡＰＰＬＥ", "Apple"]


def test_exclusions() -> None:
    brand = Brand("Apple", excluded=("Apple Street", "Big Apple"))
    assert found(brand, "Apple Street, the big apple, Apple Streets and Apple") == ["Apple", "Apple"]
    assert found(brand, "An apple on Apple Street") == ["apple"]


def test_exclusions_that_overlap() -> None:
    brand = Brand("Apple", excluded=("Red Apple", "Apple", "Red Apple Pie Company"))
    assert found(Brand("Red", excluded=("Red Apple", "Apple Pie Company")), "Red Apple Pie Company") == []
    assert found(brand, "Red Apple Pie Company, Apple") == []


def test_a_short_exclusion_does_not_end_the_long_one_around_it() -> None:
    brand = Brand("Apple", excluded=("Old Big Apple Pie", "Big"))
    assert found(brand, "the old big apple pie, a big Apple") == ["Apple"]


@pytest.mark.parametrize(
    ("name", "text", "lang"), [("אג", "באג", "he"), ("אג", "והאג", "he"), ("ام", "بام", "ar"), ("ام", "والام", "ar")]
)
def test_names_of_two_letters_are_not_looked_for_behind_a_prefix(name: str, text: str, lang: str) -> None:
    assert (found(name, text, lang), found(name, f"{text} {name}", lang)) == ([], [name])


@pytest.mark.parametrize(("name", "text", "lang"), [("אגד", "באגד", "he"), ("امل", "بامل", "ar")])
def test_names_of_three_letters_are_found_behind_a_prefix(name: str, text: str, lang: str) -> None:
    assert found(name, text, lang) == [name]


def test_context_words_of_different_lengths() -> None:
    far = "so " * 100
    brand = Brand("Apple", requires=("maker of all phones", "all", "of*"))
    assert len(found(brand, f"Apple, maker of all phones {far} Apple")) == 1
    assert len(found(brand, f"Apple {far} maker of all phones {far} Apple, of")) == 1


def test_excluded_in_scripts_without_spaces() -> None:
    assert found(Brand("华为", excluded=("中华为",)), "中华为了，华为宣布") == ["华为"]


def test_context_words() -> None:
    far = " and so on" * 30
    text = f"Apple pie.{far} Apple phones{far} Apple"
    assert len(found(Brand("Apple", requires=("phone*",)), text)) == 1
    assert len(found(Brand("Apple", requires=("phone",)), text)) == 0
    assert len(found(Brand("Apple", forbids=("pie",)), text)) == 2
    assert len(found(Brand("Apple", requires=("phone*",), window=1_000), text)) == 3


def test_case() -> None:
    assert found(Brand("Orange", case="exact"), "orange, Orange, ORANGE, Ｏrange") == ["Orange", "Ｏrange"]
    assert found(Brand("SAP", case="exact"), "sap SAP Sap SAP's") == ["SAP", "SAP"]


def test_aliases_by_language() -> None:
    brand = Brand("Apple", {"ru": ["Эппл"], "*": ["AAPL"]})
    assert found(brand, "Эппл AAPL Apple", "ru") == ["Эппл", "AAPL", "Apple"]
    assert found(brand, "Эппл AAPL Apple", "uk") == ["AAPL", "Apple"]
    assert found(brand, "Эппл AAPL Apple") == ["Эппл", "AAPL", "Apple"]


def test_longest_name_of_a_brand_counts() -> None:
    brand = Brand("Apple", {"*": ["Apple Inc", "Inc Magazine Group"]})
    assert found(brand, "Apple Inc said") == ["Apple Inc"]
    assert found(brand, "Apple Inc Magazine Group") == ["Inc Magazine Group"]
    assert found(Brand("Apple Six", {"*": ["Six Ships"]}), "Apple Six Ships") == ["Apple Six"]
    chain = Brand("a b", {"*": ["b c d", "d e f g h"]})
    assert found(chain, "a b c d e f g h") == ["a b", "d e f g h"]
    assert found(brand, "Apple, Apple Inc Magazine Group") == ["Apple", "Inc Magazine Group"]
    assert found(Brand("华为"), "华为华为") == ["华为", "华为"]


def test_a_name_without_turkish_letters_is_found_in_capitals() -> None:
    assert found(Brand("Titan"), "TITAN", "tr") == ["TITAN"]


def test_the_longest_name_counts_wherever_it_stands() -> None:
    brand = Brand("Apple", aliases={"*": ("Apple Music", "Music Store")})
    assert found(brand, "An Apple, Apple Music, a Music Store") == ["Apple", "Apple Music", "Music Store"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Apple Music", [("Apple", "within: Apple Music"), ("Apple Music", "")]),
        ("Apple and Apple Music", [("Apple", ""), ("Apple", "within: Apple Music"), ("Apple Music", "")]),
        ("Apple Music Store", [("Apple", "within: Apple Music"), ("Apple Music", ""), ("Music Store", "")]),
    ],
)
def test_of_brands_that_overlap_the_longer_counts(text: str, expected: list[tuple[str, str]]) -> None:
    brands = [Brand("Apple"), Brand("Apple Music"), Brand("Music Store")]
    hits = BrandMatcher.of(brands).find(text, ruled_out=True)
    assert [(hit.brand, hit.rule) for hit in hits] == expected
    assert [hit.brand for hit in BrandMatcher.of(brands).find(text)] == [name for name, rule in expected if not rule]
    free = BrandMatcher.of([Brand("Apple", overlaps=True), *brands[1:]])
    assert "within: Apple Music" not in [hit.rule for hit in free.find(text, ruled_out=True)]
    assert len(BrandMatcher.of(brands).find(text, overlaps=True)) == len(expected)


def test_one_alias_of_two_brands() -> None:
    matcher = BrandMatcher.of([Brand("A1", {"*": ["Omega"]}), Brand("B1", {"*": ["Omega"]})])
    assert {hit.brand for hit in matcher.find("Omega")} == {"A1", "B1"}


def test_language_tags() -> None:
    assert found(Brand("Apple", {"zh": ["苹果公司"]}), "苹果公司", "zh-Hant-TW") == ["苹果公司"]


def test_halves_of_surrogate_pairs_are_let_through() -> None:
    assert found("Apple", "\ud800 Apple \udfff") == ["Apple"]
    assert found("Apple", "\ud800\u0301 App\u00adle\ud800\u200b") == ["App\u00adle"]


def test_nothing_to_find() -> None:
    assert (BrandMatcher.of([]).find("Apple"), BrandMatcher.of([Brand("Apple")]).find("")) == ((), ())


def test_pickled_copy_finds_the_same() -> None:
    matcher = BrandMatcher.of([Brand("Apple", {"ru": ["Эппл"]})])
    assert pickle.loads(pickle.dumps(matcher)).find("Эппл, Apple") == matcher.find("Эппл, Apple")


@pytest.mark.parametrize(
    ("brands", "message"),
    [
        (lambda: [Brand("")], "needs a letter"),
        (lambda: [Brand("Apple"), Brand("Apple")], "twice"),
        (lambda: [Brand("Apple", {"xx": ["Äppel"]})], "no language code"),
        (lambda: [Brand("Apple", {"de": "Äppel"})], "list of names"),
        (lambda: [Brand("Apple", case="upper")], "none of fold, exact"),
        (lambda: [Brand("Apple", excluded=("...",))], "no letter"),
        (lambda: [Brand("Apple", window=0)], "window"),
    ],
)
def test_bad_brands_are_refused(brands: object, message: str) -> None:
    with pytest.raises(BrandError, match=message):
        BrandMatcher.of(brands())  # type: ignore[operator]


@given(st.text(st.sampled_from("aApple pine’'-_中é\u0301\u00ad "), max_size=40))
def test_hits_are_slices_that_read_like_the_name(text: str) -> None:
    for hit in BrandMatcher.of([Brand("Apple")]).find(text):
        assert text[hit.start : hit.end] == hit.text
        assert hit.text.replace("\u00ad", "").lower() == "apple"


@pytest.mark.parametrize("piece", ["a", "a ", "ab", "a\u0301 ", "l'", "وال", "'a", "中"])
def test_time_is_linear_on_hostile_texts(piece: str) -> None:
    names = [*("a" * length for length in range(1, 30)), "ab", "ا", "中", "中中"]
    brands = [Brand(name, excluded=("a a",), requires=("b",)) for name in names]
    matcher = BrandMatcher.of(brands)

    def seconds(size: int) -> float:
        return seconds_of(lambda: matcher.find(piece * size), rounds=2, clock=time.thread_time)

    seconds(100)
    assert seconds(3_000) < 0.3 + 40 * seconds(300)
