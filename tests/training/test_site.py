"""Rules learnt from labelled pages of a site: what they gain, what is not learnt, and what the command says."""

from dataclasses import replace
from pathlib import Path

import pytest

from blockfeat.data.corpus import LabelledPage, write_corpus
from blockfeat.errors import ModelError, TrainingError
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.store import load_model
from blockfeat.training.site import FEWEST_PAGES, train_site_rules
from command_line import Called, call
from labelled_site_pages import ferry_pages as pages
from labelled_site_pages import prose

_ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("tips", "where"), [("<div class=tips><p>", ".tips"), ("<div>", "/html/body/main/div")])
def test_what_is_never_content_on_a_site_is_dropped_on_its_other_pages(tips: str, where: str) -> None:
    labelled = [replace(page, html=page.html.replace("<div class=tips><p>", tips)) for page in pages(12)]
    model, [report] = train_site_rules(labelled[:8])
    assert ("drop", where) in [rule[:2] for rule in model.rules("ferries.example")]
    assert report.before < 0.7 < 0.99 < report.after
    html, text = labelled[-1].html, labelled[-1].text or ""
    assert Extractor.of(model).extract(html).text == text
    assert len(Extractor.load().extract(html).text) > 2 * len(text)


def test_where_unseen_pages_do_not_gain_nothing_is_learnt() -> None:
    model, [report] = train_site_rules([*pages(8, tips=False), *pages(FEWEST_PAGES - 1, host="small.example")])
    assert (model.sites, report.host, report.before) == ({}, "ferries.example", report.after)


def test_pages_whose_gold_is_not_theirs_are_left_out_by_name() -> None:
    wrong = LabelledPage(id="w", html="<p>Something else.", text=prose(70), url="https://ferries.example/w")
    _, [report] = train_site_rules([*pages(6), wrong])
    assert (report.pages, report.skipped) == (6, ("w: only 0% of its gold text is found on it",))
    with pytest.raises(TrainingError, match="no site has 5 labelled pages"):
        train_site_rules(pages(4))
    with pytest.raises(ModelError, match=r"stand on a bundled model, not on 'mine\.json'"):
        train_site_rules(pages(8), base="mine.json")


def test_the_command_shows_each_rule_and_its_gain(tmp_path: Path) -> None:
    write_corpus(pages(8), own := tmp_path / "own.jsonl")
    words = ["train", "--from", "default", "--corpus", own, "--quiet", "-o"]

    def blockfeat(*more: str) -> Called:
        return call(*words, *more, folder=tmp_path, environment={"PYTHONPATH": str(_ROOT), "HOME": str(tmp_path)})

    done = blockfeat("site.json")
    assert (done.returncode, done.stderr, "ferries.example: drop .tips: " in done.stdout) == (0, "", True)
    assert load_model(tmp_path / "site.json").record["blockfeat"]
    refused = blockfeat("site.json", "--kind", "margin")
    assert (refused.returncode, "rules of sites have no --kind" in refused.stderr) == (2, True)
    write_corpus(pages(8, tips=False), own)
    nothing = blockfeat("none.json")
    assert (nothing.returncode, (tmp_path / "none.json").exists()) == (0, False)
    assert "no site gains: default stays as it is" in nothing.stdout
