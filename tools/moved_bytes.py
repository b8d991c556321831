"""Count the bytes that every view of a page allocates and copies, and how they grow: ``python -m tools.moved_bytes``.

A copy of the rest of a page at each of its elements takes a time that grows with the square of the page, in a constant
number of calls and with little memory held: only the bytes that are moved show it. They are counted below the C library
(``moved_bytes.c``), the same on a loaded machine as on an idle one. The exit code is 1 where the bytes of a view grow
faster than the page to the power of 1.1, and 2 where copying that is quadratic on purpose is not seen.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from benchmarks.shapes import SHAPES, synthetic_page
from benchmarks.views import views_of
from blockfeat.errors import LimitExceeded

_SOURCE = Path(__file__).with_suffix(".c")
_VARIABLE = "BLOCKFEAT_MOVED_BYTES"
_EXPONENT = 1.1
_FREE_BYTES = 4_000_000
_OPTIONS = ("-O3", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-Wall", "-Werror", "-shared", "-fPIC")


def main() -> int:
    """Count, and print what grows too fast."""
    parser = argparse.ArgumentParser(description="Count the bytes that views allocate and copy.")
    parser.add_argument("--sizes", type=int, nargs=2, default=(32, 256), metavar="KB", help="default 32 256")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, choices=SHAPES, metavar="SHAPE", help="default all")
    options = parser.parse_args()
    if _VARIABLE not in os.environ:
        with tempfile.TemporaryDirectory(prefix="blockfeat-moved-") as folder:
            return _run_with_counts(Path(folder))
    counter = ctypes.CDLL(os.environ[_VARIABLE])
    counter.moved_bytes.restype = ctypes.c_int64
    moved = counter.moved_bytes
    return _report(moved, options.shapes, [size * 1024 for size in options.sizes])


def _run_with_counts(folder: Path) -> int:
    """Run this module again behind the counter, with all of Python's allocations sent through the C library."""
    library = folder / "moved_bytes.so"
    subprocess.run(["cc", *_OPTIONS, "-o", str(library), str(_SOURCE)], check=True)
    counted = {"LD_PRELOAD": str(library), _VARIABLE: str(library), "PYTHONMALLOC": "malloc"}
    return subprocess.run(
        [sys.executable, "-m", "tools.moved_bytes", *sys.argv[1:]], env=os.environ | counted
    ).returncode


def _report(moved: Callable[[], int], shapes: Sequence[str], sizes: Sequence[int]) -> int:
    if not _grows_too_fast(*(_counted(moved, _quadratic, bytes(size)) for size in sizes), sizes):
        print("moved bytes: copying that is quadratic on purpose is not seen", file=sys.stderr)
        return 2
    found, exponents = [], []
    views = views_of()
    for shape in shapes:
        small, large = (synthetic_page(shape, size).encode() for size in sizes)
        for name, view in views.items():
            with suppress(LimitExceeded):
                view(small)  # what the first page makes is kept
            before, after = _counted(moved, view, small), _counted(moved, view, large)
            exponents.append((math.log(after / before) / math.log(sizes[1] / sizes[0]), f"{name} of {shape!r}"))
            if _grows_too_fast(before, after, sizes):
                found.append(f"{name} of {shape!r}: {before:,} bytes, then {after:,}")
    print(*found, f"moved bytes: {len(found)} of {len(exponents)} grow too fast", sep="\n")
    print("the largest exponents:", ", ".join(f"{each:.2f} ({what})" for each, what in sorted(exponents)[:-4:-1]))
    return 1 if found else 0


def _grows_too_fast(before: int, after: int, sizes: Sequence[int]) -> bool:
    return after > before * (sizes[1] / sizes[0]) ** _EXPONENT + _FREE_BYTES


def _counted(moved: Callable[[], int], view: Callable[[bytes], object], page: bytes) -> int:
    before = moved()
    with suppress(LimitExceeded):
        view(page)
    return moved() - before


def _quadratic(page: bytes) -> None:
    for end in range(0, len(page), 40):
        _ = page[:end]


if __name__ == "__main__":
    raise SystemExit(main())
