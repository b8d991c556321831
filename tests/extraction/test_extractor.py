"""The extractor, from pages to extractions."""

import asyncio
import multiprocessing
import pickle
from collections.abc import AsyncIterator, Iterator
from copy import copy, deepcopy
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

import blockfeat
from blockfeat import Extraction, Extractor
from blockfeat.errors import InputTypeError, LanguageError, LimitExceeded, ModelError, NotHTML, PageNotKept
from blockfeat.extraction.extractor import PackedPage
from blockfeat.models.store import bundled_models
from blockfeat.page.document import Document
from cases import CASES
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
        extractor.with_options(decoder="magic")  # type: ignore[arg-type]
    recall = changed.with_options(favour="recall")
    assert recall.with_options(favour="recall").model == recall.model
    assert recall.with_options(favour="precision").with_options(favour="recall", runs=3).model == recall.model


def test_what_cannot_be_taken_is_told(extractor: Extractor) -> None:
    with pytest.raises(NotHTML, match="PDF"):
        extractor.extract(b"%PDF-1.7 ...")
    with pytest.raises(InputTypeError, match="int"):
        extractor.extract(7)  # type: ignore[arg-type]
    with pytest.raises(LanguageError, match="klingonisch"):
        extractor.extract("<p>x", lang="klingonisch")
    for jobs in (0, 257, 10**6, 1.5, True):
        with pytest.raises(InputTypeError, match=f"from 1 to 256, not {jobs!r}"):
            extractor.extract_many([], jobs=jobs)  # type: ignore[arg-type]


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
def test_a_pickled_extraction_is_its_text_and_facts_and_the_page_where_that_is_kept(model: str) -> None:
    extractor = Extractor.load(model)
    found = extractor.extract(article_page(), url="https://a.example/")
    once, again = (pickle.loads(pickle.dumps(one)) for one in (found, pickle.loads(pickle.dumps(found))))
    assert once == again == found
    assert (again.to_dict(), again.roles, again.kind) == (found.to_dict(), found.roles, found.kind)
    assert len(pickle.dumps(found)) < len(found.text) + 20_000
    for ask in (Extraction.to_markdown, Extraction.to_page, Extraction.evidence, lambda one: one.blocks):
        with pytest.raises(PageNotKept, match='keep="page"'):
            ask(again)
    kept = pickle.loads(pickle.dumps(extractor.with_options(keep="page").extract(article_page(), url=found.url)))
    assert (kept.to_markdown(), kept.to_page()) == (found.to_markdown(), found.to_page())
    assert kept.to_dict(evidence=True) == found.to_dict(evidence=True)
    # Blocks that were asked for go along.
    assert pickle.loads(pickle.dumps(found)).to_dict(evidence=True) == found.to_dict(evidence=True)
    assert deepcopy(found).to_markdown() == copy(found).to_markdown() == found.to_markdown()


def test_a_page_that_was_kept_needs_its_model_and_its_text(extractor: Extractor) -> None:
    kept = extractor.with_options(keep="page", favour="recall").extract(article_page())
    own = replace(extractor, model=replace(extractor.model, name="own")).with_options(keep="page")
    stranger = pickle.loads(pickle.dumps(own.extract(article_page())))
    assert pickle.loads(pickle.dumps(kept)).blocks == kept.blocks
    with pytest.raises(ModelError, match="no bundled model is called 'own'"):
        stranger.to_html()
    kept.source.text = "another"  # As another release would find.
    with pytest.raises(ModelError, match="'thresholds' gives another text by now"):
        pickle.loads(pickle.dumps(kept)).to_html()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_list_of_results_holds_few_measured_pages(extractor: Extractor, jobs: int) -> None:
    pages = [article_page(number % 5 + 1) for number in range(30)]
    pages[3] = pages[3].replace("</article>", f"<!--{'ab' * 150_000}\0 \0007 {' ' * 99}\udc80--></article>")
    pages[4] = pages[4].replace("</article>", f"<script>{list(range(9_999))}</script></article>")
    listed = list(extractor.extract_many(pages, jobs=jobs))
    assert sum(isinstance(found.source.page, PackedPage) for found in listed) >= 20
    for found, page in zip(listed, pages, strict=True):
        fresh = extractor.extract(page)
        assert (found.blocks, found.facts, found.to_markdown()) == (fresh.blocks, fresh.facts, fresh.to_markdown())
    assert sum(found.source.analysis is not None for found in listed) <= 8
    assert len(listed[4].source.packed().data) < 3_000  # Nothing is read of the script.


def test_results_are_yielded_to_an_event_loop_that_goes_on_meanwhile(extractor: Extractor) -> None:
    taken = []

    def pages() -> Iterator[str]:
        for number in count():
            taken.append(number)
            yield article_page(number % 5 + 1)

    async def first(results: AsyncIterator[Extraction]) -> list[str]:
        return [(await anext(results)).text for _ in range(3)]

    async def cancelled() -> tuple[list[str], int]:
        ticks = 0
        task = asyncio.ensure_future(_all(extractor.aextract_many(pages(), jobs=2)))
        while len(taken) < 40:
            await asyncio.sleep(0.001)
            ticks += 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        found = extractor.aextract_many([article_page(1), article_page(2), b"%PDF-"])
        return await first(found), ticks

    texts, ticks = asyncio.run(cancelled())
    assert texts == [extractor.extract(article_page(number)).text for number in (1, 2)] + [""]
    assert ticks > 1
    assert not multiprocessing.active_children()


async def _all(results: AsyncIterator[Extraction]) -> None:
    async for _ in results:
        pass


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


@pytest.mark.parametrize(
    ("options", "parts", "reasons", "warnings"), CASES["elements_are_dropped_and_kept_by_selectors"]
)
def test_elements_are_dropped_and_kept_by_selectors(
    options: dict[str, Any], parts: str, reasons: list[str], warnings: list[str]
) -> None:
    texts = {name: f"{sentence} {name}" for name, sentence in zip(("main", "promo", "aside"), SENTENCES, strict=False)}
    texts["nav"] = "Home nav"
    page = f"""<body><nav><a href=/>{texts["nav"]}</a></nav><main><p>{texts["main"]}</p><div class="x promo">
    <p>{texts["promo"]}</p></div></main><div id=s><p>{texts["aside"]}</p></div></body>"""
    found = Extractor.load().with_options(**options).extract(page)
    assert found.text == "\n\n".join(texts[name] for name in parts.split())
    assert sorted(block.reason for block in found.blocks if " in '" in block.reason) == reasons
    assert list(found.warnings) == warnings
