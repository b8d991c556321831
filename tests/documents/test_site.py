"""The documentation site: it builds strictly, needs no other host, and lists what there is."""

import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cases import CASES
from documented.fences import ROOT
from documented.outputs import difference

pytest.importorskip("mkdocstrings", reason="needs the documentation tools of requirements-dev.lock")

_PACKAGES = "page lang blocks features content metadata models extraction io.inputs io.outputs io.http data training"
_REFERENCED = ["blockfeat", *(f"blockfeat.{name}" for name in [*_PACKAGES.split(), "monitor", "monitor.mentions"])]
_GENERATED = {"changelog.md", "reference/commands.md"}
_LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)")


_PLANTED = [*CASES["make_docs_fails_at_a_warning"], ("::: blockfeat.gone\n", "blockfeat.gone could not be found")]
_RECIPE = re.compile(r"^docs:.*\n\t@(.+)$", re.MULTILINE)
_SMALL_SITE = """
INHERIT: {root}/mkdocs.yml
hooks: [{root}/tools/site_hooks.py]
nav:
  - Home: index.md
  - Reference: [Commands: reference/commands.md, Changelog: changelog.md]
"""


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, shell=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip


def _make_docs(folder: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Do in a folder what ``make docs`` does, but for the place of the site."""
    recipe = _RECIPE.search((ROOT / "Makefile").read_text(encoding="utf-8"))
    command = recipe[1].replace("$(RUN)", f"{shlex.quote(sys.executable)} -m")
    return _shell(f"{command} --site-dir {shlex.quote(str(site))}", folder)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as ``make docs`` does."""
    site = tmp_path_factory.mktemp("site")
    done = _make_docs(ROOT, site)
    assert done.returncode == 0, done.stdout + done.stderr
    return site


@pytest.mark.parametrize(("planted", "warned"), _PLANTED)
def test_make_docs_fails_at_a_warning(planted: str, warned: str, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Home\n\n{planted}\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(_SMALL_SITE.format(root=ROOT), encoding="utf-8")
    done = _make_docs(tmp_path, tmp_path / "site")
    assert (done.returncode != 0) == bool(planted), done.stderr
    assert warned in done.stderr


def test_it_has_every_page_and_loads_nothing_from_other_hosts(built: Path) -> None:
    pages = [path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if not (built / str(page).removesuffix("index") / "index.html").exists()] == []
    found = {match for page in built.rglob("*.html") for match in _LOADED.findall(page.read_text(encoding="utf-8"))}
    assert found == set()
    assert "<code>…\nfeeds: 30 read" in (built / "monitor" / "index.html").read_text(encoding="utf-8")


def test_every_public_name_has_its_reference(built: Path) -> None:
    # An inventory has four lines of text and a compressed list: name, role and place.
    body = (built / "objects.inv").read_bytes().split(b"\n", 4)[4]
    documented = {line.split()[0] for line in zlib.decompress(body).decode().splitlines() if line}
    missing = [
        f"{package}.{name}"
        for package in _REFERENCED
        for name in import_module(package).__all__
        if f"{package}.{name}" not in documented and _home(package, name) not in documented
    ]
    assert [name for name in missing if not name.endswith(".__version__")] == []


def _home(package: str, name: str) -> str:
    value: Any = getattr(import_module(package), name)
    return f"{getattr(value, '__module__', package)}.{getattr(value, '__qualname__', name)}"


def test_search_finds_what_users_type_among_the_headings_of_guides(built: Path) -> None:
    index = json.loads((built / "search" / "search_index.json").read_text(encoding="utf-8"))
    split = re.compile(index["config"]["separator"]).split  # as the search does, which completes what is typed
    titles = (entry["title"].lower() for entry in index["docs"] if not entry["location"].startswith("reference/"))
    begun = "\n".join(f"\n{word}" for title in titles for word in split(title))
    typed = CASES["search_finds_what_users_type"]
    assert [word for word in typed if any(f"\n{part}" not in begun for part in split(word))] == []


def test_every_command_has_its_chapter(built: Path) -> None:
    commands = built / "reference" / "commands"
    assert "<code>extract</code>" in (commands / "index.html").read_text(encoding="utf-8")
    for command in ("extract", "explain", "clean", "train", "monitor report", "corpus validate"):
        page = (commands / command.split()[0] / "index.html").read_text(encoding="utf-8")
        assert f"<code>blockfeat {command}</code>" in page
    assert "--deadline" in (commands / "extract" / "index.html").read_text(encoding="utf-8")


def test_the_navigation_names_each_page_once() -> None:
    from mkdocs.utils import yaml_load

    def pages(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [page for part in (entry.values() if isinstance(entry, dict) else entry) for page in pages(part)]

    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        named = pages(yaml_load(file)["nav"])
    written = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(named) == sorted({*written, *_GENERATED}), "a page of docs/ needs a line under nav in mkdocs.yml"


@pytest.mark.parametrize("tool", ["draw_architecture", "model_cards"])
def test_what_is_drawn_from_the_code_is_current(tool: str) -> None:
    done = _shell(f"{shlex.quote(sys.executable)} tools/{tool}.py --check", ROOT)
    assert done.returncode == 0, f"run python tools/{tool}.py"


def test_the_notebook_prints_what_it_shows(tmp_path: Path) -> None:
    cells = json.loads((ROOT / "examples" / "train_thresholds.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    shown = "".join(line for cell in code for output in cell["outputs"] for line in output.get("text", []))
    (tmp_path / "notebook.py").write_text("\n".join("".join(cell["source"]) for cell in code), encoding="utf-8")
    done = _shell(f"MPLBACKEND=agg {shlex.quote(sys.executable)} notebook.py", tmp_path)
    assert difference(shown, done.stdout, within=0.02) is None, done.stderr
