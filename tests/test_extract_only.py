"""Extraction needs the libraries of requirements-extract.txt and no others, as docs/installation.md says."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import blockfeat
from blockfeat.data.corpus import demo_pages

_ROOT = Path(__file__).parents[1]
_MODULES = {"faust-cchardet": "cchardet"}
_BROUGHT = ("webencodings",)  # by tinycss2
_LINE = re.compile(r"^([A-Za-z0-9_-]+)(.*)$", re.MULTILINE)

# Refuses each library that is neither blockfeat's, nor Python's, nor named.
_BLOCK = """
import sys
from importlib.machinery import PathFinder

class Refusing(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in ALLOWED or top in sys.stdlib_module_names or top.startswith("_"):
            return None
        raise ModuleNotFoundError(f"{name} is not installed here", name=top)

ALLOWED = {allowed!r}
sys.meta_path.insert(0, Refusing)
"""
_EXTRACT = """
import blockfeat
from blockfeat.data.corpus import demo_pages
from blockfeat.models import bundled_models

pages = demo_pages()
for name in bundled_models():
    assert blockfeat.extract(pages[0].html, model=name).text, name
for page in pages[::6]:
    doc = blockfeat.extract(page.html, url=page.url)
    assert doc.text and doc.to_markdown(links=True) and doc.to_html() and doc.to_xml()
    record = doc.to_dict(evidence=True)
    assert record["fingerprint"] and record["kind"] and record["blocks"][0]["reason"]
    assert doc.to_page()
styled = "<style>@namespace a 'b'; p { background: url(a.png) }</style><p>"
styled += "A sentence that goes on for long enough to be kept. " * 5
assert blockfeat.extract(styled, url="https://a.example/").to_page().count("https://a.example/a.png") == 1
undated = blockfeat.extract("<p>" + "A sentence that gives no date at all, and goes on for long enough. " * 5)
assert undated.metadata.published is None
blockfeat.extract("<p>Рано утром лодка отошла от берега, старый рыбак молчал".encode("cp1251"))
"""


def _named() -> dict[str, str]:
    """Return the libraries of the file with their bounds."""
    text = (_ROOT / "requirements-extract.txt").read_text(encoding="utf-8")
    return {name: bounds.strip() for name, bounds in _LINE.findall(text)}


def _block(allowed: set[str]) -> str:
    """Return code that refuses all libraries but some, with what they bring."""
    return _BLOCK.replace(
        "{allowed!r}", repr({*(_MODULES.get(name, name) for name in allowed), *_BROUGHT, "blockfeat"})
    )


def _run(allowed: set[str], code: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", _block(allowed) + code]
    return subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)


def test_extraction_runs_with_these_libraries_alone() -> None:
    done = _run(set(_named()), _EXTRACT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(_named()))
def test_none_of_them_can_be_left_out(name: str) -> None:
    done = _run(_named().keys() - {name}, _EXTRACT)
    assert done.returncode != 0
    assert _MODULES.get(name, name) in done.stderr


def test_their_bounds_are_those_of_the_project() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds = {match[1]: match[2].strip() for match in map(_LINE.match, project["dependencies"]) if match}
    assert {name: bounds[name] for name in _named()} == _named()


def test_an_uncompiled_copy_needs_no_cython(tmp_path: Path) -> None:
    """A copy of the package without its compiled modules extracts the same, where Cython is not installed."""
    copy = tmp_path / "blockfeat"
    shutil.copytree(_ROOT / "blockfeat", copy, ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
    code = """
import blockfeat, sys
from blockfeat.compiled import uncompiled_modules
assert uncompiled_modules()
print(blockfeat.extract(open(sys.argv[1], encoding="utf-8").read()).text)
assert not hasattr(sys.modules["cython"], "__file__")
"""
    page = tmp_path / "page.html"
    page.write_text(demo_pages()[0].html, encoding="utf-8")
    words = [sys.executable, "-P", "-c", _block(set(_named())) + code, str(page)]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(words, capture_output=True, encoding="utf-8", env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == blockfeat.extract(demo_pages()[0].html).text
