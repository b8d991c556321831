"""Install a wheel in an empty environment and run the tests against it, without the source tree of the package.

The tests, tools and experiments, documents and settings of the source archive are unpacked into a folder of their own,
without ``blockfeat/``: what the tests import is the installed wheel. ``--least`` installs the least versions that
pyproject.toml allows in place of those of the lock. Command: python tools/check_wheel.py dist
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from clean_environments import install, make_environment, without_python
from least_versions import least_versions

QUICK = ("-m", "not slow and not rest", "--hypothesis-profile", "quick")
_CHECK = """
import blockfeat, sys
from blockfeat.compiled import uncompiled_modules
assert blockfeat.__file__.startswith(sys.prefix), blockfeat.__file__
assert not uncompiled_modules(), uncompiled_modules()
print("testing", blockfeat.__version__, "in", blockfeat.__file__)
"""


def main() -> int:
    """Run the tests; the exit code is theirs."""
    parser = argparse.ArgumentParser(description="Run the tests against a built wheel, in an empty environment.")
    parser.add_argument("dist", type=Path, help="Folder with one wheel and one source archive.")
    parser.add_argument("--jobs", default="2", help="Processes of pytest.")
    parser.add_argument("--least", action="store_true", help="Install the least versions that are allowed.")
    parser.add_argument("--quick", action="store_true", help="Run the tests of `make test` only.")
    parser.add_argument("tests", nargs="*", default=["tests"], help="Tests to run; all by default.")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="blockfeat-wheel-") as name:
        folder = Path(name)
        python = make_environment(folder / "venv", sys.executable, *requirements(folder, least=options.least))
        quick = QUICK if options.quick else ()
        return run_tests(python, options.dist, folder, [*quick, *options.tests], jobs=options.jobs)


def requirements(folder: Path, *, least: bool = False, python: str = "{}.{}".format(*sys.version_info)) -> list[str]:
    """Return what is asked to be installed for the tests: the lock, or the least versions, written into the folder."""
    if not least:
        lock = Path(__file__).resolve().parent.parent / "requirements-dev.lock"
        return ["--require-hashes", "--requirement", str(lock)]
    file = folder / "least.txt"
    file.write_text(least_versions(python), encoding="utf-8")
    return ["--requirement", str(file)]


def run_tests(python: Path, dist: Path, folder: Path, tests: Sequence[str], *, jobs: str = "2") -> int:
    """Install the wheel of a folder, run tests of its source archive in another folder, and return their exit code."""
    (wheel,) = sorted(dist.resolve().glob("*.whl"))
    (archive,) = sorted(dist.resolve().glob("*.tar.gz"))
    install(python, "--no-deps", "--reinstall", str(wheel))
    tree = _unpacked(archive, folder / "tree")
    subprocess.run([str(python), "-c", _CHECK], cwd=folder, env=without_python(), check=True)
    words = [str(python), "-P", "-m", "pytest", "-n", jobs, "--dist", "loadfile", "-o", "pythonpath=. tests", *tests]
    return subprocess.run(words, cwd=tree, env=without_python(), check=False).returncode


def _unpacked(archive: Path, folder: Path) -> Path:
    """Unpack a source archive, and take the package out of it."""
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    (tree,) = (path for path in folder.iterdir() if path.is_dir())
    shutil.rmtree(tree / "blockfeat")
    return tree


if __name__ == "__main__":
    raise SystemExit(main())
