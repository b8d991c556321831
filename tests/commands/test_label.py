"""``blockfeat label``."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.commands.serve import default_output
from blockfeat.data.corpus import read_corpus, write_corpus
from blockfeat.data.validate import validate
from command_line import call, client_of, serving
from hidden_modules import beyond, hiding
from labelled_site_pages import site_page


@contextmanager
def _labelling(
    folder: Path, *options: str, without: tuple[str, ...] = ()
) -> Iterator[tuple[httpx2.Client, subprocess.Popen[str], list[str]]]:
    words = ("label", *options, "--model", "margin")
    served = serving(*words, folder=folder, before=hiding(*without))
    with served as (url, process, lines), client_of(url, process) as client:
        client.base_url = f"{url}/api/v1/label/"
        yield client, process, lines


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    folder = tmp_path / "saved"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.html").write_text(site_page(number), encoding="utf-8")
    return tmp_path


def test_a_killed_session_loses_nothing_and_a_second_one_is_refused(saved: Path) -> None:
    with _labelling(saved, "saved") as (client, process, _):
        first = client.get("session").json()["next"]
        assert client.post("accept", json={"page": first}).json()["progress"]["done"] == 1
        second = client.post("next", json={}).json()["page"]
        client.post("mark", json={"page": second, "blocks": [0], "role": "byline"})
        other = call("label", "saved", "--port", "0", "--model", "margin", folder=saved)
        assert (other.returncode, "another session" in other.stderr) == (126, True)
        os.kill(process.pid, signal.SIGKILL)
    (page,) = read_corpus(saved / "saved.labels.jsonl")
    assert page.id == first
    with _labelling(saved, "saved") as (client, process, _):
        assert client.get("session").json()["progress"]["done"] == 1
        assert client.get("page", params={"page": second}).json()["blocks"][0]["marked"]
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=600)[0]
        assert process.returncode == 0
    assert "1 labelled pages in saved.labels.jsonl" in rest
    assert validate(saved / "saved.labels.jsonl").ok


def test_the_least_certain_pages_come_first_from_the_start_where_that_is_asked_for(saved: Path) -> None:
    (saved / "saved" / "9.html").write_text("<p><a href=a>Menu</a></p><p>Of one line.</p>", encoding="utf-8")
    idle = "from blockfeat.web.labelling.background import Background; Background.start_ranking = lambda self: None"
    served = serving("label", "saved", "--unsure", "--model", "margin", folder=saved, before=idle)
    with served as (url, process, _), client_of(url, process) as client:
        pages = client.get("/api/v1/label/session").json()["pages"]
    confidences = [page["confidence"] for page in pages]
    assert (confidences, len(pages), Path(pages[0]["page"]).name) == (sorted(confidences), 4, "9.html")


def test_pages_are_labelled_where_nothing_can_be_trained(saved: Path) -> None:
    with _labelling(saved, "saved", without=beyond("web")) as (client, process, said):
        session = client.get("session").json()
        page = client.get("page", params={"page": session["next"]}).json()
        assert any(block["suggested"] == "content" for block in page["blocks"])
        assert client.post("accept", json={"page": page["page"]}).json()["progress"]["done"] == 1
        refused = client.post("train", json={})
        assert (refused.status_code, refused.json()["detail"]) == (422, session["training_lacks"])
        assert client.get("training").json()["phase"] == "none"
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 0
    lacks = session["training_lacks"]
    assert re.fullmatch(r"training needs matplotlib, .* and snowballstemmer: pip install 'blockfeat\[train\]'", lacks)
    assert f"No model is trained on them here: {lacks}\n" in said
    assert [done.id for done in read_corpus(saved / "saved.labels.jsonl")] == [page["page"]]


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("pages/", "pages.labels.jsonl"),
        ("pages.jsonl.gz", "pages.labels.jsonl"),
        ("/data/crawl.warc.gz", "crawl.labels.jsonl"),
        ("https://example.org/a", "addresses.labels.jsonl"),
        (".", "pages.labels.jsonl"),
    ],
)
def test_the_labels_are_named_after_the_pages(name: str, output: str) -> None:
    assert default_output([name]) == Path(output)


def test_what_cannot_be_labelled_is_an_error_that_names_it(saved: Path) -> None:
    runner, app = CliRunner(), app_of(["label"])
    for pages, output, reason in (
        ("gone", "out.jsonl", "gone: there are no pages to label"),
        ("saved", "out.jsonl.xz", "ends in .jsonl"),
        ("saved", "no/out.jsonl", "there is no folder"),
    ):
        done = runner.invoke(app, ["label", str(saved / pages), "-o", str(saved / output), "--port", "0"])
        assert reason in str(done.exception)


def test_two_labellers_are_compared(saved: Path) -> None:
    with _labelling(saved, "saved", "-o", "anna.jsonl") as (client, *_):
        pages = [entry["page"] for entry in client.get("session").json()["pages"]]
        for name in pages:
            client.post("accept", json={"page": name})
    anna = list(read_corpus(saved / "anna.jsonl"))
    (saved / "ben").mkdir()
    write_corpus([page for page in anna if page.id != pages[0]], saved / "ben.jsonl")
    runner, app = CliRunner(), app_of(["evaluate"])
    files = [str(saved / "anna.jsonl"), str(saved / "ben.jsonl")]
    found = runner.invoke(app, ["evaluate", "--agreement", *files, "--output", str(saved / "out.json")])
    assert found.exit_code == 0, found.output
    report = json.loads((saved / "out.json").read_text())
    assert (report["cosine"], report["kappa"], report["only_first"]) == (1.0, 1.0, 1)
    assert runner.invoke(app, ["evaluate"]).exit_code == 2
