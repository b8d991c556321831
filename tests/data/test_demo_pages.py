"""The bundled demo corpus: it is what its tool builds, and its gold text belongs to its pages."""

import json
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import lxml.etree
import lxml.html
import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def demo_text() -> str:
    return (resources.files("blockfeat.data") / "demo" / "demo.jsonl").read_text(encoding="utf-8")


PAGES: list[dict[str, Any]] = [json.loads(line) for line in demo_text().splitlines()]


@pytest.fixture(params=PAGES, ids=[page["id"] for page in PAGES])
def page(request: pytest.FixtureRequest) -> dict[str, Any]:
    record: dict[str, Any] = request.param
    return record


@pytest.fixture
def build_demo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if not (TOOLS / "build_demo.py").is_file():
        pytest.skip("tools/ is not part of this installation")
    monkeypatch.syspath_prepend(str(TOOLS))
    import build_demo

    yield build_demo
    for name in [name for name in sys.modules if name == "build_demo" or name.split(".")[0] == "demo"]:
        del sys.modules[name]


def visible_text(html: str) -> str:
    """Text of the page without its head, scripts and styles; soft hyphens left out."""
    root: Any = lxml.html.document_fromstring(html)
    lxml.etree.strip_elements(root, "head", "script", "style", with_tail=False)
    text: str = root.text_content()
    return text.replace("\u00ad", "")


def test_file_is_what_the_tool_builds(build_demo: Any) -> None:
    assert build_demo.build() == demo_text()


def test_check_says_whether_the_file_is_up_to_date(
    build_demo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build_demo, "TARGET", tmp_path / "demo.jsonl")
    assert ((build_demo.main(["--check"]), build_demo.main([])), build_demo.main(["--check"])) == ((1, 0), 0)
    assert "up to date" in capsys.readouterr().out


def test_snippets_stand_in_the_gold_text_or_in_the_rest_of_the_page(page: dict[str, Any]) -> None:
    visible = " ".join(visible_text(page["html"]).split())
    assert (len(page["with"]) >= 3, len(page["without"]) >= 4) == (True, True)
    assert [snippet for snippet in page["with"] if snippet not in page["text"]] == []
    assert [snippet for snippet in page["without"] if snippet in page["text"] or snippet not in visible] == []


def test_gold_paragraphs_stand_in_the_page_word_by_word_in_its_order(page: dict[str, Any]) -> None:
    words = f" {' '.join(visible_text(page['html']).split())} "
    paragraphs = [f" {' '.join(paragraph.split())} " for paragraph in page["text"].split("\n\n")]
    # A menu before the text may hold the headline too.
    place = max(words.find(paragraphs[0]), words.rfind(paragraphs[0], 0, words.find(paragraphs[1])))
    for paragraph in paragraphs:
        place = words.find(paragraph, place)
        assert place >= 0, paragraph
