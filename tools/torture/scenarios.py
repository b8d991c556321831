"""What is tortured: commands with their inputs, what they must leave, and what may not be lost."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, redirect_stderr, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from io import StringIO
from pathlib import Path

from blockfeat.errors import InputError
from tools.torture.database import emptied

_SENTENCES = (
    "The harbour council met on Tuesday and agreed, after a long debate, to repair the old lighthouse of {n}.",
    "It was built by the fishermen of the town when there was no other light on that part of the coast, in 18{n}.",
    "Nobody knows who paid for it, but the stones came from a quarry that is now under the lake behind {n}.",
    "The work will begin in spring and should be finished before the first storms of the autumn of {n} arrive.",
)
PAGES = 12
_OLD = b'{"id": "old", "error": null}\n'
FILES = ("write", "sync", "rename", "open", "read")
ALL = (*FILES, "allocate", "fork", "line")

Result = Mapping[str, object]
Command = Sequence[str] | Callable[[Path], object]


def has_output(folder: Path) -> bool:
    """Return whether a file of a result in a folder has a first byte."""
    with os.scandir(folder) as entries:
        for entry in entries:
            # A file may take its name just now.
            with suppress(FileNotFoundError):
                if entry.name.startswith("out") and entry.is_file() and entry.stat().st_size:
                    return True
    return False


@dataclass(frozen=True)
class Scenario:
    """A command under torture.

    Attributes
    ----------
    name : str
        Name in the table.
    words : sequence of str or callable
        Words of the command, in which ``{folder}`` is its folder; or a function that takes the folder.
    prepare : callable
        Makes the inputs in a folder, and what an earlier run left.
    result : callable
        Returns what a folder holds, to be compared with that of a run without a fault.
    lost : callable
        Returns what was lost or stands twice right after a fault, given the results before and of a whole run.
    again : callable, optional
        Returns the words of the next run, which must complete, for a folder; by default they are the same.
    kinds : tuple of str
        The kinds of calls that fail.
    code : int
        Exit code of a run without a fault.
    before : sequence of str
        Words of a command that runs before, undisturbed.
    later : float
        How many seconds later the next run is.
    fresh : callable
        Empties what is not in the folder, before each run that begins anew.
    has_begun : callable
        Returns whether the first page is stored in a folder.
    without_memory : sequence of str
        Words of a command that goes before the next run where memory was short.
    """

    name: str
    words: Command
    prepare: Callable[[Path], None]
    result: Callable[[Path], Result]
    lost: Callable[[Result, Result, Result], str]
    again: Callable[[Path], Sequence[str]] | None = None
    kinds: tuple[str, ...] = ALL
    code: int = 0
    before: Sequence[str] = ()
    later: float = 0.0
    fresh: Callable[[], object] = lambda: None
    has_begun: Callable[[Path], bool] = has_output
    without_memory: Sequence[str] = ()


def article(number: int) -> str:
    """Return a page with an article between links."""
    body = "".join(f"<p>{' '.join(_SENTENCES)}</p>".format(n=10 + number) for _ in range(9))
    links = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(12))
    return (
        f'<!doctype html><html lang="en"><head><title>Lighthouse {number}</title></head><body>'
        f"<nav><ul>{links}</ul></nav>"
        f"<main><h1>Lighthouse {number}</h1>{body}</main><footer><a href='/imprint'>Imprint</a></footer></body></html>"
    )


def files_below(folder: Path) -> Result:
    """Return the bytes of all files, but the inputs, by their names."""
    found = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    # The hidden parts of files are left where a process is killed, or where nothing can be removed.
    shown = (name for name in found if not name.startswith("in") and "/." not in f"/{name}")
    return {name: found[name].read_bytes() for name in shown}


def _pages(folder: Path) -> None:
    pages = folder / "in"
    pages.mkdir()
    for number in range(PAGES):
        (pages / f"{number:02}.html").write_text(article(number), encoding="utf-8")


def _lines(folder: Path) -> None:
    records = ({"id": f"page {number}", "html": article(number)} for number in range(PAGES))
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "in.jsonl").write_text(text, encoding="utf-8")


def _archive(folder: Path) -> None:
    with (folder / "in.warc").open("wb") as file:
        for number in range(PAGES):
            body = article(number).encode()
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
                f"WARC-Target-URI: https://a.example/{number}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(head.encode() + http + b"\r\n\r\n")


def _table(folder: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    rows = [{"id": f"page {number}", "html": article(number)} for number in range(PAGES)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "in.parquet", row_group_size=4)


def _resumed(folder: Path) -> None:
    """Prepare a batch that has failed in the middle and was cut off: every third line is one of an error."""
    _lines(folder)
    from blockfeat.cli import main

    with suppress(SystemExit), redirect_stderr(StringIO()):
        sys.argv = ["blockfeat", "extract", f"{folder}/in.jsonl", "-o", f"{folder}/out.jsonl"]
        main()
    lines = (folder / "out.jsonl").read_bytes().splitlines(keepends=True)
    for number in range(0, PAGES, 3):
        lines[number] = json.dumps({"id": json.loads(lines[number])["id"], "error": "not in time"}).encode() + b"\n"
    (folder / "out.jsonl").write_bytes(b"".join(lines[:-2]) + lines[-2][:100])


def _model(folder: Path) -> None:
    """Prepare a page, and a model in each of the two forms."""
    from blockfeat.models.store import load_model, save_model

    (folder / "in.html").write_text(article(1), encoding="utf-8")
    save_model(load_model("thresholds"), folder / "in-model.json")
    save_model(load_model("default"), folder / "in-model.npz")


def _corpus(folder: Path) -> None:
    from blockfeat.data import demo_pages, write_corpus

    write_corpus([page for page in demo_pages() if page.lang == "de"], folder / "in.jsonl")


def _whole_or_untouched(before: Result, now: Result, whole: Result) -> str:
    """No file is other than before or than after a whole run."""
    for name in before.keys() | whole.keys():
        if name.endswith(".run.json"):
            continue
        if now.get(name) not in (before.get(name), whole.get(name)):
            return f"{name} is neither the old nor the new result"
    return ""


def _lines_stand(before: Result, now: Result, whole: Result) -> str:
    """Of lines, each stands once and in order; an old result is whole where a new one is not yet."""
    text = now.get("out.jsonl", b"")
    if text == before.get("out.jsonl"):
        text = now.get("out.jsonl.new", b"")
    done = _done(text)
    order = iter(_done(whole["out.jsonl"]))
    return "" if all(name in order for name in done) else "lines of out.jsonl stand twice or in another order"


def _done(text: object) -> list[str]:
    """Return the names of the pages whose lines are whole and without an error."""
    assert isinstance(text, bytes)
    records = [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]
    return [record["id"] for record in records if not record["error"]]


def _kept_lines(before: Result, now: Result, whole: Result) -> str:
    """Lines done before a resumed run still stand, in the output or the part that the next run joins."""
    standing = {name for file in ("out.jsonl", "out.jsonl.part") for name in _done(now.get(file, b""))}
    lost = set(_done(before["out.jsonl"])) - standing
    return f"{len(lost)} pages done before are lost" if lost else ""


def _with_old(prepare: Callable[[Path], None], name: str) -> Callable[[Path], None]:
    """Return what prepares the same with an old result of another run."""

    def prepared(folder: Path) -> None:
        prepare(folder)
        (folder / name).write_bytes(_OLD)

    return prepared


def _extract(name: str, input: str, prepare: Callable[[Path], None], output: str, *more: str) -> Scenario:
    words = ["extract", f"{{folder}}/{input}", "-o", f"{{folder}}/{output}", *more]
    if not output.endswith(".jsonl"):
        return Scenario(name, words, prepare, files_below, _whole_or_untouched)
    if "--resume" in more:
        return Scenario(name, words, prepare, files_below, _kept_lines)

    def again(folder: Path) -> Sequence[str]:
        begun = not _is_old(folder / output) or (folder / f"{output}.new").exists()
        return [*words, "--resume"] if begun else words

    return Scenario(name, words, prepare, files_below, _lines_stand, again)


def _is_old(path: Path) -> bool:
    return path.exists() and path.read_bytes() == _OLD


def batches() -> list[Scenario]:
    """Return the batches of ``extract``."""
    two = ("--jobs", "2")
    return [
        _extract("files → JSON Lines", "in", _pages, "out.jsonl"),
        _extract("JSON Lines → JSON Lines, old result", "in.jsonl", _with_old(_lines, "out.jsonl"), "out.jsonl"),
        _extract("JSON Lines → JSON Lines, 2 jobs", "in.jsonl", _lines, "out.jsonl", *two),
        _extract("JSON Lines --resume", "in.jsonl", _resumed, "out.jsonl", "--resume"),
        _extract("JSON Lines --resume, 2 jobs", "in.jsonl", _resumed, "out.jsonl", "--resume", *two),
        _extract("WARC → JSON Lines", "in.warc", _archive, "out.jsonl"),
        _extract("WARC → text, old result", "in.warc", _with_old(_archive, "out.txt"), "out.txt"),
        _extract("Parquet → Parquet, old result", "in.parquet", _with_old(_table, "out.parquet"), "out.parquet"),
        _extract("Parquet → CSV, old result, 2 jobs", "in.parquet", _with_old(_table, "out.csv"), "out.csv", *two),
        _extract("files → folder", "in", _pages, "out/", "--format", "markdown"),
    ]


def _fetched(url: str) -> Callable[[Path], None]:
    """Return what prepares a list of addresses."""

    def prepare(folder: Path) -> None:
        (folder / "in.txt").write_text("".join(f"{url}/{number}.html\n" for number in range(4)), encoding="utf-8")

    return prepare


def others(url: str) -> list[Scenario]:
    """Return fetching, model files, training, labelling and the reader."""
    fetch = ["extract", "--urls", "{folder}/in.txt", "--allow-network", "127.0.0.0/8", "--delay", "0"]
    fetch += ["-o", "{folder}/out.jsonl"]
    train = [
        "train",
        "--corpus",
        "{folder}/in.jsonl",
        "--kind",
        "thresholds",
        "-o",
        "{folder}/out.json",
        "--split",
        "1",
    ]
    train += ["--set", "swarm.particles=3", "--set", "swarm.iterations=2"]
    network = ("connect", "transfer", "write", "open", "read")

    def load(suffix: str) -> list[str]:
        return ["explain", "{folder}/in.html", "-m", f"{{folder}}/in-model{suffix}", "-o", "{folder}/out.html"]

    def resumed(folder: Path) -> Sequence[str]:
        return [*fetch, "--resume"] if (folder / "out.jsonl").exists() else fetch

    return [
        Scenario("fetching --urls", fetch, _fetched(url), files_below, _lines_stand, resumed, network),
        Scenario("model .json, explain", load(".json"), _model, files_below, _whole_or_untouched),
        Scenario("model .npz, explain", load(".npz"), _model, files_below, _whole_or_untouched),
        Scenario("train", train, _corpus, _trained, _whole_or_untouched),
        Scenario("label", _label, _pages, _labelled, _labels_stand, kinds=(*FILES, "lock", "allocate")),
        Scenario("serve", _serve, _pages, files_below, _whole_or_untouched, kinds=("connect", "transfer")),
    ]


def _trained(folder: Path) -> Result:
    """Return the thresholds of a model that was trained, without the times of its training."""
    path = folder / "out.json"
    return {"out.json": json.loads(path.read_bytes())["thresholds"]} if path.exists() else {}


def _label(folder: Path) -> object:
    """Accept what a model suggests for each page that is not done."""
    from blockfeat.commands.console import exit_code_of
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.inputs import read_inputs
    from blockfeat.web.labelling.pages import SessionPages, Suggester
    from blockfeat.web.labelling.session import LabelSession

    def label() -> None:
        pages = SessionPages.of(read_inputs([str(folder / "in")]))
        if pages.problems:
            raise InputError(pages.problems[0])
        with LabelSession(pages, folder / "out.jsonl", Suggester(Extractor.load("thresholds"))) as session:
            for page in session.order:
                if session.state(page) != "done":
                    session.accept(page)
        pages.close()

    raise SystemExit(exit_code_of(label))


def _labelled(folder: Path) -> Result:
    """Return the roles of the pages that are labelled, whose names have the folder before them."""
    path = folder / "out.jsonl"
    text = path.read_bytes() if path.exists() else b""
    records = [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]
    return {f"{number} {record['id'][-7:]}": record["text"] for number, record in enumerate(records)}


def _labels_stand(before: Result, now: Result, whole: Result) -> str:
    names = [name.partition(" ")[2] for name in now]
    return "a page is labelled twice" if len(set(names)) < len(names) else ""


def _serve(folder: Path) -> object:
    """Serve the reader and ask for a page until it answers, at most three times, as a browser does."""
    from urllib.request import Request, urlopen

    from blockfeat.web.app import bound_socket, create_app, server_of
    from blockfeat.web.guard import ServeSettings

    body = json.dumps({"html": article(1)}).encode()
    with bound_socket("127.0.0.1", 0) as listening:
        server = server_of(create_app(ServeSettings(jobs=1)), log_level="error")
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/api/v1/extract"
        for left in (2, 1, 0):
            try:
                with urlopen(Request(url, body, {"Content-Type": "application/json"}), timeout=20) as answer:
                    (folder / "out.txt").write_text(json.loads(answer.read())["record"]["text"], encoding="utf-8")
                break
            except (OSError, HTTPException):
                if not left:
                    raise
                time.sleep(0.2)
        server.should_exit = True
        thread.join(20)
    raise SystemExit(0)


_CONFIG = """
[monitor]
store = "{store}"
stream = "out.jsonl"

[[sources]]
url = "{url}/feed.xml"

[[brands]]
name = "harbour council"
{more}
[[webhooks]]
url = "{url}/hook"

[[alerts]]
name = "all"
tell = ["mentions"]
feed = "out.atom"

[fetch]
delay = "0s"
attempts = 1
allow_networks = ["127.0.0.1/32"]

[pages]
jobs = {jobs}
max_age = "off"
"""
_MORE = '[[brands]]\nname = "old lighthouse"\n'


def _monitored(url: str, *, jobs: int = 0, store: str = "out.db") -> Callable[[Path], None]:
    """Return what prepares a configuration, and another with a brand more."""

    def prepare(folder: Path) -> None:
        for name, more in (("in.toml", ""), ("in-more.toml", _MORE)):
            (folder / name).write_text(_CONFIG.format(url=url, more=more, jobs=jobs, store=store), encoding="utf-8")

    return prepare


_ROWS = {
    "page": "SELECT url, status, error, title, text FROM page",
    "mention": "SELECT p.url, m.version, m.block, brand, place, start, match, sentence "
    "FROM mention m JOIN page p ON p.id = m.page_id",
}


def _stored(folder: Path) -> Result:
    """Return the rows of a store, and the mentions that its stream has: each at least once."""
    path = folder / "out.db"
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as connection:
        found: dict[str, object] = {"whole": connection.execute("PRAGMA integrity_check").fetchall()}
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'mention'").fetchone():
            found |= {name: sorted(connection.execute(query).fetchall()) for name, query in _ROWS.items()}
    return found | _streamed(folder)


def _streamed(folder: Path) -> Result:
    stream = folder / "out.jsonl"
    lines = stream.read_bytes() if stream.exists() else b""
    found = {json.loads(line)["id"] for line in lines[: lines.rfind(b"\n") + 1].splitlines()}
    return {"stream": sorted(found)} if stream.exists() else {}


def _in_server(address: str, query: str) -> list[tuple[object, ...]]:
    """Return the rows of a query; none where there is no such table yet."""
    import psycopg

    with suppress(psycopg.errors.UndefinedTable), closing(psycopg.connect(address)) as connection:
        return connection.execute(query.encode()).fetchall()
    return []


def postgresql(url: str, server: str) -> list[Scenario]:
    """Return a run of the monitor on a PostgreSQL server."""
    fresh = partial(emptied, server, "torture")
    store = fresh()

    def stored(folder: Path) -> Result:
        # What is prepared has an empty store.
        shown = _ROWS if folder.name == "run" else {}
        return {name: sorted(_in_server(store, query)) for name, query in shown.items()} | _streamed(folder)

    def has_page(folder: Path) -> bool:
        return bool(_in_server(store, "SELECT 1 FROM page WHERE fetched_at IS NOT NULL LIMIT 1"))

    run, kinds = ["monitor", "run", "{folder}/in.toml", "--quiet"], ("connect", "transfer", "commit", "write", "sync")
    return [
        Scenario(
            *("monitor, PostgreSQL", run, _monitored(url, store=store), stored, _rows_stand),
            **{"kinds": kinds, "later": 86400.0, "fresh": fresh, "has_begun": has_page},
        )
    ]


def _rows_stand(before: Result, now: Result, whole: Result) -> str:
    """No row that stood before is gone, and each stands once."""
    if now.get("whole", [("ok",)]) != [("ok",)]:
        return f"the store is damaged: {now['whole']}"
    for name in _ROWS:
        rows: list[tuple[object, ...]] = list(now.get(name, ()))  # type: ignore[call-overload]
        if len(set(rows)) < len(rows):
            return f"rows of {name} stand twice"
        if name == "mention" and set(before.get(name, ())) - set(rows):  # type: ignore[call-overload]
            return f"rows of {name} are lost"
    return ""


_STORE = ("write", "sync", "open", "read", "lock", "commit", "connect", "transfer", "allocate", "rename")


def monitors(url: str) -> list[Scenario]:
    """Return runs of the monitor, with what serves its feed at an address."""
    stored = {"result": _stored, "lost": _rows_stand, "later": 86400.0}
    run = ["monitor", "run", "{folder}/in.toml", "--quiet"]
    more = "{folder}/in-more.toml"
    retry = ["monitor", "retry", "{folder}/in.toml"]
    return [
        Scenario(
            *("monitor, SQLite", run, _monitored(url)),
            **{"kinds": _STORE, "has_begun": _has_page, "without_memory": retry, **stored},
        ),
        Scenario(
            *("monitor, SQLite, processes", run, _monitored(url, jobs=2)),
            **{"kinds": ("fork",), "has_begun": _has_page, **stored},
        ),
        Scenario(
            *("monitor rematch", ["monitor", "rematch", more], _monitored(url)),
            **{"before": run, "kinds": _STORE, "has_begun": _has_more, **stored},
        ),
    ]


def _has_page(folder: Path, query: str = "SELECT 1 FROM page WHERE fetched_at IS NOT NULL") -> bool:
    try:
        with closing(sqlite3.connect(f"file:{folder}/out.db?mode=ro", uri=True)) as connection:
            return connection.execute(query).fetchone() is not None
    except sqlite3.Error:
        return False


def _has_more(folder: Path) -> bool:
    return _has_page(folder, "SELECT 1 FROM mention WHERE brand = 'old lighthouse'")


def _in_place(folder: Path) -> object:
    """Write a result over the old one, as no command may do it."""
    with (folder / "out.txt").open("wb", buffering=0) as stream:
        for _ in range(3):
            stream.write(b"new\n")
    raise SystemExit(0)


def careless() -> Scenario:
    """Return a program that loses its old result, by which the checks are checked."""
    return Scenario("careless", _in_place, _with_old(_pages, "out.txt"), files_below, _whole_or_untouched)


def scenarios(url: str, server: str | None) -> list[Scenario]:
    """Return all scenarios; pages and a feed are served at an address, and databases where there is a server."""
    return [*batches(), *others(url), *monitors(url), *(postgresql(url, server) if server else ())]
