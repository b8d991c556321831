from pathlib import Path

from blockfeat.data import LabelledPage, write_corpus
from experiments.corpora import Corpora, fold_numbers


def pages(count: int, hosts: int) -> list[LabelledPage]:
    return [LabelledPage(str(n), "<p>x</p>", "x", "en", f"https://site{n % hosts}.org/{n}") for n in range(count)]


def test_pages_with_a_gold_text_are_read(tmp_path: Path) -> None:
    without = LabelledPage("empty", "<p>x</p>", ""), LabelledPage("snippets", "<p>x</p>", present=("x",))
    write_corpus([*pages(3, 1), *without], tmp_path / "one.jsonl.xz")
    assert [page.id for page in Corpora(tmp_path).pages("one")] == ["0", "1", "2"]


def test_each_nth_page_is_scored() -> None:
    assert [page.id for page in Corpora(Path(), 3).sample(pages(7, 1))] == ["0", "3", "6"]
    assert [Corpora(Path(), nth).share for nth in (1, 3, 6)] == ["every page", "every third page", "every 6th page"]


def test_all_pages_of_a_host_are_in_one_fold() -> None:
    found = pages(24, 8)
    folds = fold_numbers(found)
    assert set(folds.values()) == {0, 1, 2}
    for host in {page.host for page in found}:
        assert len({folds[page.corpus, page.id] for page in found if page.host == host}) == 1
