"""CSV and Parquet."""

import csv
import io
import json
from pathlib import Path

import pytest

from blockfeat import Extractor
from blockfeat.errors import InputError, MissingExtraError
from blockfeat.extraction.extraction import Extraction
from blockfeat.io.batch import run
from blockfeat.io.outputs import tables
from blockfeat.io.outputs.formats import Column, Formatter, record_columns, row_of
from blockfeat.io.outputs.tables import CsvWriter, ParquetFileWriter
from blockfeat.page.document import Document
from pages import SENTENCES, article_page

DOCUMENTS = [Document("a", article_page(2), url="http://a.example/"), Document("b", b"%PDF-1"), Document("c", "<p>")]


def test_every_key_of_a_record_is_a_column() -> None:
    record = list(Extraction(text="").to_dict())
    assert list(dict.fromkeys(column.path[0] for column in record_columns(names=record))) == record
    assert {"lead", "body"} == {*record} - {column.path[0] for column in record_columns()}
    few = record_columns(names=["text", "metadata.title", "text"])
    assert [column.name for column in few] == ["text", "metadata.title"]
    with pytest.raises(InputError, match="there is no column 'titel'; did you mean 'title'"):
        record_columns(names=["titel"])


def test_csv_has_a_row_for_each_page_and_its_error_and_no_cell_is_a_formula_to_a_spreadsheet() -> None:
    stream = io.BytesIO()
    page = "<title>=HYPERLINK(1)</title>" + article_page(2)
    pages, formatter = [*DOCUMENTS, Document("-2+3", page)], Formatter(Extractor.load("thresholds"), "csv")
    run(pages, formatter, CsvWriter(stream, formatter.columns))
    first, failed, empty, row = csv.DictReader(io.StringIO(stream.getvalue().decode(), newline=""))
    assert (first["id"], first["url"], first["status"], first["error"]) == ("a", "http://a.example/", "ok", "")
    assert SENTENCES[0] in first["text"]
    assert json.loads(first["warnings"]) == []
    assert ((failed["status"], "PDF" in failed["error"]), empty["text"]) == (("error", True), "")
    assert row["id"] == "'-2+3"
    assert not [value for value in row.values() if value.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_parquet_has_typed_columns_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    monkeypatch.setattr(tables, "_ROWS_OF_A_GROUP", 2)
    path = tmp_path / "out.parquet"
    with path.open("wb") as stream:
        writer = ParquetFileWriter(stream, record_columns(), name="out")
        run(DOCUMENTS, Formatter(Extractor.load("thresholds"), "parquet"), writer)
    file = parquet.ParquetFile(path)
    assert file.metadata.num_row_groups == 2
    types = [str(file.schema_arrow.field(name).type) for name in ("text", "warnings")]
    assert types == ["string", "list<element: string>"]
    rows = file.read().to_pylist()
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert (rows[0]["error"], rows[0]["warnings"]) == (None, [])


def test_a_group_has_a_bounded_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    monkeypatch.setattr(tables, "_CHARACTERS_OF_A_GROUP", 10)
    with (tmp_path / "out.parquet").open("wb") as stream:
        rows = tables.ParquetRows(stream, {"text": "text", "number": "integer"}, name="out")
        for text in ("12345", "1234", "1", "1234567890", "123456789", "1"):
            rows.write({"text": text, "number": 1_000})
        rows.close()
    metadata = parquet.ParquetFile(tmp_path / "out.parquet").metadata
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [3, 1, 2]


def test_a_line_of_a_table() -> None:
    cells = ["a,b", 'say "x"', None, 3, ["ü", "=1"], "a=1", ""]
    assert tables.csv_line(cells, end="|") == '"a,b","say ""x""",,3,"[""ü"", ""=1""]",a=1,|'
    formulas = ["=1", "+1", "-1", "@a", "\tx"]
    assert tables.csv_line(formulas) == "'=1,'+1,'-1,'@a,'\tx\n"


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install .blockfeat\[parquet\]"):
        ParquetFileWriter(io.BytesIO(), record_columns(), name="out.parquet")


@pytest.mark.parametrize(
    ("type", "value", "cell"),
    [
        ("text", {"a": [1]}, '{"a": [1]}'),
        ("text", 3, "3"),
        ("texts", "one", ["one"]),
        ("texts", ["one", {"x": 1}], ["one", '{"x": 1}']),
        ("number", 0.5, 0.5),
        ("number", "many", None),
        ("boolean", True, True),
        ("text", None, None),
    ],
)
def test_a_cell_has_the_type_of_its_column(type: str, value: object, cell: object) -> None:
    assert row_of({"outer": {"inner": value}}, (Column("c", ("outer", "inner"), type),)) == {"c": cell}
    assert row_of({"outer": None}, (Column("c", ("outer", "inner"), type),)) == {"c": None}
