"""Runs by site: the same output whatever the processes, and resumed runs that know what came before."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from blockfeat import Extractor
from blockfeat.errors import OutputError, ResumeError
from blockfeat.extraction.many import SiteProfiles
from blockfeat.io.batch import sites
from blockfeat.io.batch.run import StreamWriter, run
from blockfeat.io.batch.sites import SiteLog, site_log_path
from blockfeat.io.outputs.rendering import Renderer
from blockfeat.page.document import Document
from site_pages import PROMOTION, story_page


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(Extractor.load("default"), format="json", evidence=True)


def documents(*promoted: int, first: int = 0, end: int = 6) -> list[Document]:
    return [
        Document(
            id=str(number), url=f"https://a.example/{number}", data=story_page(number, promoted=number in promoted)
        )
        for number in range(first, end)
    ]


def output(renderer: Renderer, given: list[Document], profiles: SiteProfiles, *, jobs: int = 1) -> bytes:
    stream = io.BytesIO()
    run(given, renderer, StreamWriter(stream, lines=True), jobs=jobs, sites=profiles)
    return stream.getvalue()


def test_processes_change_no_byte(renderer: Renderer) -> None:
    given = documents(0, 4)
    alone = output(renderer, given, SiteProfiles())
    assert output(renderer, given, SiteProfiles(), jobs=2) == alone
    records = [json.loads(line) for line in alone.splitlines()]
    assert [record["site_repeated"] for record in records] == [1, 0, 0, 0, 1, 0]
    assert not any(PROMOTION in record["text"] for record in records)


def test_a_resumed_run_knows_the_pages_before(renderer: Renderer, tmp_path: Path) -> None:
    log = SiteLog(tmp_path / "out.jsonl", resume=False)
    output(renderer, documents(end=3), log.profiles)
    log.close()
    again = SiteLog(tmp_path / "out.jsonl", resume=True)
    resumed = json.loads(output(renderer, documents(3, first=3, end=4), again.profiles))
    again.close()
    assert resumed["site_repeated"] == 1
    anew = SiteLog(tmp_path / "out.jsonl", resume=False)
    assert json.loads(output(renderer, documents(3, first=3, end=4), anew.profiles))["site_repeated"] == 0


def test_the_log_stays_small(renderer: Renderer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "_MOST_LINES", 20)
    log = SiteLog(tmp_path / "out.jsonl", resume=False)
    page = renderer.extractor.extract(story_page(1)).site_page
    for number in range(100):
        log.profiles.on_page("a.example", page)  # type: ignore[arg-type]
        log.profiles.add("a.example", page)  # type: ignore[arg-type]
        log.profiles.on_window()
        assert len(site_log_path(tmp_path / "out.jsonl").read_bytes().splitlines()) <= 21, number


def test_a_line_that_was_cut_is_passed_over_and_a_damaged_one_named(renderer: Renderer, tmp_path: Path) -> None:
    path = site_log_path(tmp_path / "out.jsonl")
    log = SiteLog(tmp_path / "out.jsonl", resume=False)
    output(renderer, documents(end=3), log.profiles)
    log.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    assert len(SiteLog(tmp_path / "out.jsonl", resume=True).profiles.profiles["a.example"]) == 2
    path.write_bytes(b"{}\n" + whole)
    with pytest.raises(ResumeError, match=r"out\.jsonl\.sites\.jsonl: line 1 is damaged"):
        SiteLog(tmp_path / "out.jsonl", resume=True)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file"):
        SiteLog(tmp_path / "file" / "out.jsonl", resume=False)
