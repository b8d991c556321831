"""Print the table of docs/installation.md: what a plain install brings, its size, licence and import time.

Run by the Python of an environment that holds nothing but blockfeat (and pip):
``python -m venv plain; plain/bin/pip install blockfeat; plain/bin/python tools/measure_dependencies.py``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PASSES = 3
_CODE = "import time, sys; t = time.perf_counter(); import {0}; print(time.perf_counter() - t)"
# What is imported, where the distribution says it badly or has several.
_MODULES = {"cython": "Cython.Shadow", "lxml": "lxml.etree", "scipy": "scipy.stats"}
_MODULES |= {"matplotlib": "matplotlib.pyplot", "pyswarms": "pyswarms", "rapidfuzz": "rapidfuzz.fuzz"}


def main() -> int:
    """Print a row for each direct dependency, with what it alone brings along, and the sum."""
    direct = sorted(_requirements("blockfeat"))
    print("| library | version | licence | MB | MB with what it needs | import, ms |")
    print("|---|---|---|---:|---:|---:|")
    for name in direct:
        with_needed = sum(_size(other) for other in _closure(name))
        print(
            f"| {name} | {metadata.version(name)} | {_licence(name)} | {_size(name):.1f} | {with_needed:.1f} | "
            f"{_import_time(name):.0f} |"
        )
    every = _closure("blockfeat")
    size = sum(_size(name) for name in every)
    print(f"\n{len(every)} distributions, {size:.0f} MB; blockfeat {_size('blockfeat'):.1f} MB")
    return 0


def _requirements(name: str) -> set[str]:
    """Return the names of what a distribution needs here, without its extras."""
    found = set()
    for line in metadata.requires(name) or []:
        requirement, _, marker = line.partition(";")
        match = _NAME.match(requirement)
        if match is not None and "extra" not in marker and _is_installed(match[0]):
            found.add(re.sub(r"[-_.]+", "-", match[0]).lower())
    return found


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _closure(name: str) -> set[str]:
    found, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _requirements(one)
    return found


def _size(name: str) -> float:
    """Return the size of a distribution's files, in MB, without compiled bytecode."""
    files = metadata.distribution(name).files or []
    places = [Path(str(file.locate())) for file in files if file.suffix != ".pyc"]
    return sum(place.stat().st_size for place in places if place.is_file()) / 1e6


def _licence(name: str) -> str:
    about = metadata.metadata(name)
    if about.get("License-Expression"):
        return str(about["License-Expression"])
    classifiers = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License ::")
    ]
    return ", ".join(classifiers) or (about.get("License") or "not said").splitlines()[0][:40]


def _import_time(name: str) -> float:
    """Return the least time of some imports in new processes, in ms."""
    tops = [top for top, names in metadata.packages_distributions().items() if name in _normal(names)]
    module = _MODULES.get(name, next((top for top in sorted(tops) if not top.startswith("_")), name.replace("-", "_")))
    times = []
    for _ in range(_PASSES):
        done = subprocess.run([sys.executable, "-c", _CODE.format(module)], capture_output=True, text=True, check=False)
        times.append(float(done.stdout) if done.returncode == 0 else float("nan"))
    return 1000 * min(times)


def _normal(names: list[str]) -> set[str]:
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names}


if __name__ == "__main__":
    raise SystemExit(main())
