"""Install a wheel in an empty environment and run the tests against it, without the source tree of the package.

The tests, tools and experiments, documents and settings of the source archive are unpacked into a folder of their own,
without ``blockfeat/``: what the tests import is the installed wheel. Command: python tools/check_wheel.py dist
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

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
    parser.add_argument("tests", nargs="*", default=["tests"], help="Tests to run; all by default.")
    options = parser.parse_intermixed_args()
    (wheel,) = sorted(options.dist.resolve().glob("*.whl"))
    (archive,) = sorted(options.dist.resolve().glob("*.tar.gz"))
    with tempfile.TemporaryDirectory(prefix="blockfeat-wheel-") as name:
        folder = Path(name)
        tree = _unpacked(archive, folder)
        python = _environment(folder / "venv", wheel, tree / "requirements-dev.lock")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        subprocess.run([str(python), "-c", _CHECK], cwd=folder, env=environment, check=True)
        words = [str(python), "-P", "-m", "pytest", "-n", options.jobs, "-o", "pythonpath=. tests", *options.tests]
        return subprocess.run(words, cwd=tree, env=environment, check=False).returncode


def _unpacked(archive: Path, folder: Path) -> Path:
    """Unpack a source archive, and take the package out of it."""
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    (tree,) = (path for path in folder.iterdir() if path.is_dir())
    shutil.rmtree(tree / "blockfeat")
    return tree


def _environment(folder: Path, wheel: Path, lock: Path) -> Path:
    """Make an environment of the wheel and of what the tests need besides; return its Python."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "--quiet", "install"]
    subprocess.run([*pip, "--requirement", str(lock)], check=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    return python


if __name__ == "__main__":
    raise SystemExit(main())
