"""Print the least versions that pyproject.toml allows, pinned, with what the tests need besides as it is locked.

uv resolves each library that is named there to its floor, and what those need in turn to the newest that fits. Of the
extras those are taken that the quick tests use. Command: python tools/least_versions.py [--python 3.11]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("dates", "monitor", "pandas", "parquet", "retrieval", "train", "warc", "web")
TOOLS = (
    "cython",
    "html5lib",
    "httpx",
    "hypothesis",
    "jsonschema",
    "markdown-it-py",
    "pytest",
    "pytest-xdist",
    "pyyaml",
    "schemathesis",
)


def main() -> int:
    """Print the requirements."""
    parser = argparse.ArgumentParser(description="Print the least versions that pyproject.toml allows.")
    parser.add_argument("--python", default="3.11", help="The version of Python to resolve for.")
    print(least_versions(parser.parse_args().python), end="")
    return 0


def least_versions(python: str) -> str:
    """Return a requirements file of the least versions for a version of Python."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--no-header", "--annotation-style", "line"]
    command += ["--resolution", "lowest-direct", "--python-version", python, *(f"--extra={name}" for name in EXTRAS)]
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    return subprocess.run(
        [*command, "pyproject.toml", "-"],
        input="\n".join(locked(name, lock) for name in TOOLS),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def locked(name: str, lock: str) -> str:
    """Return the pin of a library in a lock, without its hashes."""
    found = re.search(rf"^{re.escape(name)}==[\w.+!-]+", lock, re.MULTILINE)
    if found is None:
        raise SystemExit(f"requirements-dev.lock has no {name}: run make lock")
    return found[0]


if __name__ == "__main__":
    raise SystemExit(main())
