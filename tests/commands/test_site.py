"""Site profiles on the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from blockfeat import SiteProfile
from blockfeat.cli import app_of
from site_pages import PROMOTION, story_page


def invoke(*words: str | Path) -> Result:
    return CliRunner().invoke(app_of(), [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three pages with the promotion in their footer."""
    found = tmp_path / "pages"
    found.mkdir()
    for number in (1, 2, 3):
        (found / f"{number}.html").write_text(story_page(number), encoding="utf-8")
    return found


@pytest.fixture
def promoted(tmp_path: Path) -> Path:
    path = tmp_path / "promoted.html"
    path.write_text(story_page(0, promoted=True), encoding="utf-8")
    return path


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """Six pages of one host; the first has the promotion amid its text."""
    path = tmp_path / "pages.jsonl"
    records = (
        {"id": str(number), "url": f"https://a.example/{number}", "html": story_page(number, promoted=number == 0)}
        for number in range(6)
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_a_profile_is_written_and_used(folder: Path, promoted: Path, tmp_path: Path) -> None:
    profile = tmp_path / "site.json"
    written = invoke("site", folder, "-o", profile)
    assert written.exit_code == 0
    assert "3 pages of model default" in written.output
    assert PROMOTION in invoke("extract", promoted).stdout
    assert PROMOTION not in invoke("extract", promoted, "--site", profile).stdout
    shown = invoke("explain", promoted, "--site", profile, "--output", tmp_path / "shown.html")
    assert shown.exit_code == 0
    assert "repeated on 3 other pages of the site" in (tmp_path / "shown.html").read_text(encoding="utf-8")


def test_a_profile_is_added_to(folder: Path, promoted: Path, tmp_path: Path) -> None:
    profile = tmp_path / "site.json"
    invoke("site", folder, "-o", profile)
    assert invoke("site", promoted, "-o", profile, "--update").exit_code == 0
    assert len(SiteProfile.load(profile)) == 4
    assert invoke("site", promoted, "-o", profile).exit_code == 0
    assert len(SiteProfile.load(profile)) == 1


def test_pages_that_fail_are_named_and_an_empty_run_writes_nothing(folder: Path, tmp_path: Path) -> None:
    profile = tmp_path / "site.json"
    (tmp_path / "bad.html").write_bytes(b"%PDF-1.7 \x00")
    some = invoke("site", folder, tmp_path / "bad.html", "-o", profile)
    assert (some.exit_code, profile.exists()) == (1, True)
    assert "bad.html" in some.output
    none = invoke("site", tmp_path / "bad.html", "-o", tmp_path / "none.json")
    assert (none.exit_code, (tmp_path / "none.json").exists()) == (126, False)


def test_pages_of_a_run_are_grouped_by_host(lines: Path, tmp_path: Path) -> None:
    outputs = []
    for jobs in ("1", "2"):
        output = tmp_path / f"{jobs}.jsonl"
        assert invoke("extract", lines, "--site", "auto", "-o", output, "--jobs", jobs).exit_code == 0
        outputs.append(output.read_bytes())
    assert outputs[0] == outputs[1]
    assert [json.loads(line)["site_repeated"] for line in outputs[0].splitlines()] == [1, 0, 0, 0, 0, 0]


def test_tables_have_a_column(lines: Path, tmp_path: Path) -> None:
    invoke("extract", lines, "--site", "auto", "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert [row["site_repeated"] for row in csv.DictReader(file)] == ["1", "0", "0", "0", "0", "0"]
    invoke("extract", lines, "-o", tmp_path / "plain.csv")
    assert "site_repeated" not in (tmp_path / "plain.csv").read_text(encoding="utf-8").splitlines()[0]


def test_an_interrupted_run_by_site_is_continued(lines: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    invoke("extract", lines, "--site", "auto", "-o", output)
    whole = output.read_bytes()
    output.write_bytes(b"".join(whole.splitlines(keepends=True)[:2]) + b'{"id": "cut')
    assert invoke("extract", lines, "--site", "auto", "-o", output, "--resume", "--jobs", "2").exit_code == 0
    assert output.read_bytes() == whole
    refused = CliRunner().invoke(app_of(), ["extract", str(lines), "-o", str(output), "--resume"])
    assert "site" in str(refused.exception)


def test_a_bad_profile_is_named(promoted: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{}")
    done = invoke("extract", promoted, "--site", tmp_path / "bad.json")
    assert done.exit_code != 0
    assert "bad.json: no site profile" in str(done.exception)
    other = invoke("site", promoted, "-o", tmp_path / "margin.json", "--model", "margin")
    assert other.exit_code == 0
    refused = invoke("extract", promoted, "--site", tmp_path / "margin.json")
    assert "of model 'margin', not of 'default'" in str(refused.exception)
