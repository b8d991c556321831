"""Language identification on sentences written for these tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.lang.identify import Identifier, identify, normalise_code
from blockfeat.lang.measures import keys_of_text
from property_examples import examples

SENTENCES = {
    "en": (
        "My neighbour keeps three hens behind the house, and when one of them gets out it is usually "
        "found in our garden, where it has already eaten most of what we planted there in the spring."
    ),
    "de": (
        "Meine Nachbarin hält drei Hühner hinter dem Haus, und wenn eines davon entkommt, dann findet"
        " man es meistens in unserem Garten, wo es schon das meiste von dem gefressen hat, was wir "
        "dort gepflanzt haben."
    ),
    "fr": (
        "Ma voisine a trois poules derrière la maison, et quand l'une d'elles s'échappe, on la "
        "retrouve le plus souvent dans notre jardin, où elle a déjà mangé presque tout ce que nous y "
        "avons planté."
    ),
    "es": (
        "Mi vecina tiene tres gallinas detrás de la casa, y cuando una de ellas se escapa, la "
        "encontramos casi siempre en nuestro jardín, donde ya se ha comido casi todo lo que habíamos "
        "plantado en primavera."
    ),
    "it": (
        "La mia vicina tiene tre galline dietro la casa, e quando una di loro scappa la troviamo "
        "quasi sempre nel nostro orto, dove ha già mangiato la maggior parte di quello che avevamo "
        "piantato in primavera."
    ),
    "pt": (
        "A minha vizinha tem três galinhas atrás da casa, e quando uma delas foge, quase sempre a "
        "encontramos no nosso quintal, onde já comeu quase tudo o que nós tínhamos plantado ali na "
        "primavera."
    ),
    "nl": (
        "Mijn buurvrouw heeft drie kippen achter het huis, en als er een ontsnapt, dan vinden we die "
        "meestal in onze tuin, waar ze al het meeste heeft opgegeten van wat wij daar in het voorjaar"
        " hadden geplant."
    ),
    "sv": (
        "Min granne har tre höns bakom huset, och när en av dem rymmer hittar vi den oftast i vår "
        "trädgård, där den redan har ätit upp det mesta av det som vi planterade där under våren."
    ),
    "pl": (
        "Moja sąsiadka trzyma za domem trzy kury, a kiedy jedna z nich ucieknie, to zwykle znajdujemy"
        " ją w naszym ogrodzie, gdzie zdążyła już zjeść prawie wszystko, co tam posadziliśmy na "
        "wiosnę."
    ),
    "tr": (
        "Komşumuz evin arkasında üç tavuk besliyor ve onlardan biri kaçtığı zaman onu çoğu kez bizim "
        "bahçede buluyoruz; o zamana kadar ilkbaharda oraya diktiğimiz her şeyi yemiş oluyor."
    ),
    "ru": (
        "Моя соседка держит за домом трёх кур, и когда одна из них убегает, мы находим её чаще всего "
        "в нашем саду, где она уже съела почти всё, что мы там посадили весной."
    ),
    "uk": (
        "Моя сусідка тримає за хатою трьох курей, і коли одна з них тікає, ми знаходимо її "
        "здебільшого в нашому саду, де вона вже з'їла майже все, що ми там посадили навесні."
    ),
    "el": ("Η γειτόνισσά μου έχει τρεις κότες πίσω από το σπίτι, και όταν κάποια φεύγει τη βρίσκουμε στον κήπο μας."),
    "he": "לשכנה שלי יש שלוש תרנגולות מאחורי הבית, וכאשר אחת מהן בורחת אנחנו מוצאים אותה בגינה שלנו.",
    "hi": ("मेरी पड़ोसन के घर के पीछे तीन मुर्गियाँ हैं और जब उनमें से कोई भाग जाती है तो वह हमारे बगीचे में मिलती है।"),
    "ar": ("عند جارتي ثلاث دجاجات خلف البيت، وعندما تهرب واحدة منها نجدها في حديقتنا بعد أن أكلت كل ما زرعناه هناك."),
    "zh": "我的邻居在房子后面养了三只鸡，如果有一只跑出来，我们常常在自己的院子里找到它。",
    "ja": "隣の人は家の裏でにわとりを三羽飼っていて、一羽が逃げるとたいてい私たちの庭で見つかります。",
    "ko": "이웃집 아주머니는 집 뒤에서 닭 세 마리를 기르는데 한 마리가 도망치면 대개 우리 마당에서 찾는다.",
    "th": "เพื่อนบ้านของฉันเลี้ยงไก่สามตัวไว้หลังบ้าน และเมื่อตัวหนึ่งหนีไป เรามักจะพบมันในสวนของเรา",
}


@pytest.mark.parametrize(("lang", "text"), SENTENCES.items())
def test_language_of_sentences(lang: str, text: str) -> None:
    assert identify(text).lang == lang


@pytest.mark.parametrize(("lang", "text"), SENTENCES.items())
def test_true_declaration_stands(lang: str, text: str) -> None:
    guess = identify(text, declared=f"{lang}-XX")
    assert (guess.lang, guess.source) == (lang, "declared")


@pytest.mark.parametrize(("lang", "text"), [item for item in SENTENCES.items() if item[0] != "en"])
def test_false_english_declaration_falls(lang: str, text: str) -> None:
    assert identify(text, declared="en-US").lang == lang


def test_sources() -> None:
    assert (identify(SENTENCES["ja"]).source, identify(SENTENCES["de"] * 2).source) == ("script", "stopwords")
    assert (identify("Das ist kurz gesagt").source, identify("2024 – 17:30").source) == ("library", "none")


def test_short_text_keeps_its_declaration() -> None:
    assert identify("Berlin 2024", declared="de").lang == "de"
    assert (identify("", declared="pt_BR").lang, identify("東京大学", declared="ja").lang) == ("pt", "ja")


def test_japanese_without_kana_is_not_assumed_for_long_text() -> None:
    assert identify("我们的学校在城市北部有很多学生和老师" * 4, declared="ja").lang == "zh"


def test_rubbish_declaration_counts_as_nothing() -> None:
    assert identify(SENTENCES["fr"], declared="{{ lang }}").lang == "fr"


def test_candidates_bound_the_answer() -> None:
    assert identify(SENTENCES["es"], candidates=["pt", "de"]).lang == "pt"
    assert identify(SENTENCES["el"], candidates=["de", "fr"]).lang is None


def test_tokens_of_the_caller_give_the_same_answer() -> None:
    identifier = Identifier.build()
    text = SENTENCES["it"] * 3
    assert identifier.identify(text, masks=identifier.index.masks_of(keys_of_text(text)[0])) == identifier.identify(
        text
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("de-DE", "de"),
        ("pt_BR.UTF-8", "pt"),
        ("EN-us", "en"),
        ("deu", "de"),
        ("ger", "de"),
        ("zho", "zh"),
        ("nb", "no"),
        ("nn-NO", "no"),
        ("iw", "he"),
        ("in", "id"),
        ("zh-Hant-TW", "zh"),
        ("cmn", "zh"),
        ("jp", "ja"),
        (" fr ", "fr"),
        ("en, de", "en"),
        ("english", None),
        ("x-default", None),
        ("und", None),
        ("zxx", None),
        ("", None),
        (None, None),
        ("{{lang}}", None),
        ("12", None),
    ],
)
def test_codes_are_normalised(code: str | None, expected: str | None) -> None:
    assert normalise_code(code) == expected


@examples(60)
@given(st.text(max_size=200), st.one_of(st.none(), st.text(max_size=8)))
def test_any_text_gets_an_answer(text: str, declared: str | None) -> None:
    guess = identify(text, declared=declared)
    assert 0.0 <= guess.confidence <= 1.0
    assert (guess.lang is None) == (guess.source == "none")
    assert guess.lang is None or normalise_code(guess.lang) == guess.lang
    assert guess == identify(text, declared=declared)


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing(code: str) -> None:
    once = normalise_code(code)
    assert normalise_code(once) == once


def test_lone_surrogates_and_huge_texts_are_let_through() -> None:
    assert (identify("\ud800" + SENTENCES["en"]).lang, identify(SENTENCES["en"] * 5_000).lang) == ("en", "en")
