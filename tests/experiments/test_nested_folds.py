import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import CorpusError
from experiments.nested_folds import Score, folds_of, table


def page(number: int, corpus: str) -> LabelledPage:
    return LabelledPage(f"{corpus} {number}", "<p>x</p>", "x", "en", f"https://{corpus}{number}.org/", corpus=corpus)


PAGES = [page(number, corpus) for corpus in ("one", "cleaneval-dev", "cleaneval-test") for number in range(8)]


def test_hosts_are_tested_once_and_never_trained_on_then() -> None:
    folds = folds_of(PAGES, "host")
    assert sorted(page.id for fold in folds for page in fold.test) == sorted(page.id for page in PAGES)
    for fold in folds:
        assert not {page.host for page in fold.training} & {page.host for page in fold.test}


def test_cleaneval_is_one_fold() -> None:
    folds = folds_of(PAGES, "corpus")
    assert [(fold.name, len(fold.training), len(fold.test)) for fold in folds] == [
        ("one", 16, 8),
        ("cleaneval-dev, cleaneval-test", 8, 16),
    ]
    assert [fold.name for fold in folds_of(PAGES, "corpus", ["one"])] == ["one"]
    with pytest.raises(CorpusError, match="other"):
        folds_of(PAGES, "corpus", ["other"])


def test_means_and_differences_by_corpus_and_by_part() -> None:
    scores = [
        Score("one", str(n), lang, None, {"default": 0.8, "peer": 0.6}) for lang in ("de", "fr") for n in range(10)
    ]
    scores.append(Score("two", "1", "de", None, {"default": 0.5, "peer": 0.7, "with the headline": 0.9}))
    lines = table(scores, "default", ["peer"]).splitlines()
    assert lines[2] == "| one | 20 | 0.800 |  | 0.600 | +0.200 (+0.200 to +0.200) |"
    assert lines[3] == "| two | 1 | 0.500 | 0.900 | 0.700 | -0.200 (-0.200 to -0.200) |"
    by_lang = [line.split("|")[1].strip() for line in table(scores, "default", ["peer"], "lang").splitlines()[2:]]
    assert by_lang == ["one de", "one fr"]
    assert table(scores, "default", ["peer"], "page_type").count("\n") == 2
