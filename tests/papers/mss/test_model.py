"""Token models: baselines, constraints, blocks of a run, and files."""

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blockfeat import Extractor, ModelError
from blockfeat.blocks import cut_into_blocks, load_table
from blockfeat.models.decoding import best_run
from blockfeat.models.model import Model
from blockfeat.models.store import load_model, model_from_bytes, save_model
from blockfeat.page.page import Page
from blockfeat.papers.mss.classifier import Importance
from blockfeat.papers.mss.model import Constraints, TokenModel, best_run_of_length, truncate_run
from blockfeat.papers.mss.page_tokens import PageTokens, covered_shares, kept_blocks
from counted_tokens import article_classifier
from pages import SENTENCES, article_page

SIMPLE = TokenModel("mss-simple", "simple")
LONGEST = TokenModel("longest-block", "longest-block")


def supervised() -> TokenModel:
    classifier = article_classifier("log odds", balanced=True)
    return TokenModel("mss-supervised", "classifier", classifier=classifier, record={"pages": 3})


def load_token_model(path: Path) -> TokenModel:
    model = load_model(path)
    assert isinstance(model, TokenModel)
    return model


def kept_texts(model: TokenModel, html: str) -> list[str]:
    return [block.text for block in Extractor.of(model).extract(html).blocks if block.kept]


def test_simple_scores_take_the_article() -> None:
    extraction = Extractor.of(SIMPLE).extract(article_page())
    assert extraction.text.startswith("The harbour council")
    assert "Section" not in extraction.text
    assert "Zephyrona" not in extraction.text
    assert extraction.model == "mss-simple"
    assert isinstance(SIMPLE, Model)


def test_the_penalty_of_a_tag_decides_how_far_the_run_goes() -> None:
    html = "<body><p>" + "word " * 20 + "</p><ul><li>two words</li></ul><p>" + "more " * 12 + "</p></body>"
    assert (len(kept_texts(SIMPLE, html)), len(kept_texts(replace(SIMPLE, penalty=1.0), html))) == (1, 3)
    assert len(kept_texts(replace(SIMPLE, penalty=3.25).favouring("recall"), html)) == 3
    with pytest.raises(ModelError, match="penalty"):
        replace(SIMPLE, penalty=0.0)


def test_the_classifier_takes_the_article() -> None:
    extraction = Extractor.of(supervised()).extract(article_page(5))
    assert extraction.text.count("\n\n") == 4
    assert extraction.text.endswith(SENTENCES[1])
    assert "Imprint" not in extraction.text
    reasons = {block.text: block.reason for block in extraction.blocks}
    assert reasons["Imprint"].startswith("dropped: 0 % of its words are in the best run")
    assert next(block for block in extraction.blocks if block.kept).reason.startswith("kept: 100 %")


def test_the_longest_cell_or_div_is_taken_whole() -> None:
    html = (
        "<body><div>Short</div><table><tr><td>" + "in the cell " * 9 + "</td><td>other</td></tr></table>"
        "<p>" + "outside of all " * 30 + "</p></body>"
    )
    assert kept_texts(LONGEST, html) == [("in the cell " * 9).strip()]
    assert kept_texts(LONGEST, "<body><p>No cell here</p></body>") == []
    nested = "<div><div><div>" + "deep " * 9 + "</div></div></div>"
    found = LONGEST.find(Page.parse(nested).tags)
    assert found.tokens.is_tag[found.run[0] : found.run[1]].sum() == 0  # of equals the innermost
    with pytest.raises(ModelError, match="favour"):
        LONGEST.favouring("recall")


def test_a_rule_ends_the_run() -> None:
    html = "<body><p>" + "article " * 40 + "</p><hr><p>" + "comment " * 40 + "</p></body>"
    whole = kept_texts(SIMPLE, html)
    stopped = kept_texts(replace(SIMPLE, constraints=Constraints(stop_at_rule=True)), html)
    assert (len(whole), stopped) == (2, whole[:1])


def test_a_run_can_have_a_least_length() -> None:
    html = "<body><p>" + "a " * 30 + "</p>" + "<br>" * 20 + "<p>b b b</p></body>"
    model = replace(SIMPLE, constraints=Constraints(least_tokens=45))
    first, end = model.find(Page.parse(html).tags).run
    assert (first, end) == (0, 0)  # the breaks cost more than the words bring
    shorter = replace(SIMPLE, constraints=Constraints(least_tokens=32)).find(Page.parse(html).tags).run
    assert shorter[1] - shorter[0] == 32
    with pytest.raises(ModelError, match="at least 1"):
        Constraints(least_tokens=0)


def test_cleaning_cuts_tables_and_boxes_with_links_out_of_the_run() -> None:
    text = "plain words of the article " * 20
    html = (
        f"<body><p>{text}</p><div>boxed words <a href='/'>link</a></div><div>box without anything</div>"
        f"<table><tr><td>cell</td></tr></table><p>{text} end</p></body>"
    )
    assert len(kept_texts(SIMPLE, html)) == 5
    cleaned = kept_texts(replace(SIMPLE, constraints=Constraints(clean=True)), html)
    assert cleaned == [text.strip(), "box without anything", text + "end"]


def test_a_block_is_kept_from_half_of_its_words_on() -> None:
    page = Page.parse("<p>one two three four</p><p>five six</p>")
    blocks, tokens = cut_into_blocks(page, load_table("html5")), PageTokens.of(page.tags)
    words = np.flatnonzero(tokens.is_word)
    for taken, expected in ((words[:1], [0.25, 0]), (words[2:5], [0.5, 0.5]), (words, [1, 1]), (words[:0], [0, 0])):
        is_taken = np.isin(np.arange(len(tokens)), taken)
        assert covered_shares(tokens, is_taken, blocks).tolist() == expected
        assert kept_blocks(tokens, is_taken, blocks).tolist() == [share >= 0.5 for share in expected]


@pytest.mark.parametrize("html", ["", "<p></p>", "   ", "<br>", "<title>x</title>", "&amp;", "<div></div>"])
@pytest.mark.parametrize("model", [SIMPLE, LONGEST, supervised()], ids=lambda model: model.name)
def test_pages_with_nothing_give_no_error(model: TokenModel, html: str) -> None:
    Extractor.of(model).extract(html)


def test_favouring_recall_never_takes_less_on_the_scale_of_scores() -> None:
    model = supervised()
    tags = Page.parse(article_page()).tags
    plain = model.find(tags).scores
    assert np.all(model.favouring("recall").find(tags).scores >= plain)
    assert np.all(model.favouring("precision").find(tags).scores <= plain)


def same(first: TokenModel, second: TokenModel) -> bool:
    html = article_page(6)
    one, two = (model.find(Page.parse(html).tags) for model in (first, second))
    return one.run == two.run and np.allclose(one.scores, two.scores, atol=1e-2)


def test_models_with_counts_survive_their_files(tmp_path: Path) -> None:
    model = supervised()
    assert model.classifier is not None
    weight = np.linspace(0, 1, len(model.classifier.bayes.grams))
    heavy = replace(model, classifier=replace(model.classifier, importance=Importance(weight, 3.0)))
    for made in (model, heavy, replace(model, constraints=Constraints(True, 3, True))):
        save_model(made, tmp_path / "model.npz")
        read = load_token_model(tmp_path / "model.npz")
        assert same(made, read)
        assert (read.constraints, read.record) == (made.constraints, made.record)
    assert (tmp_path / "model.npz").read_bytes()[:2] == b"PK"


def test_models_without_counts_are_json(tmp_path: Path) -> None:
    model = replace(SIMPLE, penalty=2.5, languages=("de",))
    save_model(model, tmp_path / "simple.json")
    read = load_token_model(tmp_path / "simple.json")
    assert (read.penalty, read.system, read.languages, read.table.name) == (2.5, "simple", ("de",), "html5")
    assert not model.to_document()[1]


def test_a_model_can_use_the_counts_of_another_file(tmp_path: Path) -> None:
    base = supervised()
    save_model(base, tmp_path / "base.npz")
    document, _ = replace(base, classifier=None, system="simple", name="with rule").to_document()
    document |= {"system": "classifier", "counts": "base.npz"}
    (tmp_path / "rule.json").write_text(json.dumps(document), encoding="utf-8")
    read = load_token_model(tmp_path / "rule.json")
    assert read.name == "with rule"
    assert same(base, read)
    with pytest.raises(ModelError, match="cannot be read from here"):
        TokenModel.from_document(document, {})
    (tmp_path / "base.npz").unlink()
    with pytest.raises(ModelError, match=r"base\.npz"):
        load_token_model(tmp_path / "rule.json")
    with pytest.raises(ModelError, match="beside it"):
        model_from_bytes(json.dumps({**document, "counts": "../base.npz"}).encode(), where="x", read=lambda name: b"")


@pytest.mark.parametrize(
    "change",
    [
        *({"kind": "thresholds"}, {"schema": 9}, {"system": "magic"}, {"system": "classifier"}, {"penalty": -1}),
        *({"penalty": "x"}, {"constraints": {"unknown": 1}}, {"table": 5}),
    ],
    ids=str,
)
def test_damaged_documents_are_refused(change: dict[str, object]) -> None:
    data = json.dumps({**SIMPLE.to_document()[0], **change}).encode()
    with pytest.raises(ModelError, match="somewhere"):
        model_from_bytes(data, where="somewhere", read=lambda name: b"")


def test_time_on_a_large_page_is_bounded() -> None:
    piece = "<div><p>Some words of text with <a href='/x'>a link</a> and, again, words.</p></div>"
    tags = Page.parse(f"<body>{piece * 25_000}</body>").tags  # 2 MB
    model = supervised()
    begun = time.process_time()
    model.find(tags)
    assert time.process_time() - begun < 4.0  # 0.5 s on a quiet machine


SCORES = st.lists(st.integers(-12, 12).map(lambda number: number / 4), max_size=12)


def brute_force(scores: list[float], least: int) -> tuple[int, int]:
    ends = range(least, len(scores) + 1)
    runs = [(sum(scores[start:end]), -end, start) for end in ends for start in range(end - least + 1)]
    best, end, start = max(runs, default=(0.0, 0, 0))
    return (start, -end) if best > 0 else (0, 0)


@given(SCORES, st.integers(1, 5))
@example([5.0, -1.0, 1.0, -9.0], 2)
@example([5.0, -1.0, 1.0, -9.0], 4)
def test_the_best_run_of_some_length_equals_brute_force(scores: list[float], least: int) -> None:
    assert best_run_of_length(np.array(scores), least) == brute_force(scores, least)
    assert best_run_of_length(np.array(scores), 1) == best_run(np.array(scores))


@pytest.mark.parametrize(
    ("run", "stops", "expected"),
    [
        *(((2, 9), [], (2, 9)), ((2, 9), [0, 1], (2, 9)), ((2, 9), [1, 5, 7], (2, 5)), ((2, 9), [9, 12], (2, 9))),
        *(((2, 9), [2], (2, 2)), ((0, 0), [0, 1], (0, 0))),
    ],
)
def test_a_run_ends_before_the_first_stop_inside_it(
    run: tuple[int, int], stops: list[int], expected: tuple[int, int]
) -> None:
    assert truncate_run(run, np.array(stops, dtype=np.int64)) == expected
