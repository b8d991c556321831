"""``blockfeat.extract`` and the public names of the package."""

import importlib
import inspect
import pickle
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from lxml import html

import blockfeat
from blockfeat import BlockfeatError, Document, Extractor, InputError, InputTypeError, ModelError, errors
from blockfeat.extraction.extractor import bundled_extractor
from blockfeat.extraction.options import ExtractionOptions, GivenOptions
from blockfeat.models.store import bundled_models, load_model, save_model
from cases import CASES
from pages import SENTENCES, article_page

_HEADLINE = "Lighthouse to be repaired"


def test_options_are_those_of_the_extractor() -> None:
    page = article_page()
    found = blockfeat.extract(page, headline=True, url="https://a.example/x", id="x", lang="en")
    assert (found.url, found.id, found.lang) == ("https://a.example/x", "x", "en")
    assert found.text.startswith(_HEADLINE)
    assert not blockfeat.extract(page, headline=False).text.startswith(_HEADLINE)
    with pytest.raises(blockfeat.LimitExceeded):
        blockfeat.extract(page, max_bytes=10)


@pytest.mark.parametrize(
    ("options", "told"),
    CASES["an_option_that_there_is_not_or_a_wrong_value_is_told"] + [[{"drop": "a," * 600}, "not a CSS"]],
)
def test_an_option_that_there_is_not_or_a_wrong_value_is_told(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BlockfeatError, match=told):
        blockfeat.extract(article_page(), **options)


@pytest.mark.parametrize(
    "given",
    [{"jobs": 0}, {"jobs": True}, {"jobs": "2"}, {"deadline": 0}, {"deadline": "1"}]
    + [{"pages": pages} for pages in ("<p>x", b"<p>x", {"html": "<p>x"}, Document("a", "<p>x"), 7)],
)
def test_what_cannot_be_many_pages_is_refused_at_once(given: dict[str, Any]) -> None:
    with pytest.raises(InputTypeError, match=f"{next(iter(given))} must be"):
        Extractor.load().extract_many(**{"pages": [], **given})


def test_a_page_may_be_a_mapping_a_tree_or_a_document() -> None:
    page, url = article_page(), "https://a.example/x"
    tree = html.fromstring(page, base_url=url)
    record = {"html": page.encode(), "url": url, "id": 7, "lang": "en", "text": None}
    given = [record, tree, tree.getroottree(), Document("7", page, url)]
    found = [blockfeat.extract(one) for one in given]
    assert {(one.text, one.url) for one in found} == {(blockfeat.extract(page).text, url)}
    assert [one.id for one in found] == ["7", None, None, "7"]
    many = Extractor.load().extract_many([*given, {"url": url}, 7])
    assert [one.id for one in many] == ["7", "2", "3", "7", "5", "6"]
    assert blockfeat.extract(record, url="https://b.example/", id="b").url == "https://b.example/"
    with pytest.raises(InputError, match="gone"):
        blockfeat.extract(Document("a", None, error="gone"))


def test_every_option_of_the_extractor_can_be_given_by_name() -> None:
    given = set(inspect.signature(blockfeat.extract).parameters)
    own = set(inspect.signature(Extractor.extract).parameters) - {"self"}
    assert own | {"model", "options"} == given
    assert set(GivenOptions.__annotations__) == {option.name for option in fields(ExtractionOptions)}
    everything = {option.name: option.default for option in fields(ExtractionOptions)}
    assert blockfeat.extract(article_page(), **everything).text == blockfeat.extract(article_page()).text


def test_a_model_may_be_a_name_a_path_a_model_or_an_extractor(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    save_model(load_model("thresholds"), path)
    extractor = Extractor.load("thresholds")
    models: list[Any] = ["thresholds", path, str(path), extractor.model, extractor]
    found = [blockfeat.extract(article_page(), model=model, favour="recall") for model in models]
    assert {extraction.text for extraction in found} == {found[0].text}
    assert SENTENCES[0] in found[0].text
    assert {extraction.model for extraction in found} == {"thresholds"}
    with pytest.raises(ModelError, match="no-such-model"):
        blockfeat.extract(article_page(), model="no-such-model")


def test_a_changed_model_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    save_model(load_model("thresholds"), path)
    before = blockfeat.extract(article_page(), model=str(path)).model
    save_model(load_model("ziegler2007"), path)
    assert (before, blockfeat.extract(article_page(), model=str(path)).model) == ("thresholds", "ziegler2007")


def test_few_models_are_kept_in_memory() -> None:
    for name in bundled_models():
        blockfeat.extract("<p>text", model=name)
    info = bundled_extractor.cache_info()
    assert info.maxsize is not None
    assert info.currsize <= info.maxsize < len(bundled_models())


def test_public_names_are_there_and_are_the_same_objects() -> None:
    assert (set(dir(blockfeat)), sorted(blockfeat.__all__)) == (set(blockfeat.__all__), sorted(set(blockfeat.__all__)))
    for name in blockfeat.__all__:
        assert getattr(blockfeat, name) is not None
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        assert getattr(blockfeat, name) is kind
    with pytest.raises(AttributeError, match="no_such_name"):
        importlib.import_module("blockfeat").no_such_name  # noqa: B018


def test_importing_the_package_or_an_exception_loads_only_its_small_modules() -> None:
    code = "import sys, blockfeat; blockfeat.NotHTML; print(*[n for n in sys.modules if n.startswith('blockfeat')])"
    root = str(Path(blockfeat.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=root, timeout=60)
    assert sorted(done.stdout.decode().split()) == [
        "blockfeat",
        "blockfeat._lazy",
        "blockfeat.compiled",
        "blockfeat.errors",
    ]


def test_the_representation_of_an_extractor_is_one_short_line() -> None:
    shown = repr(Extractor.load().with_options(headline=True, max_bytes=1_000))
    assert shown == "Extractor(model='default', kind='sequence', headline=True, max_bytes=1000)"
    assert repr(Extractor.load("ziegler2007")) == "Extractor(model='ziegler2007', kind='thresholds')"


_SENTENCE = "The ferry leaves at nine and returns before dark now. "


def test_an_extraction_is_shown_by_the_beginning_of_its_text() -> None:
    found, nothing = blockfeat.extract(f"<p>{_SENTENCE * 9}", url="https://a.example/"), blockfeat.extract("")
    assert repr(found) == f"Extraction({found.text[:70] + '…'!r}, 'ok', lang='en', url='https://a.example/')"
    assert (str(found), bool(found), repr(nothing), bool(nothing)) == (
        found.text,
        True,
        "Extraction('', 'empty')",
        False,
    )


def test_a_notebook_shows_a_page_without_running_anything_of_it() -> None:
    hostile = (
        f"<title><b onload=x>T</title><p>{_SENTENCE * 9}&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=y"
    )
    found = blockfeat.extract(hostile + "<p class='\"><svg onload=z>'>menu &lt;/details&gt;" * 600)
    shown = found._repr_html_()
    tree = html.fromstring(shown)
    assert {element.tag for element in tree.iter()} == {"div", "b", "details", "summary", "p"}
    assert {name for element in tree.iter() for name in element.attrib} == {"style", "title"}
    assert [row.text for row in tree.iter("summary")] == ["Text", "Blocks"]
    assert (shown.count("<p "), "onload" in shown) == (501, True)
    assert (
        'keep="page"'
        in html.fromstring(pickle.loads(pickle.dumps(blockfeat.extract(hostile)))._repr_html_()).text_content()
    )
