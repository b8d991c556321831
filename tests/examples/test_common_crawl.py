"""The example for Common Crawl, as it is run."""

import subprocess
import sys
from pathlib import Path

import pytest

import blockfeat
from pages import article_page
from warc_file import write_warc

pytest.importorskip("fastwarc", reason="the extra 'warc' is not installed")
parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'parquet' is not installed")

ROOT = Path(blockfeat.__file__).parents[1]
EXAMPLE = ROOT / "examples" / "common_crawl.py"


@pytest.mark.skipif(not EXAMPLE.exists(), reason="the examples stand in the checkout only")
def test_an_archive_becomes_a_corpus(tmp_path: Path) -> None:
    article, longer = article_page(4), article_page(12).replace("lighthouse", "windmill").replace("harbour", "village")
    copy = article.replace("<footer>", "<footer>Copy")
    german = "<title>Hafen</title><main>" + "<p>Der Rat der Stadt hat beschlossen, den Turm zu erneuern.</p>" * 9
    pages = [article, copy, longer, german + "</main>", "<nav><a href=/>Home</a></nav>", "<p>Only a few words here."]
    archive = write_warc(tmp_path / "crawl.warc.gz", [page.encode() for page in pages])
    command = [sys.executable, str(EXAMPLE), str(archive), "-o", f"{tmp_path}/corpus.parquet", "--languages", "en"]
    done = subprocess.run(
        [*command, "--least-confidence", "0.1"], capture_output=True, text=True, timeout=300, cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = parquet.read_table(tmp_path / "corpus.parquet").to_pylist()
    assert [row["url"] for row in rows] == ["https://a.example/0", "https://a.example/2"]
    assert rows[0]["text"] == blockfeat.extract(article, url="https://a.example/0").text
    assert (rows[0]["language"], rows[0]["status"], len(rows[0]["keys"])) == ("en", "ok", 10)
    for reason in ("near copy: 1", "another language: 1", "no content: 1", "few words: 1"):
        assert reason in done.stderr
