"""Rules of sites: the places that they name, what they decide, and their files."""

import json
from pathlib import Path

import numpy as np
import pytest

from blockfeat.errors import ModelError
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.site import SiteModel, SiteRule, SiteRules, blocks_at, places_of, with_rules
from blockfeat.models.store import load_model, save_model
from command_line import call

_PROSE = "The ferry leaves the harbour at nine in the morning, and it returns before the town is dark again. " * 3
_PAGE = (
    "<html><head><title>Ferries of the north</title></head><body><div class='top bar'>Menu</div><main id=story-1234>"
    f"<h1>Ferries of the north</h1><p class='lead x2024'>{_PROSE}</p><p>{_PROSE}</p>"
    f"<div class=tips><p>{_PROSE}</p><p>More of it</p></div></main></body></html>"
)
_DROP, _KEEP = SiteRule("drop", ".tips", "none of its 90 words was content"), SiteRule("keep", "headline")


def site(*rules: SiteRule, host: str = "ferries.example") -> Extractor:
    return Extractor.of(SiteModel(load_model(), {host: SiteRules(rules)}))


def test_places_have_names_that_hold_on_other_pages_too() -> None:
    analysis = Extractor.load().extract(_PAGE).analysis
    assert analysis is not None
    places = places_of(analysis.measured.blocks, 1)
    wanted = {".top", ".bar", "#story-N", ".lead", ".xN", "p.lead", "<h1>", '"more of it"', "headline"}
    assert wanted <= places.keys()
    assert places["/html/body/main/div/p"].tolist() == places[".tips"].tolist() == [4, 5]
    assert [blocks_at(places, 6, f"{side} .lead").tolist() for side in ("after", "before")] == [[2, 3, 4, 5], [0, 1, 2]]  # type: ignore[union-attr]
    assert blocks_at(places, 6, ".gone") is None
    for where, found in places.items():
        some = places_of(analysis.measured.blocks, 1, [f"after {where}", ".gone"])
        assert (some[where].tolist(), ".gone" in some) == (found.tolist(), False), where


def test_rules_are_applied_one_after_the_other_and_never_leave_nothing() -> None:
    places, kept = {".a": np.array([0, 1]), ".b": np.array([1])}, np.array([True, True, False])
    rules = [SiteRule("drop", ".a"), SiteRule("keep", ".b", "it was content")]
    changed, reasons = with_rules(kept, places, rules)
    assert changed.tolist() == [False, True, False]
    assert reasons == {0: "dropped: a rule of the site, drop .a"}
    assert with_rules(kept, places, [*rules, SiteRule("drop", ".b")]) == (kept, {})


@pytest.mark.parametrize(
    ("url", "applies"), [("https://www.ferries.example/a", True), (None, True), ("https://other.example/a", False)]
)
def test_a_rule_holds_on_its_site(url: str | None, applies: bool) -> None:
    found = site(_DROP, _KEEP).extract(_PAGE, url=url)
    assert (found.text.count("The ferry leaves"), "Ferries of the north\n" in found.text) == (
        6 if applies else 9,
        applies,
    )
    reason = "dropped: a rule of the site, drop .tips (none of its 90 words was content)"
    assert (found.blocks[4].reason.startswith(reason)) == applies
    assert (found.to_markdown().count("The ferry leaves") == 6) == applies


def test_a_page_without_any_of_the_places_says_so_and_rules_can_be_left_out() -> None:
    found = site(SiteRule("drop", ".gone")).extract(_PAGE)
    assert found.text == Extractor.load().extract(_PAGE).text
    assert "may have been redesigned" in found.warnings[-1]
    assert site(_DROP).with_options(rules=False).extract(_PAGE).text.count("The ferry leaves") == 9
    assert site(_DROP).extract("").text == ""


@pytest.mark.parametrize(
    ("do", "where", "kept"),
    [
        ("drop", "css main > .tips", 6),
        ("only", "css .tips, aside", 3),
        ("keep", "css .tips > p", 9),
        ("drop", "before css .lead", 6),
        ("drop", "css .gone", 9),
        ("only", "css .gone", 9),
    ],
)
def test_a_place_may_be_a_selector(do: str, where: str, kept: int) -> None:
    found = site(SiteRule(do, where)).extract(_PAGE)
    assert found.text.count("The ferry leaves") == kept
    assert ("may have been redesigned" in " ".join(found.warnings)) == (".gone" in where)


def test_a_batch_says_of_each_site_once_that_it_may_have_been_redesigned(tmp_path: Path) -> None:
    sites = {f"{name}.example": SiteRules((SiteRule("drop", ".gone"),)) for name in "ab"}
    save_model(SiteModel(load_model(), sites), tmp_path / "site.json")
    urls = [f"https://{name}.example/{number}" for number in range(3) for name in "abc"]
    lines = (json.dumps({"id": url, "url": url, "html": _PAGE}) + "\n" for url in urls)
    (tmp_path / "pages.jsonl").write_text("".join(lines), encoding="utf-8")
    words = ("extract", "pages.jsonl", "--model", "site.json", "--jobs")
    for jobs in "12":
        told = [line for line in call(*words, jobs, folder=tmp_path).stderr.splitlines() if "redesigned" in line]
        assert [line.partition(": the page")[0] for line in told] == ["blockfeat: a.example", "blockfeat: b.example"]
    assert call(*words, "1", "--quiet", folder=tmp_path).stderr == ""


def test_a_model_of_rules_is_a_file_that_a_person_edits(tmp_path: Path) -> None:
    path = tmp_path / "site.json"
    save_model(SiteModel(load_model("margin"), {"a.example": SiteRules((_DROP,), {"pages": 7})}), path)
    document = json.loads(path.read_text())
    document["sites"]["a.example"]["rules"][0] = {"do": "keep", "where": "#story-N"}
    path.write_text(json.dumps(document))
    model = load_model(path)
    assert isinstance(model, SiteModel)
    assert (model.kind, model.base.name) == ("margin", "margin")
    assert model.rules("a.example") == (SiteRule("keep", "#story-N"),)
    assert model.rules("b.example") == ()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"from": "missing"}, "'from' names no bundled model: 'missing'"),
        ({"schema": 2}, "schema 2 is not 1"),
        ({"sites": {"a": {"rules": [{"do": "hide", "where": ".a"}]}}}, "keeps or drops a place, not 'hide' '.a'"),
        ({"sites": {"a": {"rules": [{"do": "drop", "where": ""}]}}}, "keeps or drops a place"),
        ({"sites": {"a": {"rules": [{"do": "drop"}]}}}, "missing or wrong value"),
        ({"sites": {"a": {"rules": [{"do": "drop", "where": "css p::x"}]}}}, "not a CSS selector"),
        ({"sites": {"a": []}}, "missing or wrong value"),
        ({"sites": [1]}, "missing or wrong value"),
    ],
)
def test_a_bad_file_of_rules_is_refused_by_name(tmp_path: Path, change: dict[str, object], reason: str) -> None:
    document = {"kind": "site", "schema": 1, "name": "a", "from": "default", "sites": {}, **change}
    (path := tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(ModelError, match=f"bad.json: .*{reason}"):
        load_model(path)
