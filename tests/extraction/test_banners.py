"""Consent banners among what is kept."""

from __future__ import annotations

import pytest

from blockfeat.extraction.extractor import Extractor

ASKS = {
    "en": [
        "We and our 842 partners store and access personal data, like browsing data, on your device.",
        "Selecting I Accept enables tracking technologies to support the purposes shown here.",
        "Your choices will have effect within this website, until you withdraw your consent in the menu.",
    ],
    "de": [
        "Wir und unsere 842 Partner verarbeiten personenbezogene Daten, etwa Kennungen Ihres Geräts.",
        "Mit einem Klick auf Zustimmen akzeptieren Sie die Weitergabe Ihrer Daten an Dritte.",
        "Sie können Ihre Einwilligung jederzeit widerrufen oder ändern.",
    ],
}
TOLD = {
    "en": "The town council of Lindau voted on Tuesday to rebuild harbour bridge number {}, after a dispute of years "
    "between shop owners and the railway, which fears for its trains.",
    "de": "Der Stadtrat von Lindau hat am Dienstag beschlossen, die Hafenbrücke Nummer {} neu zu bauen, und beendet "
    "damit einen langen Streit der Händler mit der Bahn, die um ihre Züge fürchtet.",
}
VENDORS = [
    '<div id="onetrust-consent-sdk"><div id="onetrust-banner-sdk" role="dialog">{}</div></div>',
    '<div id="didomi-host"><div class="didomi-popup-notice-text">{}</div></div>',
    '<div id="sp_message_container_12"><div class="message">{}</div></div>',
    '<div id="klaro"><div class="cm-body">{}</div></div>',
    '<aside id="moove_gdpr_cookie_info_bar"><div>{}</div></aside>',
    '<div class="layer"><div>{}</div></div>',
]


def page(banner: str, lang: str, *, paragraphs: int, first: bool) -> str:
    asks = banner.format("".join(f"<p>{text}</p>" for text in ASKS[lang]))
    told = "".join(f"<p>{TOLD[lang].format(number)}</p>" for number in range(paragraphs))
    article = f"<main><article><h1>A bridge for Lindau</h1>{told}</article></main>"
    body = asks + article if first else article + asks
    return f"<html><head><title>A bridge for Lindau</title></head><body>{body}</body></html>"


@pytest.mark.parametrize("model", ["default", "margin"])
@pytest.mark.parametrize("lang", ["en", "de"])
def test_no_paragraph_of_a_banner_is_kept_and_none_of_the_article_lost(model: str, lang: str) -> None:
    extractor = Extractor.load(model)
    for banner in VENDORS:
        for paragraphs in (2, 5, 16):
            for first in (True, False):
                found = extractor.extract(page(banner, lang, paragraphs=paragraphs, first=first))
                assert not any(text in found.text for text in ASKS[lang]), banner
                assert all(TOLD[lang].format(number) in found.text for number in range(paragraphs)), banner


def test_the_reason_names_the_banner() -> None:
    found = Extractor.load("default").extract(page(VENDORS[3], "en", paragraphs=2, first=True))
    dropped = [block for block in found.blocks if block.text in ASKS["en"] and "consent" in block.reason]
    assert dropped
    assert not any(block.kept for block in dropped)


def test_an_article_about_consent_stays() -> None:
    texts = [f"{text} So says paragraph {number}." for number in range(4) for text in ASKS["en"]]
    html = f"<title>Consent</title><article><h1>Consent</h1>{''.join(f'<p>{text}</p>' for text in texts)}</article>"
    extractor = Extractor.load("default")
    kept = {block.text for block in extractor.extract(html).blocks if block.kept}
    assert all(text in kept for text in texts)


def test_instructions_that_say_cookie_all_over_stay() -> None:
    about = "".join(
        f"<p>The session object number {number} keeps a cookie between requests, and sends the cookie again.</p>"
        for number in range(4)
    )
    other = "".join(f"<p>{TOLD['en'].format(number)}</p>" for number in range(3))
    html = f"<title>Sessions</title><main><section>{about}</section><section>{other}</section></main>"
    assert "session object number 0" in Extractor.load("default").extract(html).text


def test_a_page_that_only_asks_is_a_wall() -> None:
    asks = "".join(f"<p>{text}</p>" for text in [*ASKS["en"], *ASKS["en"]])
    found = Extractor.load("default").extract(f"<title>Before you continue</title><div id=didomi-host>{asks}</div>")
    assert (found.status, found.kind) == ("no content", "consent wall")
