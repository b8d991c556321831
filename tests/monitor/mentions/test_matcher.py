"""Brands in texts: word bounds by script, exclusions, context, case, languages, time."""

from __future__ import annotations

import pickle
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import BrandError
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.mentions.folding import PARAGRAPH
from blockfeat.monitor.mentions.matcher import BrandMatcher


def found(brand: Brand | str, text: str, lang: str | None = None) -> list[str]:
    chosen = Brand(brand) if isinstance(brand, str) else brand
    return [hit.text for hit in BrandMatcher.of([chosen]).find(text, lang=lang)]


MENTIONS = [
    # Latin
    ("Apple", "Apple", None),
    ("Apple", "an apple.", None),
    ("Apple", "(Apple)", None),
    ("Apple", "“Apple”", None),
    ("Apple", "Apple's plan", None),
    ("Apple", "Apple’s plan", None),
    ("Apple", "le chef d'Apple", "fr"),
    ("Apple", "qu’Apple annonce", "fr"),
    ("Apple", "dell'Apple", "it"),
    ("Apple", "der Apple-Chef", "de"),
    ("Apple", "Anti-Apple-Klage", "de"),
    ("Apple", "App\u00adle", None),
    ("Apple", "ＡＰＰＬＥ", None),
    ("Apple", "#apple", None),
    ("Apple", "@Apple", None),
    ("Apple", "Apple, Google", None),
    ("Apple", "Apple/Google", None),
    ("Google", "Google'a", "pl"),
    ("Oréal", "L’Oréal", "fr"),
    ("L'Oréal", "L’ORÉAL", "fr"),
    ("L'Oréal", "chez l´oréal", "fr"),
    ("Red Bull", "Red\u00a0Bull", None),
    ("Red Bull", "Red\n  Bull", None),
    ("Citroën", "Citroe\u0308n", "fr"),
    ("O2", "bei O2.", "de"),
    ("3M", "3M-Aktie", "de"),
    ("AT&T", "AT&T's", None),
    ("C++", "in C++, then", None),
    ("Yahoo!", "Yahoo! news", None),
    ("Straße", "STRASSE", "de"),
    ("Dell", "Dell's laptops", "en"),
    # Turkish
    ("Migros", "Migros'ta", "tr"),
    ("Migros", "MİGROS’un", "tr"),
    ("IKEA", "Ikea'da", "tr"),
    ("İş Bankası", "iş bankası", "tr"),
    ("İş Bankası", "İŞ BANKASI", "tr"),
    ("Işık", "IŞIK", "tr"),
    ("Işık", "ışık", "tr"),
    # Cyrillic, Greek
    ("МТС", "МТС и Билайн", "ru"),
    ("МТС", "«МТС»", "ru"),
    ("МТС", "МТС-банк", "ru"),
    ("Apple", "Appleом", "ru"),
    ("Королёв", "Королев", "ru"),
    ("Όμιλος", "ΟΜΙΛΟΣ", "el"),
    # Chinese, Japanese, Thai
    ("小米", "我用小米手机", "zh"),
    ("小米", "小米14发布", "zh"),
    ("小米", "在2024年小米宣布", "zh"),
    ("Apple", "使用Apple的手机", "zh"),
    ("华为", "《华为》", "zh"),
    ("ソニー", "ソニーは新製品を", "ja"),
    ("ソニー", "ｿﾆｰの", "ja"),
    ("ソニー", "株式会社ソニー・ミュージック", "ja"),
    ("トヨタ", "トヨタ自動車", "ja"),
    ("Apple", "Appleの", "ja"),
    ("ปตท", "บริษัทปตทประกาศ", "th"),
    # Korean
    ("삼성", "삼성은", "ko"),
    ("삼성", "삼성에서는", "ko"),
    ("애플", "애플과 구글", "ko"),
    ("Apple", "Apple은", "ko"),
    # Arabic, Persian, Hebrew
    ("أبل", "شركة أبل", "ar"),
    ("أبل", "وأبل", "ar"),
    ("أبل", "بأبل", "ar"),
    ("أبل", "والأبل", "ar"),
    ("أبل", "لأبل", "ar"),
    ("سامسونج", "كسامسونج", "ar"),
    ("سامسونج", "للسامسونج", "ar"),
    ("سامسونج", "سَامْسُونج", "ar"),
    ("سامسونج", "فسامسونج", "ar"),
    ("الأهلي", "والأهلي", "ar"),
    ("الأهلي", "للأهلي", "ar"),
    ("Apple", "شركةApple", "ar"),
    ("אפל", "באפל", "he"),
    ("אפל", "ואפל", "he"),
    ("אפל", "שבאפל", "he"),
    ("אפל", "האפל", "he"),
    ("אפל", "כשאפל", "he"),
    ("אפל", "מאפל", "he"),
    ("אפל", "ב-אפל", "he"),
    ("אפל", '"אפל" היא חברה', "he"),
    ("Apple", "בApple", "he"),
    # Marks of ownership and of footnotes
    ("Apple", "Apple™", None),
    ("Red Bull", "Red Bull℠ and", None),
    ("Red Bull", "Red® Bull", None),
    ("Apple™", "Apple said", None),
    ("Apple", "Apple¹ said", None),
    ("Apple", "Apple²³", None),
    ("Apple", "Apple*", None),
    ("Apple", "Apple†", None),
    ("E²", "E2 said", None),
    ("E2", "E² said", None),
    # Hindi
    ("टाटा", "टाटा ने", "hi"),
    # Apostrophes and quotes
    ("Apple", "Apple'", None),
    ("Apple", 'the"Apple"', None),
    ("Apple", "Apple'ב", "he"),
    ("Apple", "Apple'ом", "uk"),
    ("Яндекс", "Яндекс'а", "ru"),
    ("אפל", '"אפל', "he"),
    ("אפל", 'x"אפל', "he"),
    ("אפל2", "אפל2'ב", "he"),
]

NO_MENTIONS = [
    ("Apple", "pineapple", None),
    ("Apple", "Apples", None),
    ("Apple", "apple_pie", None),
    ("Apple", "Äpple", None),
    ("Apple", "Applé", None),
    ("Reilly", "O'Reilly", "en"),
    ("Dell", "dell'arte", "it"),
    ("Dell", "nell'arte dell’opera", "it"),
    ("O2", "CO2", None),
    ("O2", "O23", None),
    ("Red Bull", "Red. Bull", None),
    ("Stras", "Straße", "de"),
    ("Hui", "aujourd'hui", "fr"),
    ("Işık", "işik", "tr"),
    ("Migros", "Mıgros", "tr"),
    ("МТС", "МТСбанк", "ru"),
    ("МТС", "АМТС", "ru"),
    ("ята", "м'ята", "uk"),
    ("ソニー", "ソニーミュージック", "ja"),
    ("アップル", "パインアップル", "ja"),
    ("เอ", "เอะ", "th"),
    ("กา", "เกา", "th"),
    ("애플", "애플페이", "ko"),
    ("애플", "파인애플", "ko"),
    ("أبل", "قابل", "ar"),
    ("أبل", "أبلغ", "ar"),
    ("سامسونج", "وسامسونج", "fa"),
    ("אפל", "נאפל", "he"),
    ("צה", 'צה"ל', "he"),
    ("אפל", ' ה"אפל', "he"),
    ("אפל", "ג'אפל", "he"),
    ("слов", "слов'янський", "uk"),
    ("Dell", "dell'sole", "it"),
    ("กน", "กนั", "th"),
    ("الم", "للم", "ar"),
    ("टाटा", "टाटास", "hi"),
    ("टाट", "टाटा", "hi"),
    ("apple", "apple\u0301", None),
]


@pytest.mark.parametrize(("name", "text", "lang"), MENTIONS)
def test_is_a_mention(name: str, text: str, lang: str | None) -> None:
    assert len(found(name, text, lang)) == 1


@pytest.mark.parametrize(("name", "text", "lang"), NO_MENTIONS)
def test_is_no_mention(name: str, text: str, lang: str | None) -> None:
    assert found(name, text, lang) == []


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
    ("name", "text", "lang"),
    [("אג", "באג", "he"), ("אג", "והאג", "he"), ("ام", "بام", "ar"), ("ام", "والام", "ar")],
)
def test_names_of_two_letters_are_not_looked_for_behind_a_prefix(name: str, text: str, lang: str) -> None:
    assert found(name, text, lang) == []
    assert found(name, f"{text} {name}", lang) == [name]


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
    assert found(brand, "Apple, Apple Inc Magazine Group") == ["Apple", "Inc Magazine Group"]
    assert found(Brand("华为"), "华为华为") == ["华为", "华为"]


def test_a_name_without_turkish_letters_is_found_in_capitals() -> None:
    assert found(Brand("Titan"), "TITAN", "tr") == ["TITAN"]


@pytest.mark.parametrize(("context", "count"), [("article", 1), ("paragraph", 0)])
def test_context_words_of_the_article_or_the_paragraph(context: str, count: int) -> None:
    brand = Brand("Apple", requires=("phones",), context=context)  # type: ignore[arg-type]
    assert len(found(brand, f"An Apple.{PARAGRAPH}It makes phones.")) == count


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
    assert matcher.names_in("Omega") == {"A1", "B1"}


def test_language_tags() -> None:
    assert found(Brand("Apple", {"zh": ["苹果公司"]}), "苹果公司", "zh-Hant-TW") == ["苹果公司"]


def test_halves_of_surrogate_pairs_are_let_through() -> None:
    assert found("Apple", "\ud800 Apple \udfff") == ["Apple"]
    assert found("Apple", "\ud800\u0301 App\u00adle\ud800\u200b") == ["App\u00adle"]


def test_nothing_to_find() -> None:
    assert BrandMatcher.of([]).find("Apple") == ()
    assert BrandMatcher.of([Brand("Apple")]).find("") == ()


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
        text, start = piece * size, time.thread_time()
        matcher.find(text)
        return time.thread_time() - start

    seconds(100)
    assert min(seconds(3_000) for _ in range(2)) < 0.3 + 40 * min(seconds(300) for _ in range(2))
