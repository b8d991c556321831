"""Many pages cleaned in one call."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import call as blockfeat
from pages import article_page


def test_a_folder_and_json_lines_become_files_or_lines(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text(article_page(), encoding="utf-8")
    lines = tmp_path / "more.jsonl"
    lines.write_text(json.dumps({"id": "b", "html": "<p>Text<script>x()</script>"}) + "\n{broken\n", encoding="utf-8")
    done = blockfeat("clean", folder, lines, "-o", f"{tmp_path}/clean/")
    assert done.returncode == 1
    assert len(list((tmp_path / "clean").glob("*.html"))) == 2
    done = blockfeat("clean", folder, lines, "-f", "text", "-o", tmp_path / "clean.jsonl")
    assert done.returncode == 1
    found = [json.loads(line) for line in (tmp_path / "clean.jsonl").read_text("utf-8").splitlines()]
    assert [bool(record["error"]) for record in found] == [False, False, True]
    assert found[1]["text"].strip() == "Text"


def test_the_first_of_several_pages_goes_to_a_file_and_nothing_read_is_126(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>One", encoding="utf-8")
    assert blockfeat("clean", page, "-o", tmp_path / "out.html").returncode == 0
    assert "One" in (tmp_path / "out.html").read_text("utf-8")
    assert blockfeat("clean", tmp_path / "none.html", "-o", f"{tmp_path}/out/").returncode == 126
