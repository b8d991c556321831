"""The extractor, from pages to extractions."""

import pickle
from dataclasses import replace

import pytest

import blockfeat
from blockfeat import Extractor
from blockfeat.errors import InputTypeError, LanguageError, LimitExceeded, ModelError, NotHTML
from blockfeat.models.store import bundled_models
from blockfeat.page.document import Document
from pages import BRAND, SENTENCES, article_page


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return Extractor.load("thresholds")


@pytest.mark.parametrize("name", ["default", "thresholds", "ziegler2007"])
def test_the_article_stays_and_the_teasers_go(name: str) -> None:
    text = Extractor.load(name).extract(article_page()).text
    assert all(sentence in text for sentence in SENTENCES)
    assert BRAND not in text or name == "ziegler2007"


def test_the_public_call() -> None:
    found = blockfeat.extract(article_page().encode(), url="https://harbour.example/a")
    assert (found.lang, found.url) == ("en", "https://harbour.example/a")
    assert (found.title, found.status) == ("Lighthouse to be repaired", "ok")
    assert "\n\n" in found.text


@pytest.mark.parametrize("html", ["", "   ", b"", "<html></html>", "<script>x</script>"])
def test_a_page_without_text_is_empty(extractor: Extractor, html: str | bytes) -> None:
    found = extractor.extract(html)
    assert ((found.text, found.status, found.error), found.blocks) == (("", "empty", None), ())


def test_the_text_is_that_of_the_kept_blocks(extractor: Extractor) -> None:
    found = extractor.extract(article_page())
    assert found.text == "\n\n".join(block.text for block in found.blocks if block.kept)


def test_the_conjunction_drops_what_fails(extractor: Extractor) -> None:
    found = extractor.with_options(decoder="conjunction").extract(article_page())
    assert all(block.kept is (not block.failed) for block in found.blocks)


def test_the_best_run_is_contiguous(extractor: Extractor) -> None:
    kept = [block.index for block in extractor.with_options(decoder="mss").extract(article_page()).blocks if block.kept]
    assert kept == list(range(kept[0], kept[-1] + 1))


def test_options_make_a_copy(extractor: Extractor) -> None:
    changed = extractor.with_options(decoder="conjunction", runs=3, max_bytes=10)
    assert (changed.model.decoder.runs, extractor.model.decoder.runs) == (3, 1)
    with pytest.raises(LimitExceeded):
        changed.extract(b"<p>more than ten bytes")
    with pytest.raises(ModelError, match="magic"):
        extractor.with_options(decoder="magic")


def test_what_cannot_be_taken_is_told(extractor: Extractor) -> None:
    with pytest.raises(NotHTML, match="PDF"):
        extractor.extract(b"%PDF-1.7 ...")
    with pytest.raises(InputTypeError, match="int"):
        extractor.extract(7)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="klingonisch"):
        extractor.extract("<p>x", lang="klingonisch")


def test_many_pages_in_order_and_alike_over_processes(extractor: Extractor) -> None:
    pages: list[str | bytes | Document] = [article_page(number % 5 + 1) for number in range(40)]
    pages[7] = b"%PDF-1.7"
    pages[9] = Document(id="lost", data=None, error="lost: gone")
    alone = list(extractor.extract_many(pages))
    together = list(extractor.extract_many(pages, jobs=2))
    assert [found.to_dict() for found in alone] == [found.to_dict() for found in together]
    assert alone[7].status == "error"
    assert "PDF" in str(alone[7].error)
    assert (alone[9].error, together[3].blocks) == ("lost: gone", alone[3].blocks)


def test_what_another_process_did_not_pass_on_is_made_once(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    (found,) = extractor.extract_many([article_page()], jobs=2, deadline=60)
    alone = extractor.extract(article_page())
    again = []
    extract_document = Extractor.extract_document
    monkeypatch.setattr(
        Extractor, "extract_document", lambda self, document: again.append(document) or extract_document(self, document)
    )
    assert (found.text, again) == (alone.text, [])
    assert found.blocks == alone.blocks
    assert (found.metadata, found.facts, found.to_markdown()) == (alone.metadata, alone.facts, alone.to_markdown())
    assert found.to_page() == alone.to_page()
    assert len(again) == 1


@pytest.mark.parametrize("model", bundled_models())
def test_an_extraction_is_pickled_with_all_that_it_can_say(model: str) -> None:
    found = Extractor.load(model).extract(article_page(), url="https://a.example/")
    copy = pickle.loads(pickle.dumps(found))
    assert (copy.blocks, copy.to_dict(evidence=True)) == (found.blocks, found.to_dict(evidence=True))
    assert (copy.to_markdown(), copy.to_page()) == (found.to_markdown(), found.to_page())
    assert len(pickle.dumps(found.without_evidence())) < 20_000


def test_to_dict_holds_the_blocks_on_request(extractor: Extractor) -> None:
    found = extractor.extract(article_page(), id="a")
    assert "blocks" not in found.to_dict()
    document = found.to_dict(evidence=True)
    assert (document["id"], len(document["blocks"])) == ("a", len(found.blocks))


def test_a_page_in_another_language_than_the_models_is_told() -> None:
    model = replace(Extractor.load("thresholds").model, languages=("de", "fr"))
    found = Extractor.of(model).extract(article_page())
    assert SENTENCES[0] in found.text
    assert found.lang == "en"
    assert any("de, fr" in warning for warning in found.warnings)
