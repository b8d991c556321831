"""The formats by name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from blockfeat import Extractor
from blockfeat.io.outputs import FORMATS
from pages import article_page


def test_the_names() -> None:
    assert list(FORMATS) == ["text", "markdown", "json", "html", "xml", "page"]


@pytest.mark.parametrize("name", list(FORMATS))
def test_each_format_writes_an_extraction(name: str) -> None:
    extraction = Extractor.load("thresholds").extract(article_page(2))
    assert "old lighthouse" in FORMATS[name](extraction)
    if name != "json":
        assert getattr(extraction, f"to_{name}")() == FORMATS[name](extraction)


def test_nothing_heavy_is_loaded_by_import() -> None:
    code = (
        "import sys, blockfeat.io.outputs, blockfeat.io.inputs\n"
        "print([n for n in 'httpx2 httpcore2 nh3 rich fastwarc pyarrow'.split() if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
