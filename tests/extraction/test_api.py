"""``blockfeat.extract`` and the public names of the package."""

import importlib
import inspect
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from blockfeat import Extractor, ModelError, errors
from blockfeat.extraction.extractor import _bundled_extractor
from blockfeat.extraction.options import ExtractionOptions, GivenOptions
from blockfeat.models.store import bundled_models, load_model, save_model
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
    with pytest.raises(TypeError):
        blockfeat.extract(page, headlines=True)  # type: ignore[call-arg]


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
    info = _bundled_extractor.cache_info()
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
