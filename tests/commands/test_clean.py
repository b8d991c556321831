"""``blockfeat clean``: a page, and many pages in one call."""

import json
from pathlib import Path

import pytest

from command_line import call as blockfeat
from pages import article_page

_PAGE = "<title>Lanterns</title><script>a()</script><p>foo<a href=/x>bar</a>baz"


def _cleaned(*words: str | Path, code: int = 0) -> str:
    done = blockfeat("clean", *words)
    assert done.returncode == code, done.stderr
    return done.said if code else done.stdout


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(_PAGE, encoding="utf-8")
    return path


def test_a_page_is_cleaned_as_html_and_as_text(page: Path) -> None:
    settings = page.with_name("own.toml")
    settings.write_text("[filters]\ntext_links = true\n", encoding="utf-8")
    assert "<p>foo baz</p>" in _cleaned(page, "--settings", settings)
    assert _cleaned(page, "--settings", settings, "--format", "text") == "foo baz\n"
    assert _cleaned(page, "--settings", settings, "--output", page.with_name("out.txt")) == ""
    assert page.with_name("out.txt").read_text(encoding="utf-8") == "foo baz\n"
    assert "[link_lists]" in _cleaned("--show-settings")


def test_the_output_cleaned_again_is_the_same_file(page: Path) -> None:
    once, twice = page.with_name("once.html"), page.with_name("twice.html")
    _cleaned(page, "--output", once)
    _cleaned(once, "--output", twice)
    assert once.read_bytes() == twice.read_bytes()


def test_a_sanitised_page_has_no_script(page: Path) -> None:
    settings = page.with_name("own.toml")
    settings.write_text("[filters]\nscripts = false\n", encoding="utf-8")
    assert "script" not in _cleaned(page, "-s", settings, "--sanitise")


def test_a_folder_and_json_lines_become_files_or_lines(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text(article_page(), encoding="utf-8")
    lines = tmp_path / "more.jsonl"
    lines.write_text(json.dumps({"id": "b", "html": "<p>Text<script>x()</script>"}) + "\n{broken\n", encoding="utf-8")
    _cleaned(folder, lines, "-o", f"{tmp_path}/clean/", code=1)
    assert len(list((tmp_path / "clean").glob("*.html"))) == 2
    _cleaned(folder, lines, "-f", "text", "-o", tmp_path / "clean.jsonl", code=1)
    found = [json.loads(line) for line in (tmp_path / "clean.jsonl").read_text("utf-8").splitlines()]
    assert [bool(record["error"]) for record in found] == [False, False, True]
    assert found[1]["text"].strip() == "Text"


def test_the_first_of_several_pages_goes_to_a_file_and_nothing_read_is_126(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>One", encoding="utf-8")
    _cleaned(page, "-o", tmp_path / "out.html")
    assert "One" in (tmp_path / "out.html").read_text("utf-8")
    _cleaned(tmp_path / "none.html", "-o", f"{tmp_path}/out/", code=126)
