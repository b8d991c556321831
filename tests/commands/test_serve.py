"""``blockfeat serve``."""

import signal
from pathlib import Path

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
