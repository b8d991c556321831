"""The command ``python -m benchmarks``: each benchmark prints its tables, and writes files where a folder is named."""

import json
from pathlib import Path

import pytest

from benchmarks.__main__ import main

_DEMO = ("--corpus", "demo", "--model", "thresholds")
_ALONE = ("--peers", "none")


@pytest.mark.parametrize(
    ("words", "printed", "files"),
    [
        (("stages", *_DEMO, "--sample", "2", "--passes", "1"), ["| prediction |"], set()),
        (("formats", *_DEMO, "--sample", "1", "--passes", "1"), ["| text |", "| Markdown |", "| record |"], set()),
        (("escapes", *_DEMO, "--sample", "2"), ["| with needless escapes | 0 |"], set()),
        (("speed", *_DEMO, "--sample", "1", "--passes", "1"), ["× lxml parse", "| yes |"], {"speed.csv", "speed.png"}),
        (("text", *_DEMO, "--sample", "2"), ["glued / broken"], {"text.md", "text-pages.csv"}),
        (("mentions", *_DEMO, "--sample", "4"), ["headline and sure text"], {"mentions.md", "mentions.csv"}),
    ],
)
def test_tables_are_printed_and_written_where_a_folder_is_named(
    words: tuple[str, ...], printed: list[str], files: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *((*_ALONE, "--output", str(tmp_path)) if files else ())]) == 0
    out = capsys.readouterr().out
    assert all(part in out for part in printed)
    assert {path.name for path in tmp_path.iterdir()} == files


def test_metadata_are_compared_with_files_of_gold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = {"id": "1", "html": "<title>Quiet days</title><h1>Quiet days</h1>", "gold": {"title": "Quiet days"}}
    (tmp_path / "gold.jsonl").write_text(json.dumps(gold), encoding="utf-8")
    assert main(["metadata", "--corpus", str(tmp_path / "gold.jsonl"), *_ALONE]) == 0
    assert "| gold | blockfeat default | 1 | 1.000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("text", "--corpus", "absent.jsonl", *_ALONE), 126, "absent.jsonl"),
        (("speed", *_DEMO, "--peers", "foo"), 126, "unknown peer 'foo'"),
    ],
)
def test_what_cannot_be_read_is_one_line(
    words: tuple[str, ...], code: int, said: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blockfeat.commands.console._discard", lambda stream: None)
    assert main(words) == code
    (line,) = capfd.readouterr().err.splitlines()
    assert said in line
