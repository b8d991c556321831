"""Crunch as a model of blocks."""

import re
import time
from dataclasses import replace

import pytest
from hypothesis import given
from lxml import etree

from blockfeat import Extraction, Extractor, ModelError, NotHTML
from blockfeat.data import demo_pages
from blockfeat.models.store import load_model, model_from_bytes, model_to_bytes
from blockfeat.page.page import Page
from blockfeat.papers.crunch.clean import decide
from blockfeat.papers.crunch.decision import host_list, take_out
from blockfeat.papers.crunch.model import CrunchModel
from blockfeat.papers.crunch.settings import Advertisements, CleanSettings, EmptyTables, Filters, HostListFile
from hostile import CLASSES, hostile_pages
from property_examples import examples
from random_pages import PAGES

WORDS = "The lantern makers of the valley meet every autumn at the old mill, and many guests come."
PAPER = Extractor.of(CrunchModel())


def _reasons(page: str, settings: CleanSettings | None = None) -> dict[str, str]:
    """Return the model's own reasons, before the facts of the page are appended."""
    extractor = PAPER if settings is None else Extractor.of(CrunchModel(settings))
    measured = extractor.measurer.measure(Page.parse(page))
    reasons = extractor.model.explain(measured, extractor.model.predict(measured))
    return {measured.blocks.text(block): reason.reason for block, reason in enumerate(reasons)}


def _letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_what_the_filters_take_is_dropped_with_the_count_that_decided() -> None:
    page = (
        "<table><tr><td><a href=1>one</a> <a href=2>two</a> now<td><p>" + WORDS + "</table><table><tr><td>x</table>"
        "<nav><a href=1>Home</a> <a href=2>News</a></nav>"
        "<p><a href=https://ad.doubleclick.net/c>Buy a lantern</a></p><p>" + WORDS + " Again."
    )
    assert _reasons(page) == {
        "one two now": "dropped: in a table cell that is mostly links: 2 links for 0.6 words outside of links "
        "(at most 0.25 a word)",
        WORDS: "kept: no filter takes it out; the table cell around it has 0 links for 14 words outside of links",
        "x": "dropped: in an empty table: 1 letter (at least 5)",
        "Home News": "dropped: in a nav element that is mostly links: 2 links for 0 words outside of links "
        "(at most 0.25 a word)",
        "Buy a lantern": "dropped: it belongs to an advertisement, by the host that its a element refers to",
        f"{WORDS} Again.": "kept: no filter takes it out",
    }


@pytest.mark.parametrize(
    ("filters", "inner", "reason"),
    [
        (Filters(text_links=True), f"<p>{WORDS}<p><a href=x>{WORDS} Once more.</a> So", "most of its text is links"),
        (Filters(forms=True), f"<p>{WORDS}<form><p>Your name</form>", "in a form"),
        (Filters(), f"<p>{WORDS}<object><p>No film</object>", "in an embedded object"),
    ],
)
def test_each_filter_has_its_words(filters: Filters, inner: str, reason: str) -> None:
    first, *others = _reasons(inner, CleanSettings(filters=filters)).values()
    assert first.startswith("kept")
    assert all(other.startswith(f"dropped: {reason}") for other in others)


def test_a_block_stays_where_more_than_half_of_it_does() -> None:
    without_links = Extractor.of(CrunchModel(CleanSettings(filters=Filters(text_links=True))))
    most, least = without_links.extract("<p>four and four <a href=x>link</a><p>four <a href=x>link and link</a>").blocks
    assert (most.kept, least.kept) == (True, False)
    assert most.reason.startswith("kept: 73% of its text stays")
    assert most.features["share_left"] == pytest.approx(11 / 15)


@pytest.mark.parametrize("page", ["", " ", "<p>", "<title>only", "<script>a()</script>"])
def test_pages_without_text(page: str) -> None:
    found = PAPER.extract(page)
    assert [block.kept for block in found.blocks] == ([True] if "only" in page else [])
    assert found.status == ("ok" if "only" in page else "empty")


def _cleaned(page: str) -> str:
    root = Page.parse(page).tree
    if root is None:
        return ""
    take_out(decide(root, CleanSettings(), host_list(Advertisements())))
    body = root.find("body")
    return "" if body is None else _letters("".join(map(str, body.itertext(etree.Element))))


def _assert_as_cleaned(page: str, found: Extraction) -> None:
    """Check that the words of blocks that are kept whole stand in the cleaned page, in order."""
    cleaned, place = _cleaned(page), 0
    for block in found.blocks:
        if block.features["share_left"] == 1:
            # Word by word: cleaning may leave the label of a button between them, which is no text of a block.
            for word in block.text.split():
                place = cleaned.find(word, place)
                assert place >= 0, block
                place += len(word)


@given(PAGES)
@examples(60)
def test_kept_blocks_are_what_cleaning_leaves(page: str) -> None:
    _assert_as_cleaned(page, Extractor(PAPER.model, PAPER.measurer).extract(page))


@pytest.mark.parametrize("page", demo_pages()[::9], ids=lambda page: page.id)
def test_kept_blocks_are_what_cleaning_leaves_of_whole_pages(page: object) -> None:
    html = page.html  # type: ignore[attr-defined]
    found = PAPER.extract(html)
    assert any(block.kept for block in found.blocks)
    assert not all(block.kept for block in found.blocks)
    _assert_as_cleaned(html, found)


def test_the_page_itself_stays_as_it_is() -> None:
    page = Page.parse(f"<p style=a:b onclick=x()>{WORDS}<nav><a href=1>a</a><a href=2>b</a></nav>")
    before = etree.tostring(page.tree)
    PAPER.model.predict(PAPER.measurer.measure(page))
    assert etree.tostring(page.tree) == before


def test_favouring_moves_the_ratios() -> None:
    page = "<div>" + "<a href=x>link</a> " * 4 + "word " * 20 + "</div>"
    for side, kept in (("recall", True), ("precision", False)):
        assert Extractor.of(CrunchModel().favouring(side)).extract(page).blocks[0].kept is kept


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"link_lists": {"ratio": "much"}}, r"own\.json: 'settings.link_lists.ratio' must be a number, not 'much'"),
        ({"link_lists": {"ratios": 1}}, r"own\.json: settings.link_lists: unknown key 'ratios'"),
        ({"link_lists": {"ratio": 2e9}}, r"ratio' must be at least 0 and at most 1,000,000,000, not 2,000,000,000"),
        ({"empty_tables": {"least_characters": True}}, r"least_characters' must be an integer, not True"),
        (None, "missing or wrong value: 'settings'"),
    ],
)
def test_the_file_holds_all_settings_and_names_what_is_wrong(settings: object, reason: str) -> None:
    model = CrunchModel(replace(CleanSettings(), empty_tables=EmptyTables(least_characters=7)), name="own")
    assert model_from_bytes(model_to_bytes(model), where="copy", read=lambda name: b"") == model
    document, arrays = model.to_document()
    del document["settings"]
    with pytest.raises(ModelError, match=reason):
        CrunchModel.from_document(document | ({"settings": settings} if settings else {}), arrays, where="own.json")


def test_lists_of_hosts_are_not_kept_in_a_file() -> None:
    with pytest.raises(ModelError, match="bundled list of hosts only"):
        CrunchModel(CleanSettings(advertisements=Advertisements(lists=(HostListFile("hosts.txt"),))))


def test_the_paper_is_bundled() -> None:
    paper, tuned = load_model("crunch2003"), load_model("crunch")
    assert isinstance(paper, CrunchModel)
    assert isinstance(tuned, CrunchModel)
    assert paper.settings == CleanSettings() != tuned.settings


def test_a_page_of_another_measurer_is_refused() -> None:
    measured = Extractor.load("thresholds").measurer.measure(Page.parse("<p>word"))
    with pytest.raises(ModelError, match="its own measurer"):
        CrunchModel().predict(measured)


def test_hostile_pages() -> None:
    model, measurer = PAPER.model, PAPER.measurer
    for _, _, data in hostile_pages((3_000,)):
        try:
            page = Page.parse(data)
        except NotHTML:
            continue
        measured = measurer.measure(page)
        prediction = model.predict(measured)
        reasons = model.explain(measured, prediction)
        assert len(reasons) == len(prediction.kept) == len(measured.blocks)
        assert all(reason.reason.startswith(("kept", "dropped")) for reason in reasons)


def test_time_grows_with_size() -> None:
    """Also where tables are nested, which took the paper's program quadratic time."""
    for name in ("nested tables", "unclosed div with text"):
        times = [_least_time(CLASSES[name](size)) for size in (20_000, 80_000)]
        assert times[1] <= 12 * max(times[0], 0.02), name


def _least_time(data: bytes) -> float:
    measured, taken = PAPER.measurer.measure(Page.parse(data)), []
    for _ in range(3):
        start = time.process_time()
        PAPER.model.predict(measured)
        taken.append(time.process_time() - start)
    return min(taken)
