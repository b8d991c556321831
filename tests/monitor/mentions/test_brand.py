"""Spellings of a name that are found by default."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("ahocorasick_rs", reason="needs the extra monitor")

from blockfeat.monitor.mentions.brand import Brand, variants_of
from blockfeat.monitor.mentions.matcher import BrandMatcher


def _found(name: str, text: str, lang: str | None, **options: bool) -> list[tuple[str, str]]:
    hits = BrandMatcher.of([Brand(name, **options)]).find(text, lang=lang)
    return [(hit.text, hit.variant) for hit in hits]


@pytest.mark.parametrize(
    ("name", "text", "lang", "found", "variant"),
    [
        ("Яндекс", "Акции Яндекса выросли", "ru", "Яндекса", "inflected"),
        ("Orlen", "prezes Orlenu mówił", "pl", "Orlenu", "inflected"),
        ("Škoda", "továrna Škody", "cs", "Škody", "inflected"),
        ("Konzum", "iz Konzuma", "hr", "Konzuma", "inflected"),
        ("Mercator", "v Mercatoru ali pri Mercatorjem", "sl", "Mercatoru", "inflected"),
        ("Приватбанк", "відділення Приватбанку", "uk", "Приватбанку", "inflected"),
        ("Nokia", "Nokian toimitusjohtaja", "fi", "Nokian", "inflected"),
        ("Банк России", "заявил Банка России вчера", "ru", "Банка России", "inflected"),
        ("Ryanair", "Ryanairs Chef", "de", "Ryanairs", "inflected"),
        ("Nestlé", "said Nestle today", "en", "Nestle", ""),
        ("Nestle", "said Nestlé today", "fr", "Nestlé", ""),
        ("Citroën", "CITROEN DS", None, "CITROEN", ""),
        ("Coca-Cola", "a Coca Cola please", "en", "Coca Cola", "spacing"),
        ("Coca Cola", "a CocaCola please", "en", "CocaCola", "spacing"),
        ("Müller", "bei Mueller", "de", "Mueller", "umlauts"),
        ("Volkswagen", "der Volkswagenkonzern", "de", "Volkswagen", ""),
        ("Volkswagen", "des Volkswagen-Konzerns", "de", "Volkswagen", ""),
        ("ソニー", "ソニーグループは", "ja", "ソニー", ""),
        ("삼성", "삼성전자가", "ko", "삼성", ""),
        ("华为", "華為宣布", "zh", "華為", "Chinese"),
        ("騰訊", "腾讯宣布", "zh", "腾讯", "Chinese"),
        ("Apple", "Apple's", "en", "Apple", ""),
    ],
)
def test_is_found(name: str, text: str, lang: str | None, found: str, variant: str) -> None:
    assert (found, variant) in _found(name, text, lang)


@pytest.mark.parametrize(
    ("name", "text", "lang"),
    [
        ("Яндекс", "Яндекса", None),  # forms count in their language only
        ("Яндекс", "Яндексом", "bg"),
        ("Orlen", "orlenu", "pl"),  # and with the capital
        ("Apple", "Äpple", "sv"),
        ("Apple", "Applé", None),
        ("Sas", "Šás", None),
        ("Nestlé", "nestle in", "en"),
        ("ソニー", "ソニーピクチャ", "ja"),
        ("애플", "애플페이", "ko"),
        ("Shell", "Shellfish", "en"),
        ("Ford", "Fordert", "de"),
    ],
)
def test_is_not_found(name: str, text: str, lang: str | None) -> None:
    assert _found(name, text, lang) == []


def test_forms_can_be_left_out() -> None:
    assert _found("Orlen", "Orlenu", "pl", forms=False) == []
    assert list(variants_of(Brand("Orange", case="exact"))) == []


def test_a_thousand_brands_are_made_in_time_and_have_bounded_forms() -> None:
    names = [f"Brand{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}a Co{chr(97 + n // 676)}" for n in range(1000)]
    begin = time.process_time()
    matcher = BrandMatcher.of(map(Brand, names))
    assert time.process_time() - begin < 30
    assert matcher.find("Brandaaa Coa", lang="en")
