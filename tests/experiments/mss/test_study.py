"""The experiments of maximum subsequence segmentation, on a few pages made here."""

import pytest

from blockfeat.data.corpus import LabelledPage, write_corpus
from blockfeat.papers.mss.model import TokenModel
from experiments.corpora import NEWS, Corpora
from experiments.mss.cleaneval import System, is_article, page_scores, tuned
from experiments.mss.counts import FOLDS, LEAST_PAGES, count_pages, folds_and_sites
from experiments.mss.decoders import decoder_table
from experiments.mss.sites import adapted_scores, site_tables
from experiments.mss.sources import sources_table
from experiments.mss.study import Study
from experiments.mss.systems import BUNDLED, LONGEST, PAPER, bundled_classifier, simple_model
from experiments.mss.tables import penalty_table, system_table
from pages import GOLD, PARAGRAPHS, SENTENCES, article_page


def pages(count: int, hosts: int, corpus: str = "fundus") -> list[LabelledPage]:
    html = article_page()

    def page(number: int) -> LabelledPage:
        url = f"https://{corpus}{number % hosts}.org/"
        return LabelledPage(f"{corpus}{number}", html, GOLD, "en", url, title="Lights", corpus=corpus)

    return [page(number) for number in range(count)]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Twelve small sites in one corpus, and a large one in another; the other corpora have one page each."""
    folder = tmp_path_factory.mktemp("corpora")
    for name in NEWS:
        count, hosts = {"fundus": (24, 12), "daniel": (LEAST_PAGES, 1)}.get(name, (1, 1))
        write_corpus(pages(count, hosts, name), folder / f"{name}.jsonl.xz")
    return Study(Corpora(folder, 2))


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]


def test_large_sites_are_a_fold_of_their_own() -> None:
    found = pages(12, 12) + pages(LEAST_PAGES, 1, "daniel")
    folds, sites = folds_and_sites(found)
    assert list(sites) == ["daniel0.org"]
    assert {folds[page.corpus, page.id] for page in found[:12]} == set(range(FOLDS))
    assert {folds[page.corpus, page.id] for page in found[12:]} == {FOLDS}


def test_what_is_left_out_is_not_counted() -> None:
    found = pages(24, 12)
    counts = count_pages(found, folds_and_sites(found)[0]).bundled
    whole = counts.trained()[1].inside
    without = [counts.trained(fold)[1].inside for fold in range(FOLDS)]
    assert sum(whole - part for part in without) == whole
    assert sum(counts.pages() - counts.pages(fold) for fold in range(FOLDS)) == counts.pages() == 24


def test_runs_with_many_tags_are_left_out_of_the_papers_counts() -> None:
    text = " ".join(SENTENCES)
    linked = "<p>" + "".join(f"<i>{word}</i> " for word in text.split()) + "</p>"
    found = [*pages(3, 3), LabelledPage("linked", linked, text, "en", "https://linked.org/", corpus="fundus")]
    counts = count_pages(found, folds_and_sites(found)[0])
    assert (counts.labelled, counts.filtered) == (4, 1)
    assert (counts.paper.pages(), counts.unigrams.pages(), counts.bundled.pages()) == (3, 3, 4)


def test_every_system_has_a_row(study: Study) -> None:
    found = {(corpus, system): cells for corpus, system, *cells in rows(system_table(study))}
    assert {system for corpus, system in found if corpus == "fundus"} >= {LONGEST, PAPER, BUNDLED, f"{BUNDLED}, HR"}
    pages_of_row, _, _, short, best = found["fundus", BUNDLED]
    assert (pages_of_row, found["daniel", BUNDLED][0]) == ("12", str(LEAST_PAGES // 2))
    assert float(best) >= float(short) > 0.9
    assert (found["fundus", LONGEST][3], found["fundus", "0.000"][-2]) == (
        "0.000",
        short,
    )  # no such element; side by side


def test_penalties_sources_and_decoders_are_compared(study: Study) -> None:
    header, _, *found = rows(penalty_table(study))
    assert (header[0], "-3.25" in header) == ("corpus", True)
    assert {row[0] for row in found} == {*NEWS, "mean of the corpora"}
    assert all(" to " in row[-1] or row[-1].startswith("-") for row in found)
    found = rows(sources_table(study))[2:]
    counts = [int(row[1]) for row in found]
    assert counts == sorted(counts)
    assert float(found[-1][2]) > 0.9
    found = rows(decoder_table(study))[2:]
    assert len(found) == 13
    assert all(0 <= float(cell) <= 1 for row in found for cell in row[1:])


def test_sites_with_enough_pages_have_a_table(study: Study) -> None:
    text = site_tables(study)
    assert f"Pages: daniel0.org {LEAST_PAGES}." in text
    header, _, *found = rows(text.split("Precision:")[0])
    assert header == ["system", "daniel0.org", "mean of sites", "all pages"]
    f1 = {name: cells for name, *cells in found}
    assert {"semi-supervised, one site, from: paper", "semi-supervised, all sites, from: bundled"} <= set(f1)
    assert float(f1[BUNDLED][0]) == float(f1[BUNDLED][-1]) > 0.9


def test_a_classifier_that_finds_nothing_is_not_adapted(study: Study) -> None:
    classifier = bundled_classifier(study.counts.bundled.trained())
    assert adapted_scores(classifier, [LabelledPage("1", "", "text")], "adapted") == []


HTML = "<body><p>" + "word " * 20 + "</p><ul><li>two words</li></ul><p>" + "more " * 12 + "</p></body>"
SHORT = LabelledPage("1", HTML, "word " * 20)
LONG = LabelledPage("2", HTML, "word " * 20 + "two words " + "more " * 12)


def test_values_are_tuned_on_development_pages() -> None:
    system = System("simple", simple_model, (1.0, 3.25))
    assert (tuned(system, [SHORT]), tuned(system, [LONG])) == (3.25, 1.0)
    assert tuned(System("fixed", lambda value: TokenModel("no", "no such"), (0.5,)), [SHORT]) == 0.5


def test_scores_on_cleaneval() -> None:
    text_only, aligned, precision, recall, f1 = page_scores(simple_model(3.25), LONG)
    assert (text_only, precision) == (pytest.approx(20 / 34), 1.0)
    assert aligned == f1 == pytest.approx(40 / 54)
    assert recall == pytest.approx(20 / 34)


def test_articles_are_long_contiguous_prose() -> None:
    gold = "\n\n".join(PARAGRAPHS)
    whole = "<nav><p>Some other words stand here</p></nav>" + "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
    clutter = "<ul>" + "<li>Sundry tidings</li>" * 9 + "</ul>"
    apart = f"<p>{PARAGRAPHS[0]}</p>{clutter}" + clutter.join(f"<p>{text}</p>" for text in PARAGRAPHS[1:])
    assert is_article(LabelledPage("1", whole, gold))
    assert not is_article(LabelledPage("2", apart, gold))
    assert not is_article(LabelledPage("3", whole, PARAGRAPHS[0]))  # too short
