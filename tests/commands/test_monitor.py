"""The commands of the monitor, as a user calls them."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from sqlalchemy import text

from blockfeat.commands.monitor import show_summary
from blockfeat.monitor.config import example_config, read_config
from blockfeat.monitor.crawl.cycle import Summary
from blockfeat.monitor.demo import DemoServer
from blockfeat.monitor.run import environment
from blockfeat.monitor.store.store import Store
from cases import CASES
from command_line import Called, call
from examples.demo import DemoServer as LoggingServer
from hidden_modules import beyond, hiding

_CALL = [sys.executable, "-c", "from blockfeat.cli import main; main()", "monitor"]


_NOT_COUNTED = {"Oakline Telecom", "Gondola Reisen"}


def _monitor(folder: Path, *words: str) -> Called:
    return call("monitor", *words, folder=folder)


@pytest.fixture(scope="module")
def server() -> Iterator[DemoServer]:
    with DemoServer() as demo:
        yield demo


@pytest.fixture(scope="module")
def folder(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example, made for the server of this test, and run once."""
    path = tmp_path_factory.mktemp("monitor")
    text = example_config().replace(":8750", f":{server.port}").replace("# jobs = 1", "jobs = 0")
    (path / "monitor.toml").write_text(text, encoding="utf-8")
    return path


def test_the_example_runs_from_feed_to_report(folder: Path) -> None:
    # In an install that has nothing but these extras; what is stored is looked at by the tests below.
    code = hiding(*beyond("monitor", "web")) + _CALL[2]
    words = [sys.executable, "-c", code, "monitor", "monitor.toml", "--once", "--log", "log.jsonl"]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "30 read; pages: 64 new; 1 copy" in run.stdout
    assert "\n  Tolmet Bank: mostly 'Tolmet Bank', " in run.stdout
    logged = [json.loads(line) for line in (folder / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"feed read", "page new", "round"} <= {line["event"] for line in logged}
    again = _monitor(folder, "run", "monitor.toml")
    assert (again.returncode, again.stderr) == (0, "")
    assert "pages: 1 updated" in again.stdout
    assert "mostly" not in again.stdout
    looked = _monitor(folder, "check", "monitor.toml", "--pages").stdout.splitlines()
    at = next(number for number, line in enumerate(looked) if line.startswith("Tolmet Bank: "))
    assert re.fullmatch(r"Tolmet Bank: \d+ times in \d+ articles: 'Tolmet Bank' \d+, .*", looked[at])
    assert all(line.startswith("  - ") for line in looked[at + 1 : at + 4])
    quiet = _monitor(folder, "run", "monitor.toml", "--quiet")
    assert (quiet.returncode, quiet.stdout) == (0, "")
    table = _monitor(folder, "report", "monitor.toml", "--by", "brand,lang").stdout
    assert "Tolmet Bank" in table
    assert "written: report.html" in _monitor(folder, "report", "monitor.toml", "-o", "report.html").stdout
    assert "63 ok" in _monitor(folder, "status", "monitor.toml").stdout
    lines = _monitor(folder, "export", "monitor.db", "mentions", "--counted").stdout.splitlines()
    assert {json.loads(line)["counted"] for line in lines} == {1}


def test_the_demo_is_what_the_example_says(folder: Path) -> None:
    with Store.open(str(folder / "monitor.db")) as store:
        mentions = list(store.rows("mentions"))
        replaced = {row["id"] for row in store.rows("replaced_mentions")}
    counted = {row["brand"] for row in mentions if row["counted"]}
    assert counted == {brand.name for brand in read_config(folder / "monitor.toml").brands} - _NOT_COUNTED
    assert {row["brand"] for row in mentions} - counted == _NOT_COUNTED
    wire = [row for row in mentions if row["host"].startswith("islandwire.")]
    reasons = {(row["brand"], (row["not_counted_because"] or "").partition(" http")[0]) for row in wire}
    last_branch = [row for row in mentions if "last-branch" in row["url"] and row["in_article"]]
    assert {row["in_copy"] for row in last_branch if row["brand"] == "Tolmet Bank"} == {0, 1}
    assert {("Quillstack", "kind of page: login"), ("Quillstack", "")} <= reasons
    corrected = [row for row in wire if "follow" in row["sentence"]]
    assert [(row["counted"], row["version"], row["first_version"]) for row in corrected] == [(1, 2, 1)]
    assert corrected[0]["id"] in replaced


def test_what_failed_unexpectedly_is_named_and_tried_again(folder: Path) -> None:
    with Store.open(str(folder / "monitor.db")) as store, store.engine.begin() as connection:
        (row, other) = connection.execute(text("SELECT id, url FROM page WHERE status = 'ok' ORDER BY id LIMIT 2"))
        values = {"id": row.id, "fault": environment(), "error": "unexpected KeyError:\n'a'"}
        connection.execute(text("UPDATE page SET fault = :fault, error = :error WHERE id = :id"), values)
        connection.execute(text("UPDATE page SET evidence = :no WHERE id = :id"), {"id": other.id, "no": b"damaged"})
    advice = "1 of the pages and feeds failed unexpectedly: they are tried again when"
    assert advice in _monitor(folder, "report", "monitor.toml").stderr
    status = _monitor(folder, "status", "monitor.toml")
    assert f"page failed unexpectedly: {row.url}: unexpected KeyError" in status.stdout
    assert advice in status.stderr
    # In the environment in which it failed it rests until it is asked for.
    assert "pages: none due" in _monitor(folder, "run", "monitor.toml").stdout
    assert "0 of the pages and feeds made due" in _monitor(folder, "retry", "monitor.db", "--host", "no.example").stdout
    retried = _monitor(folder, "retry", "monitor.toml", "--reason", "keyerror").stdout.splitlines()
    made_due = "1 of the pages and feeds made due for the next run"
    assert retried == ["     1  unexpected KeyError:", made_due]
    assert "0 of the pages and feeds made due" in _monitor(folder, "retry", "monitor.toml").stdout
    assert "pages: 1 unchanged" in _monitor(folder, "run", "monitor.toml").stdout
    assert _monitor(folder, "report", "monitor.toml").stderr == ""
    rematched = _monitor(folder, "rematch", "monitor.toml")
    assert (rematched.returncode, f"{other.url}: unexpected error: " in rematched.stderr) == (1, True)
    assert "1 page failed and stayed as before" in rematched.stderr


def test_a_run_names_what_failed_unexpectedly_apart(capsys: pytest.CaptureFixture[str]) -> None:
    summary = Summary()
    summary.fail("https://a.example/1", "the server answered 404")
    show_summary(summary, quiet=True, is_streamed=False)
    assert "unexpectedly" not in capsys.readouterr().err
    summary.fail("https://a.example/2", "unexpected KeyError: 'a'", unexpected=True)
    show_summary(summary, quiet=True, is_streamed=False)
    assert "1 of the pages and feeds failed unexpectedly: they are tried again when" in capsys.readouterr().err


def test_init_writes_a_file_that_check_likes_and_replaces_none(tmp_path: Path) -> None:
    assert "blockfeat monitor demo" in _monitor(tmp_path, "init").stdout
    said = _monitor(tmp_path, "check", "monitor.toml").stdout
    assert "7 brands; well, but without a contact" in said
    assert "\nzh: of everyday words only stop words are known" in said
    assert _monitor(tmp_path, "init").returncode == 2
    assert _monitor(tmp_path, "init", "--force").returncode == 0


@pytest.mark.parametrize(("brand", "source", "warned"), CASES["names_that_are_everyday_words"])
def test_check_warns_of_names_that_are_everyday_words(brand: str, source: str, warned: str, tmp_path: Path) -> None:
    config = f'[[sources]]\nurl = "https://a.example/feed"\n{source}\n[[brands]]\n{brand}\n'
    (tmp_path / "m.toml").write_text(config, encoding="utf-8")
    done = _monitor(tmp_path, "check", "m.toml")
    assert (done.returncode, done.stderr.count("\n"), warned in done.stderr) == (0, bool(warned), True)


def test_check_names_the_line(tmp_path: Path) -> None:
    text = example_config().replace("[fetch]", "[fetch]\ntimout = 3")
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    line = text.splitlines().index("timout = 3") + 1
    done = _monitor(tmp_path, "check", "m.toml")
    assert done.returncode == 2
    assert f"m.toml:{line}: unknown key 'fetch.timout'; did you mean 'timeout'?" in done.stderr


def test_check_names_the_file_of_a_model_that_is_not_there(tmp_path: Path) -> None:
    feed = 'sources = [{url = "https://a.example/f"}]\nbrands = [{name = "Corvane"}]\npages = {model = "nosuch"}\n'
    (tmp_path / "m.toml").write_text(feed, encoding="utf-8")
    done = _monitor(tmp_path, "check", "m.toml")
    assert (done.returncode, "m.toml: 'pages.model': nosuch: no bundled model" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("absent.toml",), 126, "absent.toml: cannot be read"),
        (("status", "absent.db"), 126, "there is no store"),
        (("monitor.toml", "--once", "--every", "5m"), 2, "goes not with --once"),
        (("monitor.toml", "--every", "soon"), 2, "is no duration"),
        (("report", "monitor.toml", "--by", "colour"), 2, "cannot count by 'colour'"),
        (("export", "monitor.toml", "everything"), 2, "is none of"),
    ],
)
def test_wrong_calls(folder: Path, words: tuple[str, ...], code: int, reason: str) -> None:
    done = _monitor(folder, *words)
    assert (done.returncode, reason in done.said, "Traceback" in done.said) == (code, True, False)


@pytest.fixture
def logging_server() -> Iterator[LoggingServer]:
    with LoggingServer() as server:
        yield server


def test_sigterm_finishes_the_pages_in_hand(logging_server: LoggingServer, tmp_path: Path) -> None:
    server = logging_server
    text = example_config().replace(":8750", f":{server.port}").replace('delay = "0s"', 'delay = "500ms"')
    (tmp_path / "monitor.toml").write_text(text.replace("# jobs = 1", "jobs = 0"), encoding="utf-8")
    words, pipe = [*_CALL, "monitor.toml", "--every", "10m"], subprocess.PIPE
    process = subprocess.Popen(words, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
    before = len(server.log)
    while process.poll() is None and len(server.log) < before + 30:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert "finishing the pages in hand" in err
    assert "stopped by a signal" in out


@pytest.mark.parametrize("command", [("export", "-f", "csv"), ("report", "-f", "csv")])
def test_what_is_written_is_never_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("monitor.toml").write_text(example_config(), encoding="utf-8")
    with Store.open("monitor.db"):
        pass
    before = Path("monitor.db").read_bytes()
    for named, output in (
        ("monitor.db", "monitor.db"),
        ("monitor.toml", "monitor.db"),
        ("monitor.toml", "monitor.toml"),
    ):
        done = call("monitor", command[0], named, *command[1:], "-o", output)
        assert (done.returncode, f"{output} is what is read" in done.said) == (2, True)
    assert Path("monitor.db").read_bytes() == before
