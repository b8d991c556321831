"""Classes of what is dropped, facts that argue for the decision, sentences, and what would change it."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import blockfeat
from blockfeat.data.corpus import demo_pages
from blockfeat.errors import InputError, LanguageError
from blockfeat.extraction import reasons
from blockfeat.extraction.block_classes import CLASSES
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.reasons import MOST

_PROSE = "<p>The harbour council met on Monday, and the keeper of the lighthouse told it what the storm had done. " * 3
_PAGE = f"""<html lang="en"><head><title>Storm at Ostermole</title></head><body>
<nav class="main-nav"><ul><li><a href="/">Home</a><li><a href="/n">News</a><li><a href="/s">Sport</a></ul></nav>
<ol class="breadcrumbs"><li><a href="/">Start</a><li><a href="/n">Harbour</a></ol>
<article><h1>Storm at Ostermole</h1>{_PROSE}{_PROSE}{_PROSE}</article>
<div class="share-buttons"><a href="/f">Facebook</a></div>
<section class="author-box"><p>Jane Mole writes about harbours.</p></section>
<div class="related-articles"><h3>Read more</h3><p><a href="/a">The lighthouse that nobody wanted to paint</a></div>
<div id="comments"><div class="comment">
<p>I was there, and it was far worse than you say in here, believe me.</p></div></div>
<div class="cookie-consent"><p>We use cookies to give you the best experience.</p></div>
<footer class="site-footer"><p>© 2026 The Ostermole Courier. All rights reserved.</p></footer></body></html>"""
_FEATURES = re.compile(r"[a-z]+_[a-z_]+|link_density|\bnan\b")


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load("default")


def test_each_box_has_its_class(extractor: Extractor) -> None:
    parts = {block.text.split(" ")[0]: block.part for block in extractor.extract(_PAGE).blocks if not block.kept}
    expected = {"Sport": "menu", "Harbour": "breadcrumb", "Facebook": "share", "Jane": "author", "We": "consent"}
    assert ({word: parts[word] for word in expected}, parts["©"]) == (expected, "footer")
    assert parts["I"] == "comment"


@pytest.mark.parametrize("name", ["default", "margin", "thresholds"])
def test_reasons_argue_for_the_decision(name: str) -> None:
    """Over all pages of the demo: facts are true, never against the decision, and no name of a feature shows."""
    extractor, count = Extractor.load(name), 0
    for page in demo_pages():
        extraction = extractor.extract(page.html, url=page.url)
        blocks = extraction.blocks
        kept = [block.index for block in blocks if block.kept]
        for block in blocks:
            count += 1
            assert block.reason.startswith("kept" if block.kept else "dropped")
            assert block.part in (*CLASSES, "headline", "lead", "body", "caption", "comment")
            assert not _FEATURES.search(re.sub(r"'[^']*'", "", block.reason)), block.reason
            assert len(block.facts) <= MOST
            for key, value in block.facts:
                linked = sum(link.end - link.start for link in block.links)
                if key in ("link", "all links"):
                    assert not block.kept
                    assert linked >= 0.6 * len(block.text)
                elif key == "short":
                    assert not block.kept
                    assert block.words == value <= 5
                elif key == "before":
                    assert block.index < kept[0]
                elif key == "behind":
                    assert block.index > kept[-1]
                elif key in ("sentences", "words", "few links", "among text"):
                    assert block.kept
                elif key == "box":
                    assert str(value)[:8].lower() in page.html.lower()
    assert count > 500


@pytest.mark.parametrize("lang", ["en", "de", "fr"])
def test_every_part_and_fact_has_words_in_every_language(lang: str) -> None:
    words = reasons._words(lang)
    english = reasons._words("en")
    assert {key: set(table) for key, table in words.items() if isinstance(table, dict)} == {
        key: set(table) for key, table in english.items() if isinstance(table, dict)
    }
    for part in (*CLASSES, "headline", "lead", "body"):
        for kept in (True, False):
            assert reasons.reason(part, (("short", 1), ("box", "nav")), kept=kept, lang=lang)


def test_reasons_in_german(extractor: Extractor) -> None:
    blocks = extractor.with_options(lang_ui="de").extract(_PAGE).blocks
    menu = next(block for block in blocks if block.text == "News")
    begun = "weggelassen: sieht aus wie ein Menü: ein Link aus einem Wort, vor dem Beginn des Textes"
    assert menu.reason.startswith(begun)
    with pytest.raises(LanguageError, match="the option lang_ui cannot be 'xx'; known are en, de, fr"):
        blockfeat.extract(_PAGE, lang_ui="xx")


@pytest.mark.parametrize("block", [2, 99, -1, "a", None, 1.5])
def test_a_change_of_a_block_that_is_none_is_an_error(block: Any) -> None:
    with pytest.raises(InputError, match=f"there is no block {block!r}: the page has 2, counted from 0"):
        blockfeat.extract("<p>One.</p><p>Two.</p>").what_would_change(block)
    changes = blockfeat.extract(next(iter(demo_pages())).html).what_would_change
    assert changes(np.int64(1)) == changes(True) == changes(1)


@pytest.mark.parametrize("name", ["default", "margin", "thresholds"])
def test_the_change_that_is_told_turns_the_decision_around(name: str) -> None:
    extractor = Extractor.load(name)
    page = next(iter(demo_pages()))
    extraction = extractor.extract(page.html)
    told = 0
    for block in extraction.blocks[:: max(1, len(extraction.blocks) // 12)]:
        found = extraction.what_would_change(block.index)
        if found is None:
            continue
        told += 1
        assert bool(found.changes) != (found.like is not None)
        assert extraction.analysis is not None
        measured = extraction.analysis.measured
        matrix = measured.matrix.copy()
        if found.like is not None:
            assert extraction.blocks[found.like].kept != block.kept
            around = np.arange(-found.reach, found.reach + 1)
            places, others = block.index + around, found.like + around
            inside = (np.minimum(places, others) >= 0) & (np.maximum(places, others) < len(matrix))
            matrix[places[inside]] = measured.matrix[others[inside]]
        for change in found.changes:
            column = extractor.model.feature_names.index(change.feature.name)
            assert np.isclose(matrix[block.index, column], change.before)
            matrix[block.index, column] = change.after
            assert " → " in str(change)
        again = extractor.model.predict(replace(measured, rows=matrix))
        assert bool(again.kept[block.index]) != block.kept
    assert told


def test_pages_without_text_or_blocks_have_reasons(extractor: Extractor) -> None:
    assert extractor.extract("").blocks == ()
    links = "".join(f"<li><a href=/{n}>Section {n}</a>" for n in range(50))
    for block in extractor.extract(f"<ul>{links}</ul>").blocks:
        assert block.reason
