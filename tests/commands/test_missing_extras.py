"""Each command in each install: it runs, or says in one line what to install, before it reads anything."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from blockfeat._extras import modules_by_extra
from blockfeat.cli import app_of
from blockfeat.data.corpus import demo_pages
from blockfeat.models.store import load_model, save_model
from hidden_modules import beyond, hiding


def _needs(what: str, extra: str, *there: str) -> str:
    """Return what a command says that lacks an extra where others are installed."""
    installed = {module for other in there for module in modules_by_extra()[other]}
    modules = [module for module in modules_by_extra()[extra] if module not in installed]
    names = " and ".join(filter(None, (", ".join(modules[:-1]), modules[-1])))
    return re.escape(f"{what} needs {names}: pip install 'blockfeat[{extra}]'")


# Where a command asks for an extra, its inputs are not there: that is not looked at.
_EXPORT = "export absent.db --format parquet --output absent.parquet"
_MONITOR = (
    *("init new.toml", "demo --port 0", "search absent.db word"),
    *(f"{name} absent.toml" for name in ("run", "check", "report", "serve", "redeliver", "learn", "rematch", "retry")),
    *(_EXPORT, "status absent.db", "password absent.db"),
    *("discover absent.example", "purge absent.db --host absent.example --yes", "judge absent.db 1 right"),
)
_BY_PLAIN = (
    *("extract page.html", "explain page.html --output explained.html", "models", "corpus count demo"),
    "corpus validate own.jsonl",
    "corpus convert own.jsonl --layout jsonl --output converted.jsonl",
)
_COMMANDS: dict[tuple[str, ...], dict[str, str]] = {
    (): {
        **dict.fromkeys(_BY_PLAIN, ""),
        "train --corpus absent.jsonl": _needs("train", "train"),
        "evaluate --corpus absent.jsonl": _needs("evaluate", "train"),
        "bench --corpus absent.jsonl": _needs("bench", "train"),
        "demo": _needs("demo", "train"),
        "clean page.html": _needs("clean", "clean"),
        "clean --show-settings": "",
        "extract page.html --model crunch": "",
        "serve": _needs("serve", "web"),
        "mcp": _needs("mcp", "mcp"),
        "label absent.html": _needs("label", "web"),
        "monitor absent.toml": _needs("monitor run", "monitor"),
        **{f"monitor {words}": _needs(f"monitor {words.split()[0]}", "monitor") for words in _MONITOR},
        "clean --proxy 8080": _needs("clean --proxy", "proxy"),
        "extract page.parquet": _needs("page.parquet: a Parquet file", "parquet"),
        "extract page.html -o out.parquet": _needs("out.parquet: a Parquet file", "parquet"),
        "extract page.warc": _needs("page.warc: a WARC file", "warc"),
        "extract page.jsonl.zst": r".*zstd.* pyarrow: pip install 'blockfeat\[parquet\]'",
        "extract page.html --model cut-by-spacy.json": _needs("cutting words by spaCy", "spacy"),
    },
    ("clean",): {
        "clean page.html": "",
        "clean page.html --settings listing --sanitise": "",
        "clean --proxy 8080": _needs("clean --proxy", "proxy", "clean"),
    },
    ("train",): {
        "train --corpus demo --lang de --set rounds=1 --set swarm.particles=2 --output de.json": "",
        "evaluate --corpus own.jsonl --quiet": "",
        "evaluate --agreement own.jsonl own.jsonl": "",
        "bench --corpus own.jsonl --peers resiliparse --quiet": "",
        "train --corpus absent.jsonl --segmenter spacy": _needs("training with segmenter = 'spacy'", "spacy", "train"),
        "train --corpus absent.jsonl --kind web2text": _needs("training models of kind web2text", "web2text", "train"),
        "train --corpus absent.jsonl --kind sequence": _needs("training models of kind sequence", "sequence", "train"),
        "monitor status absent.db": _needs("monitor status", "monitor", "train"),
    },
    ("monitor",): {
        "monitor init monitor.toml": "",
        "monitor check monitor.toml": "",
        "monitor run rendering.toml": _needs("rendering.toml: render = 'auto'", "render", "monitor"),
        "monitor serve absent.toml": _needs("monitor serve", "web", "monitor"),
        f"monitor {_EXPORT}": _needs("monitor export --format parquet", "parquet", "monitor"),
        "label absent.html": _needs("label", "web", "monitor"),
    },
    ("web",): {
        "monitor serve absent.toml": _needs("monitor serve", "monitor", "web"),
        "train --corpus absent.jsonl": _needs("train", "train", "web"),
    },
}
_UNREAD = ("extract page.parquet", "extract page.warc", "extract page.jsonl.zst")
_SCRIPT = """
import json
sys.path.append(sys.argv[2])
from command_line import call
found = {command: call(*command.split()) for command in json.loads(sys.argv[1])}
with open("found.json", "w") as file:
    json.dump({name: [done.returncode, done.stdout, done.stderr] for name, done in found.items()}, file)
"""
_Found = dict[str, tuple[int, str, str]]


@pytest.fixture(scope="module", params=_COMMANDS, ids=lambda extras: "-".join(extras) or "plain")
def install(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[str, ...], _Found]:
    """The extras of an install, and what each command printed in it, in one process that has no other library."""
    folder = tmp_path_factory.mktemp("install")
    _fill(folder)
    code = hiding(*beyond(*request.param)) + _SCRIPT
    words = [sys.executable, "-c", code, json.dumps(list(_COMMANDS[request.param])), str(Path(__file__).parents[1])]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert not list(folder.glob("absent*")), "a command began without its extra"
    return request.param, json.loads((folder / "found.json").read_text(encoding="utf-8"))


def _fill(folder: Path) -> None:
    """Write the inputs of the commands."""
    pages = demo_pages()
    (folder / "page.html").write_text(pages[0].html, encoding="utf-8")
    (folder / "page.parquet").write_bytes(b"PAR1")
    (folder / "page.warc").write_bytes(b"WARC/1.0\r\n\r\n")
    (folder / "page.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00\x00")
    records = [{"id": page.id, "html": page.html, "text": page.text, "url": page.url} for page in pages[:3]]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (folder / "own.jsonl").write_text(lines, encoding="utf-8")
    save_model(replace(load_model("thresholds"), segmenter="spacy"), folder / "cut-by-spacy.json")
    (folder / "rendering.toml").write_text(
        '[[sources]]\nurl = "https://site.example/feed"\n[[brands]]\nname = "Tolmet"\n[fetch]\nrender = "auto"\n',
        encoding="utf-8",
    )


def test_a_command_runs_or_says_in_one_line_what_to_install(install: tuple[tuple[str, ...], _Found]) -> None:
    extras, found = install
    for command, expected in _COMMANDS[extras].items():
        code, printed, said = found[command]
        if not expected:
            assert code == 0, (command, said)
            continue
        # An input that cannot be read is one of many.
        assert code == (126 if command in _UNREAD else 2), (command, code, said)
        assert re.fullmatch(f"blockfeat: {expected}\n", said), (command, said)
        if not command.startswith("train"):  # which says first what it is about to do
            assert printed == "", command


def test_every_command_of_the_command_line_is_tried_without_extras() -> None:
    def names(command: object, above: str) -> list[str]:
        within = getattr(command, "commands", None)
        if within is None:
            return [above]
        return [name for key, each in within.items() for name in names(each, f"{above} {key}".strip())]

    tried = _COMMANDS[()]
    every = names(typer.main.get_command(app_of()), "")
    assert len(every) > 30
    assert [name for name in every if not any(f"{line} ".startswith(f"{name} ") for line in tried)] == []
