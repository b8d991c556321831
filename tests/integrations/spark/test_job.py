"""The job on Spark, beside the same on one machine without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from blockfeat.cli import app_of
from blockfeat.integrations.spark.__main__ import main
from pages import article_page
from warc_file import write_warc

pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")

ODD = [b"<p>WARC/1.0\r\nis no record", b"%PDF-1.7 no page", b"", b"<p>short"]


@pytest.fixture(autouse=True)
def _with_session(session: Any) -> None:
    """Every test needs Spark; the job takes the session that is active."""


def archives(folder: Path) -> list[Path]:
    folder.mkdir()
    first = [article_page(n % 7).replace("lighthouse", f"lighthouse {n}").encode() for n in range(40)]
    write_warc(folder / "a.warc.gz", [*first, *ODD])
    write_warc(folder / "b.warc", [article_page(3).encode(), *ODD], first=100)
    damaged = write_warc(folder / "c.warc.gz", [article_page(n).encode() for n in range(5)], first=200)
    damaged.write_bytes(damaged.read_bytes()[:-40])
    return sorted(folder.iterdir())


def without_spark(inputs: list[Path], output: Path, *options: str) -> list[dict[str, Any]]:
    CliRunner().invoke(app_of(), ["extract", *map(str, inputs), "-o", str(output), "--quiet", "--jobs", "2", *options])
    return rows_of(output)


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows by their ids, with the metadata as columns, as one machine writes them."""
    table = parquet.read_table(path)
    if "metadata" in table.column_names:
        names = [field.name for field in table.schema.field("metadata").type]
        rows: list[dict[str, Any]] = table.to_pylist()
        for row in rows:
            values = row.pop("metadata") or {}
            row.update({f"metadata.{name}": values.get(name) for name in names})
    else:
        rows = table.to_pylist()
    return sorted(rows, key=lambda row: str(row["id"]))


def test_archives_give_the_rows_that_one_machine_gives(tmp_path: Path) -> None:
    inputs = archives(tmp_path / "crawl")
    expected = without_spark(inputs, tmp_path / "alone.parquet", "--headline")
    assert len(expected) > 45
    out = tmp_path / "out"
    code = main(
        ["-i", f"{tmp_path}/crawl/*", "-o", str(out), "--inputs-per-part", "2", "--headline", "--format", "warc"]
    )
    assert code == 1
    assert rows_of(out) == expected
    assert parquet.read_schema(out / "part-000000-00000.parquet").names == list(
        dict.fromkeys(name.partition(".")[0] for name in expected[0])
    )

    summary = json.loads((out / "_summary.json").read_text())
    assert summary["pages"] == len(expected)
    assert summary["kept"] == sum(row["status"] == "ok" for row in expected)
    assert summary["failed"] == sum(row["error"] is not None for row in expected) == sum(summary["errors"].values())
    assert summary["text_bytes"] == sum(len(row["text"].encode()) for row in expected)
    assert summary["input_bytes"] == sum(path.stat().st_size for path in inputs)
    assert (summary["parts"], summary["inputs"], summary["unfinished"]) == (2, 3, {})


def test_through_the_file_systems_of_spark_rows_are_the_same_and_in_the_same_order(tmp_path: Path) -> None:
    inputs = archives(tmp_path / "crawl")[:2]
    expected = without_spark(inputs, tmp_path / "alone.parquet", "--model", "thresholds")
    for name in ("out", "again"):
        arguments = ["-i", *(path.as_uri() for path in inputs), "-o", (tmp_path / name).as_uri(), "--reader", "spark"]
        assert main([*arguments, "--model", "thresholds"]) == 1
    files = sorted((tmp_path / "out").glob("*.parquet"))
    assert [path.name for path in files] == ["part-000000-00000.parquet", "part-000000-00001.parquet"]
    for path in files:
        assert parquet.read_table(path).equals(parquet.read_table(tmp_path / "again" / path.name))
    assert rows_of(tmp_path / "out") == expected


def test_parquet_gives_the_rows_that_one_machine_gives(tmp_path: Path) -> None:
    import pyarrow

    source = tmp_path / "pages.parquet"
    pages = {"content": [article_page(2), None, article_page(3)], "id": [7, None, None], "lang": [None, None, "en"]}
    parquet.write_table(pyarrow.table(pages), source)
    expected = without_spark([source], tmp_path / "alone.parquet", "--fields", "html=content", "--model", "margin")
    code = main(["-i", str(source), "-o", f"{tmp_path}/out", "--fields", "html=content", "--model", "margin"])
    assert code == 1
    assert [row["id"] for row in expected] == [f"{source}:2", f"{source}:3", "7"]
    assert rows_of(tmp_path / "out") == expected


def test_a_job_that_stopped_goes_on_with_the_parts_that_are_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for n in range(2):
        write_warc(tmp_path / f"{n}.warc.gz", [article_page(n + 1).encode()] * 2, first=10 * n)
    arguments = ["-i", f"{tmp_path}/?.warc.gz", "-o", f"{tmp_path}/out", "--inputs-per-part", "1"]
    assert main(arguments) == 0
    out = tmp_path / "out"
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.glob("*.parquet")}
    # What a job that was killed leaves of a part: some of its files, and no word that it is done.
    (out / "_done" / "part-000001.json").unlink()
    (out / "_done" / ".part-000001.json.crc").unlink(missing_ok=True)
    (out / "part-000001-00000.parquet").write_bytes(b"half of a file")
    (out / ".part-000001-00000.parquet.crc").unlink(missing_ok=True)
    (out / "part-000001-00007.parquet").write_bytes(b"of another try")
    assert main(arguments) == 0
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.glob("*.parquet")}
    assert after["part-000000-00000.parquet"] == before["part-000000-00000.parquet"]
    assert {name: data for name, (data, _) in after.items()} == {name: data for name, (data, _) in before.items()}
    assert json.loads((out / "_summary.json").read_text())["pages"] == 4
    assert "1 of 2 parts done earlier" in capsys.readouterr().err

    assert main([*arguments, "--favour", "recall"]) == 2
    assert 'begun by a job with favour by default, not "recall"' in capsys.readouterr().err


def test_a_part_that_cannot_be_done_leaves_the_others_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow

    parquet.write_table(pyarrow.table({"html": [article_page()]}), tmp_path / "a.parquet")
    parquet.write_table(pyarrow.table({"page": [article_page()]}), tmp_path / "b.parquet")
    assert main(["-i", str(tmp_path), "--format", "parquet", "-o", f"{tmp_path}/out", "--inputs-per-part", "1"]) == 1
    said = capsys.readouterr().err
    assert 'b.parquet: no column "html" (its columns: page)' in said
    assert "1 ok, 1 parts could not be done" in said
    assert len(rows_of(tmp_path / "out")) == 1


def test_inputs_that_are_not_there_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-i", f"{tmp_path}/none*.warc.gz", "-o", f"{tmp_path}/out"]) == 126
    assert "none*.warc.gz: no such warc file" in capsys.readouterr().err
    assert main(["-i", "pages", "-o", f"{tmp_path}/out"]) == 2
    assert "give --format" in capsys.readouterr().err
