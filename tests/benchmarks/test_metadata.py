import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from benchmarks.metadata import run_metadata_bench
from benchmarks.metadata_scores import FieldScore, GivenMetadata, count_field, read_gold, scores_of
from blockfeat.errors import CorpusError
from blockfeat.metadata import Moment
from metadata.described import TEXT, extractor

STAMP = datetime(2024, 5, 2, 8, 15, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("name", "given", "gold", "right"),
    [
        ("title", GivenMetadata("Quiet days | Lake Post"), {"title": "quiet days!"}, True),
        ("title", GivenMetadata("Quiet days"), {"title": "Lake Post: Quiet days – Lake Post"}, False),
        ("title", GivenMetadata("Quiet days"), {"title": "Quiet days - Lake Post"}, True),
        ("title", GivenMetadata("Loud days"), {"title": "Quiet days"}, False),
        ("day", GivenMetadata(published=Moment(date(2024, 5, 2))), {"days": ["2024-05-01", "2024-05-02"]}, True),
        ("instant", GivenMetadata(published=Moment(STAMP.date(), STAMP.timetz())),
         {"instant": "2024-05-02T06:15:59+00:00"}, True),
        ("instant", GivenMetadata(published=Moment(STAMP.date(), STAMP.timetz())),
         {"instant": "2024-05-02T06:17:00+00:00"}, False),
        ("modified", GivenMetadata(modified=Moment(date(2024, 5, 2))), {"modified": "2024-05-02"}, True),
        ("paywall", GivenMetadata(paywall=False), {"paywall": False}, True),
        ("strict title", GivenMetadata("Quiet days!"), {"title": "quiet days"}, True),
        ("strict title", GivenMetadata("Quiet days | Lake Post"), {"title": "quiet days"}, False),
        ("description", GivenMetadata(description="Boats & …"), {"description": "Boats &amp; the sea"}, True),
        ("description", GivenMetadata(description="Nets and boats"), {"description": "Boats and nets"}, False),
    ],
)  # fmt: skip
def test_right_values(name, given, gold, right):
    assert count_field(name, given, gold) == FieldScore(int(right), 1, 1)


def test_a_time_without_a_zone_is_no_instant():
    given = GivenMetadata(published=Moment(STAMP.date(), STAMP.time()))
    assert count_field("instant", given, {"instant": "2024-05-02T08:15:00+00:00"}) == FieldScore(0, 0, 1)


def test_authors_are_counted_by_name():
    given = GivenMetadata(authors=("bo ek", "Cid"))
    assert count_field("authors", given, {"authors": ["Ann Lee", "Bo Ek", "Dee"]}) == FieldScore(1, 2, 3)
    assert FieldScore(1, 2, 3).f1 == pytest.approx(0.4)


def test_tags_are_counted_by_name():
    given = GivenMetadata(tags=("Boats", "sea"))
    assert count_field("tags", given, {"tags": ["boats", "nets", "ropes"]}) == FieldScore(1, 2, 3)


def test_pages_without_gold_are_not_counted():
    assert scores_of([(GivenMetadata("Quiet"), {"title": ""})])["title"] == FieldScore()


def gold_folder(folder: Path) -> Path:
    page = f'<meta name="author" content="Ann Lee"><h1>Quiet days at the harbour</h1>{TEXT}'
    (folder / "lake.jsonl").write_text(json.dumps({"id": "a", "html": page}), encoding="utf-8")
    gold = folder / "gold"
    gold.mkdir()
    lines = [
        {"id": "1", "url": "https://lake.example/a", "html_ref": "lake:a", "gold": {"authors": ["Ann Lee"]}},
        {"id": "2", "url": None, "html": page, "gold": {"title": "Quiet days at the harbour"}},
    ]
    (gold / "lake.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return gold


def test_gold_refers_to_a_corpus_in_the_folder_above(tmp_path):
    pages = read_gold([gold_folder(tmp_path)])
    assert [page.html for page in pages] == [pages[0].html] * 2
    assert len(read_gold([tmp_path / "gold" / "lake.jsonl"], sample=1)) == 1


def test_gold_that_refers_to_nothing_is_an_error(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"id": "1", "html_ref": "none:1", "gold": {}}', encoding="utf-8")
    with pytest.raises(CorpusError, match="none"):
        read_gold([tmp_path / "x.jsonl"])


def test_the_bench_scores_and_prints(tmp_path):
    result = run_metadata_bench(extractor(), read_gold([gold_folder(tmp_path)]), peers=())
    scores = result.scores(result.systems[0])
    assert scores["authors"].f1 == scores["title"].f1 == 1.0
    assert "| lake | blockfeat default | 2 | 1.000" in result.to_markdown()
    assert result.write(tmp_path).read_text(encoding="utf-8").startswith("set,system,field")
