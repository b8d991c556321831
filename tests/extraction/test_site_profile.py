"""Site profiles: what they drop, what they leave, and their files."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import blockfeat
from blockfeat import Extraction, Extractor, SiteProfile
from blockfeat.errors import InputError, ModelError
from blockfeat.extraction.site_profile import (
    MOST_BYTES,
    MOST_PAGES,
    MOST_TEXTS,
    KeptTexts,
    SitePage,
    SiteRule,
    text_keys,
)
from blockfeat.page.page import Page
from pages import SENTENCES
from site_pages import PROMOTION, story_page


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load("default")


@pytest.fixture(scope="module")
def profile(extractor: Extractor) -> SiteProfile:
    """Three pages with the promotion in their footer."""
    found = SiteProfile()
    for number in (1, 2, 3):
        found = found.add(extractor.extract(story_page(number)))
    return found


def page_of(chances: dict[int, float], words: int = 10, model: str = "default") -> SitePage:
    """Return a page whose texts have some keys, each with its probability."""
    keys = np.array(sorted(chances), dtype=np.uint64)
    steps = np.array([round(255 * chances[int(key)]) for key in keys], dtype=np.uint8)
    return SitePage(model, keys, steps, np.full(keys.size, words, dtype=np.uint16))


def kept_of(*keys: int, words: int = 10) -> KeptTexts:
    return KeptTexts(np.arange(len(keys)), np.array(keys, dtype=np.uint64), np.full(len(keys), words))


def profile_of(*pages: SitePage, rule: SiteRule | None = None) -> SiteProfile:
    return SiteProfile(pages, rule or SiteRule())


def test_a_promotion_that_other_pages_repeat_goes_and_says_why(extractor: Extractor, profile: SiteProfile) -> None:
    page = story_page(0, promoted=True)
    before, after = extractor.extract(page), extractor.with_site(profile).extract(page)
    assert PROMOTION in before.text
    assert after.text == before.text.replace(f"{PROMOTION}\n\n", "")
    assert (before.site_repeated, after.site_repeated) == (None, 1)
    (promotion,) = [block for block in after.blocks if block.text == PROMOTION]
    assert (promotion.kept, promotion.reason) == (False, "dropped: repeated on 3 other pages of the site")
    assert [block.score for block in after.blocks] == [block.score for block in before.blocks]


def test_one_page_is_one(extractor: Extractor) -> None:
    profile = SiteProfile().add(extractor.extract(story_page(1)))
    blocks = extractor.with_site(profile).extract(story_page(0, promoted=True)).blocks
    assert [block.reason for block in blocks if block.text == PROMOTION] == [
        "dropped: repeated on 1 other page of the site"
    ]


def test_margin_has_probabilities_too() -> None:
    extractor = Extractor.load("margin")
    profile = SiteProfile().add(extractor.extract(story_page(1)))
    assert PROMOTION not in extractor.with_site(profile).extract(story_page(0, promoted=True)).text


def test_the_record_says_that_a_profile_was_used(extractor: Extractor, profile: SiteProfile) -> None:
    assert "site_repeated" not in extractor.extract(story_page(0)).to_dict()
    assert extractor.with_site(SiteProfile()).extract(story_page(0)).to_dict()["site_repeated"] == 0
    promoted = blockfeat.extract(story_page(0, promoted=True), model=extractor, site=profile)
    assert promoted.to_dict()["site_repeated"] == 1
    failed = next(iter(extractor.with_site(profile).extract_many([b"%PDF-1.7 \x00\x01"])))
    assert failed.to_dict()["site_repeated"] == 0


def test_the_page_itself_and_copies_of_it_say_nothing(extractor: Extractor) -> None:
    page = story_page(0, promoted=True)
    seen = extractor.extract(page)
    alike = extractor.extract(page.replace("News of", "Some news of").replace(SENTENCES[0], "Nothing else was said."))
    for profile in (SiteProfile().add(seen), SiteProfile().add(alike)):
        assert extractor.with_site(profile).extract(page).text == seen.text


def test_what_is_asked_for_stays(extractor: Extractor) -> None:
    page, other = story_page(0), story_page(1).replace("News of the school", "News of the bridge")
    profile = SiteProfile().add(extractor.extract(other))
    with_headline = extractor.with_options(headline=True)
    assert with_headline.with_site(profile).extract(page).text == with_headline.extract(page).text


def test_a_page_that_would_be_left_without_text_stays_as_it_was(extractor: Extractor) -> None:
    page = f"<main><p>{PROMOTION}</p></main>"
    profile = SiteProfile().add(extractor.extract(story_page(1)))
    found = extractor.with_site(profile).extract(page)
    assert (found.text, found.site_repeated) == (PROMOTION, 0)
    # Neither where only the headline would be left, which the options leave out.
    page = f"<title>A night out</title><main><h1>A night out</h1><p>{PROMOTION}</p></main>"
    plain = extractor.with_options(headline=False)
    assert plain.with_site(profile).extract(page).text == plain.extract(page).text


def test_a_profile_is_added_to_with_the_models_own_probabilities(extractor: Extractor, profile: SiteProfile) -> None:
    page = story_page(0, promoted=True)
    with_profile, without = extractor.with_site(profile).extract(page), extractor.extract(page)
    for more in (with_profile, without, without.site_page, pickle.loads(pickle.dumps(with_profile))):
        assert more is not None
        assert profile.add(more).to_bytes() == profile.add(without).to_bytes()


def test_the_last_ten_pages_stay_and_a_page_read_again_replaces_itself() -> None:
    profile = SiteProfile()
    for number in range(15):
        profile = profile.add(page_of({100 + number: 0.9, 1: 0.1}))
    assert [int(page.keys[1]) for page in profile.pages] == [100 + number for number in range(5, 15)]
    again = profile.add(page_of({107: 0.8, 1: 0.1, 2: 0.1}))
    assert [int(page.keys[-1]) for page in again.pages] == [105, 106, *range(108, 115), 107]
    assert len(again) == MOST_PAGES
    nothing = page_of({5: 0.1})
    assert len(profile_of().add(nothing).add(nothing)) == 1


def test_pages_without_text_and_failures_change_nothing(extractor: Extractor, profile: SiteProfile) -> None:
    assert profile.add(Extraction(text="", status="error")) is profile
    assert profile.add(extractor.extract("<p> </p>")) is profile


def test_a_profile_belongs_to_one_model(extractor: Extractor, profile: SiteProfile) -> None:
    other = Extractor.load("margin")
    with pytest.raises(ModelError, match="is of model 'default', not of 'margin'"):
        other.with_site(profile)
    with pytest.raises(ModelError, match="takes no page of model 'margin'"):
        profile.add(other.extract(story_page(1)))
    assert extractor.with_site(profile).with_site(None) == extractor
    assert "pages=3" in repr(extractor.with_site(profile))


def test_the_mean_probability_on_the_other_pages_decides() -> None:
    low, high = page_of({7: 0.2, 1: 0.9}), page_of({7: 0.9, 2: 0.9})
    kept = kept_of(7, 8, 9, 10, 11)
    assert profile_of(low).repeated(kept) == {0: 1}
    assert profile_of(low, high).repeated(kept) == {}
    assert profile_of(low, high, page_of({7: 0.1, 3: 0.9})).repeated(kept) == {0: 3}
    assert profile_of(low, high, rule=SiteRule(cut=0.6)).repeated(kept) == {0: 2}
    assert profile_of(low, rule=SiteRule(least_words=11)).repeated(kept) == {}


def test_near_copies_are_told_by_the_words_they_share() -> None:
    # The page has the texts 1 to 4 as content; of its copy they are content but for text 4.
    copy, other = page_of({1: 0.9, 2: 0.9, 3: 0.9, 4: 0.4}), page_of({1: 0.9, 8: 0.9, 9: 0.9, 4: 0.4})
    assert profile_of(copy).repeated(kept_of(1, 2, 3, 4)) == {}
    assert profile_of(other).repeated(kept_of(1, 2, 3, 4)) == {3: 1}
    assert profile_of(copy, other).repeated(kept_of(1, 2, 3, 4)) == {3: 1}


def test_all_is_never_dropped() -> None:
    assert profile_of(page_of({1: 0.1, 2: 0.1, 3: 0.9})).repeated(kept_of(1, 2)) == {}
    assert profile_of().repeated(kept_of(1)) == {}
    assert profile_of(page_of({1: 0.1})).repeated(kept_of()) == {}


def test_a_page_that_would_lose_more_than_half_of_its_words_stays_as_it_was() -> None:
    repeats = profile_of(page_of({1: 0.1, 2: 0.1, 3: 0.1}), page_of({1: 0.1, 2: 0.1, 3: 0.1, 8: 0.9}))
    assert set(repeats.repeated(kept_of(1, 2, 4, 5))) == {0, 1}
    assert repeats.repeated(kept_of(1, 2, 3, 4, 5)) == {}
    for_templates = SiteRule(most_lost=0.9)
    assert set(profile_of(*repeats.pages, rule=for_templates).repeated(kept_of(1, 2, 3, 4, 5))) == {0, 1, 2}


def test_texts_are_the_same_whatever_their_case_and_punctuation(extractor: Extractor) -> None:
    texts = (
        "Read more, now!",
        "READ MORE: now",
        "more read now",
        "read more now again",
        "…",
        "更多新闻",
        "更多新聞",
        "0 1",
    )
    page = "".join(f"<p>{text}</p>" for text in texts)
    blocks = extractor.measurer.measure(Page.parse(page)).blocks
    keys = text_keys(blocks.measures).tolist()
    assert keys[0] == keys[1]
    assert len({*keys}) == 7
    assert keys[blocks.texts().index("…")] == 0


def test_a_huge_page_keeps_what_is_content_most_probably(extractor: Extractor) -> None:
    page = f"<main><p>{PROMOTION}</p>" + "".join(f"<p>Line {number}" for number in range(3000))
    found = extractor.extract(page).site_page
    assert found is not None
    assert len(found) == MOST_TEXTS
    profile = profile_of(*(replace(found, keys=found.keys + np.uint64(number)) for number in range(MOST_PAGES)))
    assert len(profile.to_bytes()) <= MOST_BYTES
    assert len(SiteProfile.from_bytes(profile.to_bytes())) == MOST_PAGES


def test_a_file_gives_the_same_profile(profile: SiteProfile, extractor: Extractor, tmp_path: Path) -> None:
    path = tmp_path / "new" / "site.json"
    profile.save(path)
    read = SiteProfile.load(path)
    assert read.to_bytes() == profile.to_bytes() == path.read_bytes()
    page = story_page(0, promoted=True)
    assert extractor.with_site(read).extract(page).text == extractor.with_site(profile).extract(page).text
    assert PROMOTION.encode() not in path.read_bytes()


def _changed(**values: Any) -> bytes:
    page = {"keys": "AQAAAAAAAAA=", "chances": "AA==", "words": "AQA="}
    document: dict[str, Any] = {"kind": "site profile", "schema": 1, "model": "default", "pages": [page]}
    page.update({name: value for name, value in values.items() if name in page})
    return json.dumps({**document, **{name: value for name, value in values.items() if name not in page}}).encode()


def test_the_smallest_file_is_read() -> None:
    assert len(SiteProfile.from_bytes(_changed())) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no site profile"),
        (b"PK\x03\x04", "no site profile"),
        (b"[" * 60_000, "no site profile"),
        (b"{}", "does not say that it is one"),
        (b" " * (MOST_BYTES + 1), "larger than 64 KB"),
        (_changed(schema=2), "schema 2, where this version reads 1"),
        (_changed(model=None), "'model' must be a name"),
        (_changed(pages={}), "must be a list"),
        (_changed(pages=[{}] * 11), "must be a list of at most 10"),
        (_changed(pages=[7]), "damaged"),
        (_changed(keys=None), "damaged"),
        (_changed(keys="%%%"), "damaged"),
        (_changed(keys="AAAA"), "damaged"),
        (_changed(chances="AAA="), "arrays of one length"),
        (_changed(keys="AQAAAAAAAAABAAAAAAAAAA==", chances="AAA=", words="AQABAA=="), "must ascend"),
    ],
)
def test_a_bad_file_is_named(data: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"bad\.json: .*") as raised:
        SiteProfile.load(path)
    assert reason in str(raised.value)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json: cannot be read"):
        SiteProfile.load(tmp_path / "absent.json")


@given(st.binary(max_size=200), st.integers(0, 10**6))
def test_damage_is_an_error_and_nothing_else(noise: bytes, place: int) -> None:
    data = bytearray(_changed())
    place %= len(data)
    data[place : place + len(noise)] = noise
    try:
        SiteProfile.from_bytes(bytes(data))
    except InputError:
        return


_PAGES = st.lists(st.dictionaries(st.integers(1, 30), st.floats(0, 1), min_size=1, max_size=12), max_size=14)


@given(_PAGES, st.lists(st.integers(1, 40), max_size=12))
def test_whatever_the_pages_something_stays_and_files_keep_all(pages: list[dict[int, float]], keys: list[int]) -> None:
    profile = SiteProfile()
    for chances in pages:
        before = profile.pages
        profile = profile.add(page_of(chances))
        assert profile.pages[:-1] == tuple(page for page in before if page in profile.pages)
    assert len(profile) <= MOST_PAGES
    kept = kept_of(*keys)
    repeated = profile.repeated(kept)
    assert len(repeated) < max(len(keys), 1)
    assert all(1 <= count <= len(profile) for count in repeated.values())
    assert SiteProfile.from_bytes(profile.to_bytes()).repeated(kept) == repeated
