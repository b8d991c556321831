"""The bundled demo corpus: it is what its tool builds, and its gold text belongs to its pages."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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


def test_enough_pages_languages_and_sites() -> None:
    languages = Counter(page["lang"] for page in PAGES)
    hosts = Counter(urlsplit(page["url"]).hostname for page in PAGES)
    assert (len(PAGES) >= 48, len(languages) >= 6, len(hosts) >= 14) == (True, True, True)
    assert all(languages[lang] >= 9 for lang in ("en", "de", "fr", "es", "it"))
    assert all(2 <= count <= 4 for count in hosts.values())
    assert len(demo_text().encode()) < 1_500_000


def test_ids_urls_and_texts_are_unique_and_hosts_are_reserved_names() -> None:
    for field in ("id", "url", "text", "title"):
        assert max(Counter(page[field] for page in PAGES).values()) == 1
    assert all((urlsplit(page["url"]).hostname or "").endswith(".example") for page in PAGES)


def test_fields_are_those_of_the_corpus_format(page: dict[str, Any]) -> None:
    fields = "id url lang html text title author date publisher with without page_type"
    assert [name for name in page if name != "text2"] == fields.split()
    assert page["page_type"] in {"article", "documentation"}
    assert page["text"].startswith(page["title"])


def test_some_pages_have_the_text_of_a_second_labeller() -> None:
    twice = [page for page in PAGES if "text2" in page]
    assert {page["lang"] for page in twice} == {"en", "de", "fr"}
    assert len(twice) >= 10
    for page in twice:
        first, second = set(page["text"].split("\n\n")), page["text2"].split("\n\n")
        assert second[0] == page["title"]
        assert second[1].startswith(page["author"])
        assert 0.5 < len(first.intersection(second)) / len(first) <= 1
        assert page["text2"] != page["text"]


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


def test_most_of_a_page_is_not_its_main_text() -> None:
    spaced = [page for page in PAGES if page["lang"] != "ja"]
    shares = [len(page["text"].split()) / len(visible_text(page["html"]).split()) for page in spaced]
    assert sum(shares) / len(shares) < 0.6


def test_no_markup_of_the_data_files_is_left() -> None:
    for page in PAGES:
        assert not set("~¬") & set(page["text"])
        assert "](" not in page["html"]
        assert "**" not in page["text"]
