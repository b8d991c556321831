import json
from dataclasses import asdict
from pathlib import Path

import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import CorpusError
from experiments.nested_folds import Score, folds_of, main, table


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
    found = [(fold.name, len(fold.training), len(fold.test)) for fold in folds]
    assert found == [("one", 16, 8), ("cleaneval-dev, cleaneval-test", 8, 16)]
    assert [fold.name for fold in folds_of(PAGES, "corpus", ["one"])] == ["one"]
    with pytest.raises(CorpusError, match="other"):
        folds_of(PAGES, "corpus", ["other"])


def test_means_and_differences_by_corpus_and_by_part() -> None:
    known = {"default": 0.8, "peer": 0.6}
    scores = [Score("one", str(number), lang, None, known) for lang in ("de", "fr") for number in range(10)]
    scores.append(Score("two", "1", "de", None, {"default": 0.5, "peer": 0.7, "with the headline": 0.9}))
    lines = table(scores, "default", ["peer"]).splitlines()
    assert lines[2] == "| one | 20 | 0.800 |  | 0.600 | +0.200 (+0.200 to +0.200) |"
    assert lines[3] == "| two | 1 | 0.500 | 0.900 | 0.700 | -0.200 (-0.200 to -0.200) |"
    by_lang = [line.split("|")[1].strip() for line in table(scores, "default", ["peer"], "lang").splitlines()[2:]]
    assert by_lang == ["one de", "one fr"]
    assert table(scores, "default", ["peer"], "page_type").count("\n") == 2


def test_models_of_folds_by_host_are_not_saved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--by", "host", "--saved", str(tmp_path)])
    assert stopped.value.code == 2
    assert "--by host leaves out none" in capsys.readouterr().err


def test_a_report_of_two_recipes_is_read_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "folds.jsonl"
    by_system = {"default": 0.9, "seed 1": 0.92, "seed 2": 0.88, "margin": 0.8}
    scores = [Score("one", str(number), "en", None, by_system) for number in range(3)]
    report.write_text("".join(json.dumps(asdict(score)) + "\n" for score in scores), encoding="utf-8")
    main(["--by", "family", "--recipes", "default", "margin", "--peers", "--report", str(report)])
    lines = capsys.readouterr().out.splitlines()
    assert "| one | 3 | 0.900 |  | 0.800 | +0.100 (+0.100 to +0.100) |" in lines
    assert "| all pages | 3 | 0.9000 | 0.9200 | 0.8800 | 0.8000 |" in lines
