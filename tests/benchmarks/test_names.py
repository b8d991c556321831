"""Names in texts: by capitals, katakana and n-grams."""

from benchmarks.names import find_names


def test_capitals_inside_of_sentences() -> None:
    texts = ["The shop of Norvik is here. Shops opened when Anna Brelan came. Today it rains."] * 20
    assert find_names({"en": texts})["en"] == ("Anna", "Anna Brelan", "Brelan", "Norvik")


def test_words_that_are_written_small_too_and_dates_are_no_names() -> None:
    texts = ["the Shop and a shop of Norvik on 3 March or on March 12 with Norvik"] * 20
    assert find_names({"en": texts})["en"] == ("Norvik",)


def test_names_are_on_two_pages_where_there_are_many() -> None:
    texts = ["the shop of Norvik"] + ["nothing of note"] * 30
    assert (find_names({"en": texts})["en"], find_names({"en": texts[:5]})["en"]) == ((), ("Norvik",))


def test_german_nouns_are_no_names() -> None:
    texts = ["Er kam in das Haus von Norvik und sah Anna Brelan dort."] * 3
    assert find_names({"de": texts})["de"] == ("Anna Brelan",)
    assert find_names({"de": texts, "en": ["the shop of Norvik"]})["de"] == ("Anna Brelan", "Norvik")


def test_katakana() -> None:
    assert find_names({"ja": ["昨日ノルビクがSONYの店を開いた。"]})["ja"] == ("SONY", "ノルビク")


def test_chinese_terms_cohere() -> None:
    around = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
    texts = [f"{a}诺维{b}。{b}{a}" for a, b in zip(around, reversed(around), strict=True)] * 2 + [around] * 500
    names = find_names({"zh": texts})["zh"]
    assert "诺维" in names
    assert all("诺维" in name for name in names if "诺" in name or "维" in name)
