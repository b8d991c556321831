"""What each command says where the libraries of its extra are not installed: one line, and no traceback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from blockfeat._extras import EXTRAS

_COMMANDS = {
    "train --corpus demo": r"train needs pyswarms and scipy: pip install 'blockfeat\[train\]'",
    "train --report plots": r"train needs pyswarms, scipy, pandas and matplotlib: pip install 'blockfeat\[train\]'",
    "train --segmenter spacy": r"train needs pyswarms, scipy and spacy: pip install 'blockfeat\[train\]'",
    "demo": r"demo needs .*matplotlib.*: pip install 'blockfeat\[train\]'",
    "bench --corpus demo --peers justext": r"bench needs pandas and matplotlib: pip install 'blockfeat\[train\]'",
    "serve": r"serve needs fastapi, .* and uvicorn: pip install 'blockfeat\[web\]'",
    "label page.html": r"label needs fastapi, .* and uvicorn: pip install 'blockfeat\[web\]'",
    "monitor run monitor.toml": r"monitor needs .*sqlalchemy.*: pip install 'blockfeat\[monitor\]'",
    "monitor report store.db": r"monitor needs .*sqlalchemy.*: pip install 'blockfeat\[monitor\]'",
    "monitor status store.db": r"monitor needs .*sqlalchemy.*: pip install 'blockfeat\[monitor\]'",
    "extract page.parquet": r"page.parquet: .*pyarrow: pip install '?blockfeat\[parquet\]'?",
    "extract page.html -o out.parquet": r"out.parquet: .*pyarrow: pip install '?blockfeat\[parquet\]'?",
    "extract page.warc": r"page.warc: .*fastwarc: pip install 'blockfeat\[warc\]'",
    "extract page.jsonl.zst": r".*zstd.* pyarrow: pip install '?blockfeat\[parquet\]'?",
    "extract page.html": "",
    "explain page.html --output explained.html": "",
    "clean page.html": "",
    "models": "",
    "evaluate --corpus demo --quiet": "",
    "monitor init": "",
    "corpus count demo": "",
}
_NAMES = {
    "opencc": "opencc-python-reimplemented",
    "ahocorasick_rs": "ahocorasick-rs",
    "python_multipart": "python-multipart",
}
_SCRIPT = """
import contextlib, io, json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from blockfeat.cli import app_of
from blockfeat.commands.console import exit_code_of
found = {}
for command in json.loads(sys.argv[2]):
    sys.argv = ["blockfeat", *command.split()]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = exit_code_of(app_of(sys.argv[1:2]))
    found[command] = [code, said.getvalue()]
with open("found.json", "w") as file:
    json.dump(found, file)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Exit code and standard error of each command, in a process that has no library of any extra."""
    folder = tmp_path_factory.mktemp("missing")
    page = "<html><body><h1>Title</h1><p>" + "A sentence, and another one, goes on and on. " * 20 + "</p></body></html>"
    (folder / "page.html").write_text(page, encoding="utf-8")
    (folder / "page.parquet").write_bytes(b"PAR1")
    (folder / "page.warc").write_bytes(b"WARC/1.0\r\n\r\n")
    (folder / "page.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd\x00\x00")
    (folder / "store.db").touch()
    blocked = sorted({name for names in EXTRAS.values() for name in names})
    words = [sys.executable, "-c", _SCRIPT, json.dumps(blocked), json.dumps(list(_COMMANDS))]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    values: dict[str, tuple[int, str]] = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return values


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_command_says_in_one_line_what_to_install(command: str, found: dict[str, tuple[int, str]]) -> None:
    code, said = found[command]
    expected = _COMMANDS[command]
    if not expected:
        assert (code, said) == (0, "")
        return
    assert code in (2, 126)
    assert re.fullmatch(f"blockfeat: {expected}\n", said)


def test_every_library_is_brought_by_its_extra() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    plain = {_distribution(line) for line in project["dependencies"]}
    for extra, modules in EXTRAS.items():
        brought = plain | {_distribution(line) for line in project["optional-dependencies"].get(extra, ())}
        assert {_NAMES.get(module, module) for module in modules} <= brought, extra


def _distribution(requirement: str) -> str:
    return re.split(r"[\[<>=;! ]", requirement, maxsplit=1)[0].lower()
