"""The cost of a page."""

from pathlib import Path

import pytest

from blockfeat.io.inputs import read_inputs
from experiments.cost import cost_of, systems, write_archive
from pages import article_page

pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
pytest.importorskip("pyarrow", reason="the extra 'parquet' is not installed")


def test_a_system_is_measured_on_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "pages.warc.gz"
    pages = [article_page(count).encode() for count in range(1, 6)]
    write_archive(archive, pages)
    assert [document.data for document in read_inputs([str(archive)])] == pages
    assert {"reading alone", "blockfeat default, record", "blockfeat thresholds, text"} <= set(systems())
    found = cost_of("blockfeat thresholds, record", archive, passes=1)
    assert 0 < found.cpu < 60
    assert found.output > 0
    assert found.memory > 10_000_000
