"""Extraction of Spark data frames, in a session with two cores; without PySpark or Java they are skipped."""

import dataclasses
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import blockfeat
import blockfeat.integrations.spark
from blockfeat.errors import InputError, MissingExtraError
from blockfeat.extraction.extractor import Extractor
from blockfeat.io.inputs import read_inputs
from hostile_extractor import HostileExtractor
from pages import article_page
from warc_file import write_warc


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 (apt-get install openjdk-17-jre-headless)")
    from pyspark.sql import SparkSession

    workers = {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    before = {name: os.environ.get(name) for name in workers}
    os.environ.update(workers)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "1",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]").appName("tests of blockfeat")
    for name, value in settings.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    yield started
    started.stop()
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def hostile() -> HostileExtractor:
    extractor = Extractor.load("thresholds")
    return HostileExtractor(**{field.name: getattr(extractor, field.name) for field in dataclasses.fields(extractor)})


@pytest.mark.parametrize("absent", ["pandas", "pyarrow", "pyspark"])
def test_what_is_missing_is_said_first(absent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfeat._extras.find_spec", lambda name: None if name == absent else name)
    frame: Any = object()
    with pytest.raises(MissingExtraError, match=rf"Spark needs {absent}: pip install 'blockfeat\[spark\]'"):
        blockfeat.integrations.spark.extract(frame)


def test_a_row_a_page_with_the_record_of_one_page(session: Any) -> None:
    pages = [(f"https://a.example/{n}", article_page(n + 1), n) for n in range(5)]
    frame = session.createDataFrame(pages, "url string, html string, crawl long").coalesce(1)
    found = blockfeat.integrations.spark.extract(frame, keep=["crawl"], headline=True, model="thresholds")
    assert found.schema.fields[:-1] == blockfeat.integrations.spark.record_struct().fields
    rows = found.collect()
    alone = [blockfeat.extract(html, url=url, headline=True, model="thresholds") for url, html, _ in pages]
    assert [row["text"] for row in rows] == [doc.text for doc in alone]
    titles = [row["title"] for row in found.select("metadata.title").collect()]
    assert titles == [doc.metadata.title for doc in alone]
    assert [row["metadata"]["tags"] for row in rows] == [list(doc.metadata.tags) for doc in alone]
    assert [row["fingerprint"] for row in rows] == [doc.fingerprint for doc in alone]
    assert [(row["id"], row["url"]) for row in rows] == [(url, url) for url, _, _ in pages]
    assert [row["crawl"] for row in rows] == [0, 1, 2, 3, 4]


def test_a_page_that_hangs_or_kills_its_process_is_one_row(session: Any) -> None:
    pages = [article_page().encode(), b"HANG", article_page().encode(), b"CRASH", None, article_page().encode()]
    frame = session.createDataFrame([(page, n) for n, page in enumerate(pages)], "html binary, id int").coalesce(1)
    rows = blockfeat.integrations.spark.extract(frame, model=hostile(), deadline=5.0).collect()
    assert [row["id"] for row in rows] == ["0", "1", "2", "3", "4", "5"]
    assert [row["status"] for row in rows] == ["ok", "error", "ok", "error", "error", "ok"]
    errors = ["it took longer than 5 s", "its worker process died", '4: "html" is empty']
    assert [row["error"] for row in rows if row["error"]] == errors


def test_columns_that_are_not_there_or_taken_are_refused(session: Any) -> None:
    frame = session.createDataFrame([("<p>x", "y")], "html string, text string")
    with pytest.raises(InputError, match="no column 'link' in the data frame \\(its columns: html, text\\)"):
        blockfeat.integrations.spark.extract(frame, url="link")
    with pytest.raises(InputError, match="'text' cannot be kept"):
        blockfeat.integrations.spark.extract(frame, keep=["text"])


def test_a_column_id_names_the_pages_where_there_is_one(session: Any) -> None:
    page = article_page()
    pages = [("a", "https://a.example/", page), (None, "https://b.example/", page), (None, None, "")]
    frame = session.createDataFrame(pages, "id string, url string, html string").coalesce(1)
    rows = blockfeat.integrations.spark.extract(frame, model="thresholds").collect()
    assert [row["id"] for row in rows] == ["a", "https://b.example/", None]
    rows = blockfeat.integrations.spark.extract(frame, id=None, model="thresholds").collect()
    assert [row["id"] for row in rows] == ["https://a.example/", "https://b.example/", None]


def test_a_page_that_failed_has_no_metadata(session: Any) -> None:
    frame = session.createDataFrame([(b"%PDF-1.7",)], "html binary")
    row = blockfeat.integrations.spark.extract(frame, model="thresholds").first()
    assert (row["status"], row["metadata"]) == ("error", None)


@pytest.mark.parametrize("format", ["markdown", "html", "xml"])
def test_the_text_is_in_the_format_that_is_asked_for(session: Any, format: str) -> None:
    frame = session.createDataFrame([(article_page(),)], "html string")
    row = blockfeat.integrations.spark.extract(frame, format=format).first()
    doc = blockfeat.extract(article_page())
    assert row["text"] == {"markdown": doc.to_markdown, "html": doc.to_html, "xml": doc.to_xml}[format]()
    with pytest.raises(InputError, match="no format 'pdf'; there are text, markdown, html, xml"):
        blockfeat.integrations.spark.extract(frame, format="pdf")


def test_large_and_empty_batches_keep_their_columns(session: Any) -> None:
    pages = [(article_page() if n % 5 else None, n, [n]) for n in range(700)]
    frame = session.createDataFrame(pages, "html string, number long, list array<long>").repartition(3)
    empty = session.createDataFrame([], frame.schema)
    found = blockfeat.integrations.spark.extract(
        frame.union(empty), keep=["number", "list"], model="thresholds", deadline=None
    ).collect()
    rows = sorted((row["number"], row["list"], row["status"]) for row in found)
    assert rows == [(n, [n], "ok" if n % 5 else "error") for n in range(700)]


def test_the_example_reads_archives_of_a_list(session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")
    write_warc(tmp_path / "a.warc.gz", [article_page(n % 7).encode() for n in range(90)])
    damaged = write_warc(tmp_path / "b.warc.gz", [article_page(n).encode() for n in range(5)], first=200)
    damaged.write_bytes(damaged.read_bytes()[:-40])
    (tmp_path / "warc.paths").write_text("a.warc.gz\nb.warc.gz\n", encoding="utf-8")
    words = [str(tmp_path / "warc.paths"), str(tmp_path / "texts"), "--prefix", f"{tmp_path}/", "--format", "markdown"]
    monkeypatch.setattr(sys, "argv", ["spark_job.py", *words])
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "spark_job.py"), run_name="__main__")
    rows = parquet.read_table(tmp_path / "texts").to_pylist()
    documents = list(read_inputs([str(tmp_path / "a.warc.gz"), str(damaged)]))
    alone = map(Extractor.load().extract_document, documents)
    expected = [(doc.id, doc.url, doc.to_markdown() if doc.error is None else "") for doc in alone]
    assert [(row["id"], row["url"], row["text"]) for row in rows] == expected
    damage = [(row["id"], row["damage"]) for row in rows if row["damage"]]
    assert damage == [(document.id, document.error) for document in documents if document.error]
    assert len(damage) == 1
    assert len(expected) > 90


def test_it_works_over_spark_connect() -> None:
    pytest.importorskip("pyspark", reason="the extra 'spark' is not installed")
    pytest.importorskip("grpc_status", reason="needs pyspark[connect]")
    script = (
        "from pyspark.sql import SparkSession\n"
        "import blockfeat.integrations.spark\n"
        "spark = SparkSession.builder.remote('local[1]').getOrCreate()\n"
        "page = '<p>The ferry leaves at nine and returns before dark.'\n"
        "frame = spark.createDataFrame([(page, 7)], 'html string, n int')\n"
        "row = blockfeat.integrations.spark.extract(frame, keep=['n']).first()\n"
        "print(row['n'], row['text'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.strip().endswith("7 The ferry leaves at nine and returns before dark."), done.stderr[-2000:]
