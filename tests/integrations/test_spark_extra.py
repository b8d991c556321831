"""Spark's job says what is not installed before it starts a session."""

from __future__ import annotations

import pytest

from blockfeat.integrations.spark.__main__ import main


@pytest.mark.parametrize(
    ("inputs", "absent", "message"),
    [
        ("absent.parquet", "pandas", "Spark needs pandas: pip install 'blockfeat[spark]'"),
        ("absent.parquet", "pyspark", "Spark needs pyspark: pip install 'blockfeat[spark]'"),
        ("absent.warc.gz", "fastwarc", "Spark: reading WARC files needs fastwarc: pip install 'blockfeat[warc]'"),
    ],
)
def test_what_is_missing_is_said_first(
    inputs: str, absent: str, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("blockfeat._extras.find_spec", lambda name: None if name == absent else name)
    assert main(["--input", inputs, "--output", "out"]) == 2
    assert capsys.readouterr().err == f"blockfeat: {message}\n"
