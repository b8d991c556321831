"""``blockfeat serve``."""

import re
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.models.store import load_model, save_model
from command_line import client_of, serving


def test_it_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    save_model(load_model("margin"), tmp_path / "own.json")
    options = ("--model", str(tmp_path / "own.json"), "--allow-host", "reader.example", "--max-bytes", "20000")
    with serving("serve", "--jobs", "1", *options) as (url, process, _), client_of(url, process) as client:
        health = client.get("/api/v1/health", headers={"host": "reader.example"})
        assert health.json()["workers"] == 1
        names = [each["name"] for each in client.get("/api/v1/models").json()["models"]]
        assert (names[0], names[-1]) == ("default", "own")
        assert client.post("/api/v1/extract", json={"html": "<p>Text", "model": "own"}).status_code == 200
        assert client.post("/api/v1/extract", json={"html": "x" * 30_000}).status_code == 413
        process.send_signal(signal.SIGINT)
        assert process.wait(600) in (0, 130)
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--allow-network", "x"], "'x' is no network"),
        (["--model", "none.npz"], "none.npz: no bundled model"),
        (["--host", "203.0.113.7"], "cannot listen at 203.0.113.7"),
    ],
)
def test_wrong_options_are_told(options: list[str], message: str) -> None:
    done = CliRunner().invoke(app_of(["serve"]), ["serve", *options])
    assert done.exit_code != 0
    assert message in re.sub(r"[\s│]+", " ", done.output) + str(done.exception)


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat._extras.find_spec", lambda name: None if name == "fastapi" else name)
    done = CliRunner().invoke(app_of(["serve"]), ["serve"])
    assert "serve needs fastapi: pip install 'blockfeat[web]'" in str(done.exception)
