"""Do on one machine all that a release does, but publish it, and print a table of what held.

For each installed Python from 3.11: a wheel is built, installed in an empty environment, and the quick tests run
against it. Besides: the version is the same everywhere, the checks of `make lint` and the documents of `make docs`, the
archives are the same bytes when built again, metadata that PyPI takes, an installation without extras, lists of what
blockfeat brings (SBOM, CycloneDX), and the tests with the least versions of all libraries. What a release would publish
is left in ``build/release``. Command: python tools/check_release.py [--jobs 2]
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email import message_from_string
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from check_wheel import QUICK, requirements, run_tests
from clean_environments import interpreters, make_environment, without_python

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "release"
_PAGE = """
import pathlib, blockfeat
from blockfeat.data.corpus import demo_pages
pathlib.Path("page.html").write_text(demo_pages()[0].html, encoding="utf-8")
"""


class ReleaseError(Exception):
    """Something that keeps a release from being made."""


@dataclass(frozen=True)
class Step:
    """One thing that a release does, and the function that does it and says what it found."""

    name: str
    run: Callable[[], str]


def main() -> int:
    """Run all steps, also behind one that failed, and print the table; 1 where one failed."""
    parser = argparse.ArgumentParser(description="Do all that a release does, but publish it.")
    parser.add_argument("--jobs", default="2", help="Processes of pytest.")
    parser.add_argument("--only", default="", metavar="TEXT", help="Run the steps whose name has this text in it.")
    options = parser.parse_args()
    rows = []
    for step in steps(options.jobs):
        if options.only in step.name:
            print(f"\n== {step.name}", flush=True)
            began = time.monotonic()
            held, said = _outcome(step)
            rows.append((step.name, "ok" if held else "FAILED", f"{time.monotonic() - began:.0f} s", said))
    print("\n" + "\n".join(f"{name:34} {held:7} {taken:>7}  {said}" for name, held, taken, said in rows))
    return int(not rows or any(held != "ok" for _, held, _, _ in rows))


def steps(jobs: str) -> Iterator[Step]:
    """Yield the steps of a release in their order."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    supported = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', settings)
    found = interpreters(supported)
    main_version = "{}.{}".format(*sys.version_info)
    yield Step("version, changelog, citation", same_version)
    yield Step("make lint", lambda: _make("lint"))
    yield Step("make docs", lambda: _make("docs"))
    yield Step("source archive, twice the same", source_twice)
    for version in supported:
        yield Step(f"wheel and tests, {version}", lambda v=version: wheel_and_tests(v, found.get(v), jobs))
    yield Step("wheel, twice the same", lambda: wheel_twice(main_version))
    yield Step("metadata", metadata)
    yield Step("no extras, and its SBOM", plain_install)
    yield Step("SBOM of all extras", all_extras)
    yield Step("least versions", lambda: least(main_version, jobs))


def same_version() -> str:
    """Compare the version of the package with the changelog's latest, its date with the citation's."""
    version = _found(r'^__version__ = "(.+)"$', "blockfeat/__init__.py")
    latest, day = re.findall(
        r"(?m)^## \[(\d[^\]]*)\] - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    )[0]
    cited, cited_day = _found(r"^version: (.+)$", "CITATION.cff"), _found(r"^date-released: (.+)$", "CITATION.cff")
    if not version == latest == cited or day != cited_day:
        raise ReleaseError(f"package {version}, changelog {latest} of {day}, citation {cited} of {cited_day}")
    return f"{version} of {day}"


def source_twice() -> str:
    """Build the source archive twice and compare the bytes."""
    first, second = OUTPUT / "dist", OUTPUT / "again"
    for folder in (first, second):
        _build(sys.executable, folder, "--source")
    return _same(first, second, "*.tar.gz")


def wheel_and_tests(version: str, interpreter: str | None, jobs: str) -> str:
    """Build the wheel with a Python of its own, install it where nothing else is, and run the quick tests."""
    if interpreter is None:
        return "left out: not installed here"
    folder = _empty(OUTPUT / f"python-{version}")
    python = make_environment(folder / "venv", interpreter, *requirements(folder))
    _build(str(python), folder / "dist")
    if code := run_tests(python, folder / "dist", folder, [*QUICK, "tests"], jobs=jobs):
        raise ReleaseError(f"pytest ended with {code}")
    (wheel,) = (folder / "dist").glob("*.whl")
    shutil.copy2(wheel, OUTPUT / "dist")
    return wheel.name


def wheel_twice(version: str) -> str:
    """Build the wheel of this Python once more, and compare the bytes with those of the first."""
    python = OUTPUT / f"python-{version}" / "venv" / "bin" / "python"
    _build(str(python), OUTPUT / "again")
    return _same(OUTPUT / "dist", OUTPUT / "again", "*.whl")


def metadata() -> str:
    """Let twine read the archives as PyPI would, and look whether the links are those of the address that is set."""
    archives = [str(path) for path in sorted((OUTPUT / "dist").iterdir())]
    _run(sys.executable, "-m", "twine", "check", "--strict", *archives)
    address = os.environ.get("BLOCKFEAT_REPOSITORY", "")
    for wheel in (OUTPUT / "dist").glob("*.whl"):
        links = links_of(wheel)
        if bool(links) != bool(address) or any(address not in link for link in links):
            raise ReleaseError(f"{wheel.name} has the links {links}, not those of {address or 'no address'}")
    return f"{len(archives)} archives, links of {address or 'no address: BLOCKFEAT_REPOSITORY is not set'}"


def links_of(wheel: Path) -> list[str]:
    """Return the links of a wheel's metadata."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_string(files.read(name).decode()).get_all("Project-URL", [])


def plain_install() -> str:
    """Install the wheel as a user does, extract a page with it, and list what came along."""
    (wheel,) = (OUTPUT / "dist").glob("*-cp{}{}-*.whl".format(*sys.version_info))
    folder = _empty(OUTPUT / "plain")
    python = make_environment(folder / "venv", sys.executable, str(wheel))
    _run(str(python), "-c", _PAGE, cwd=folder)
    text = _run(str(python), "-m", "blockfeat", "extract", "page.html", cwd=folder)
    if len(text.split()) < 50:
        raise ReleaseError(f"the installed command extracted {text!r}")
    _sbom("blockfeat.cdx.json", "environment", str(python))
    return f"{len(text.split())} words, {_parts('blockfeat.cdx.json')} parts"


def all_extras() -> str:
    """List what the extras together bring on any system, each file with its hashes."""
    compiled = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    _run(*compiled, "--no-header", "--no-annotate", "--extra", "all", "pyproject.toml", "-o", str(OUTPUT / "all.txt"))
    _sbom("blockfeat-all.cdx.json", "requirements", str(OUTPUT / "all.txt"))
    return f"{_parts('blockfeat-all.cdx.json')} parts"


def least(version: str, jobs: str) -> str:
    """Run the quick tests against the wheel with the least versions of all that it needs."""
    folder = _empty(OUTPUT / "least")
    python = make_environment(folder / "venv", sys.executable, *requirements(folder, least=True))
    if code := run_tests(python, OUTPUT / f"python-{version}" / "dist", folder, [*QUICK, "tests"], jobs=jobs):
        raise ReleaseError(f"pytest ended with {code}")
    return f"on Python {version}"


def _sbom(name: str, kind: str, source: str) -> None:
    """Write an SBOM of an environment or of requirements."""
    path = OUTPUT / "sbom" / name
    path.parent.mkdir(exist_ok=True)
    options = ["--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "library", "--output-reproducible"]
    _run(sys.executable, "-m", "cyclonedx_py", kind, *options, "--output-file", str(path), source)
    version = _found(r'^__version__ = "(.+)"$', "blockfeat/__init__.py")
    path.write_text(completed(json.loads(path.read_text(encoding="utf-8")), version), encoding="utf-8")


def completed(content: dict[str, Any], version: str) -> str:
    """Return an SBOM with the version, which pyproject.toml leaves to the build, and a number, which attestations need.

    The number follows from the content, so that the same parts give the same file.
    """
    content["metadata"]["component"]["version"] = version
    number = uuid5(NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return json.dumps({**content, "serialNumber": number.urn}, indent=1, sort_keys=True) + "\n"


def _parts(name: str) -> int:
    return len(json.loads((OUTPUT / "sbom" / name).read_text(encoding="utf-8"))["components"])


def _build(python: str, folder: Path, *options: str) -> None:
    _empty(folder)
    _run(python, str(ROOT / "tools" / "build_release.py"), "--outdir", str(folder), *options, env=without_python())


def _same(first: Path, second: Path, pattern: str) -> str:
    (again,) = second.glob(pattern)
    if not filecmp.cmp(first / again.name, again, shallow=False):
        raise ReleaseError(f"{again.name} differs when it is built again")
    return again.name


def _make(target: str) -> str:
    _run(os.environ.get("MAKE", "make"), target, f"VENV={sys.prefix}")
    return ""


def _run(*words: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a command and return what it printed; an error shows it."""
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout + done.stderr, flush=True)
        raise ReleaseError(f"{Path(words[0]).name} {' '.join(words[1:4])} … ended with {done.returncode}")
    return done.stdout


def _outcome(step: Step) -> tuple[bool, str]:
    try:
        return True, step.run()
    except (ReleaseError, subprocess.CalledProcessError, OSError, ValueError) as error:
        return False, str(error)


def _found(pattern: str, name: str) -> str:
    match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise ReleaseError(f"{name} has no {pattern}")
    return match[1]


def _empty(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


if __name__ == "__main__":
    raise SystemExit(main())
