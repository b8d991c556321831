"""Boxes for newsletters and subscriptions among what is kept."""

from __future__ import annotations

import pytest

from blockfeat.extraction.extractor import Extractor

OFFERS = {
    "en": [
        "Sign up for our newsletter",
        "The stories that the harbour talks about, delivered to your inbox every Friday.",
        "By signing up you agree to our terms of use.",
    ],
    "de": [
        "Weiterlesen mit Plus",
        "Dieser Artikel ist Abonnenten vorbehalten. Testen Sie alle Artikel einen Monat kostenlos.",
        "Sie haben schon ein Abonnement? Hier anmelden",
    ],
    "pl": [
        "Zapisz się do newslettera",
        "Wiadomości z portu codziennie rano w Twojej skrzynce e-mail.",
        "Możesz zrezygnować w każdej chwili.",
    ],
}
ARTICLE = (
    "The town council of Lindau voted on Tuesday to rebuild harbour bridge number {}, after a dispute of years "
    "between shop owners and the railway, which fears for its trains."
)
BOXES = [
    '<div id="mc_embed_signup">{}</div>',
    '<div class="piano-offer"><div>{}</div></div>',
    '<aside class="newsletter">{}</aside>',
    '<div class="box">{}<form><input type="email"><button>OK</button></form></div>',
]


def page(box: str, texts: list[str], *, place: int, paragraphs: int) -> str:
    article = [f"<p>{ARTICLE.format(number)}</p>" for number in range(paragraphs)]
    article.insert(place, box.format("".join(f"<p>{text}</p>" for text in texts)))
    body = f"<main><article><h1>A bridge for Lindau</h1>{''.join(article)}</article></main>"
    return f"<html><head><title>A bridge for Lindau</title></head><body>{body}</body></html>"


@pytest.mark.parametrize("model", ["default", "margin"])
@pytest.mark.parametrize("lang", sorted(OFFERS))
def test_no_line_of_a_box_is_kept_and_none_of_the_article_lost(model: str, lang: str) -> None:
    extractor = Extractor.load(model)
    for box in BOXES:
        for paragraphs in (3, 6, 14):
            for place in (0, paragraphs // 2, paragraphs):
                found = extractor.extract(page(box, OFFERS[lang], place=place, paragraphs=paragraphs))
                assert not any(text in found.text for text in OFFERS[lang]), (box, place)
                assert all(ARTICLE.format(number) in found.text for number in range(paragraphs)), (box, place)


def test_the_reason_names_the_box() -> None:
    found = Extractor.load("default").extract(page(BOXES[2], OFFERS["en"], place=2, paragraphs=4))
    reasons = [block.reason for block in found.blocks if block.text in OFFERS["en"]]
    assert any("newsletter" in reason for reason in reasons)


def test_an_article_about_newsletters_and_subscriptions_stays() -> None:
    about = [
        "The paper sells every newsletter by subscription now: whoever wants to subscribe pays five euros a month.",
        "“Our journalism is not for free,” says its editor, and asks readers to become a member before they log in.",
        "Most subscribers who sign up read the free articles first, and cancel any time they like.",
    ]
    text = "".join(f"<p>{paragraph}</p>" for paragraph in about)
    html = f"<title>Letters</title><body><article><h1>Letters that pay</h1>{text}</article><p>Imprint</p></body>"
    found = Extractor.load("default").extract(html)
    assert all(paragraph in found.text for paragraph in about)


def test_rules_are_an_option_of_every_model() -> None:
    given = page(BOXES[2], OFFERS["de"], place=2, paragraphs=6)
    for model in ("default", "thresholds", "mss-supervised", "web2text"):
        extractor = Extractor.load(model)
        assert OFFERS["de"][1] not in extractor.with_options(rules=True).extract(given).text
    assert any(
        OFFERS["de"][1] in Extractor.load(model).with_options(rules=False).extract(given).text
        for model in ("margin", "thresholds", "mss-supervised")
    )
