"""The formats by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from blockfeat.output import FORMATS
from extraction_stand_in import block, extraction


def test_the_names() -> None:
    assert list(FORMATS) == ["text", "markdown", "json", "html", "xml"]


@pytest.mark.parametrize("name", list(FORMATS))
def test_each_format_writes_an_extraction(name: str) -> None:
    assert "A river came back." in FORMATS[name](extraction(block("A river came back.")))


def test_nothing_heavy_is_loaded_by_import() -> None:
    code = (
        "import sys, blockfeat.output, blockfeat.sources\n"
        "print([n for n in 'httpx2 httpcore2 nh3 rich fastwarc pyarrow'.split() if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
