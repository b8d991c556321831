"""``train``: every kind, tested on other hosts, with its report and its record."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import blockfeat
from blockfeat import (
    CorpusError,
    Extractor,
    InputTypeError,
    LanguageError,
    MissingExtraError,
    TrainingError,
    TrainingOptions,
    train,
)
from blockfeat.data import demo_pages, write_corpus
from blockfeat.models import load_model, save_model
from blockfeat.papers.mss.trainer import TokenConfig
from blockfeat.papers.web2text.networks import Recipe, train_web2text
from blockfeat.papers.web2text.trainer import Web2TextConfig
from blockfeat.pso.swarm import SwarmOptions
from blockfeat.training import TRAINERS, MarginOptions, Progress, SequenceConfig, ThresholdConfig
from blockfeat.training.evaluation.metrics import word_scores
from blockfeat.training.sequence_network import SequenceOptions, fit_sequence

SWARM = SwarmOptions(particles=6, iterations=5, patience=0)
QUICK: dict[str, Any] = {
    "thresholds": ThresholdConfig(swarm=SWARM),
    "margin": MarginOptions(features=6, rounds=1, swarm=SWARM),
    "sequence": SequenceConfig(network=SequenceOptions(channels=16, passes=1, least_steps=60)),
    "tokens": TokenConfig(),
    "web2text": Web2TextConfig(recipe=Recipe(steps=150, check_every=50)),
}
LEAST_F1 = {"thresholds": 0.6, "margin": 0.75, "sequence": 0.7, "tokens": 0.6, "web2text": 0.75}
DEMO = demo_pages()
NEEDS_TORCH = ("sequence", "web2text")


@pytest.mark.parametrize("kind", ["thresholds", "sequence", "web2text"])
def test_pages_of_one_site_are_tested_on_other_pages(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    if kind in NEEDS_TORCH:
        pytest.importorskip("torch")
    own = [replace(page, url=f"https://own.example/{page.id}", corpus="own") for page in DEMO[:8]]
    model = train(own, kind=kind, config=QUICK[kind])
    assert ((model.report.parted_by, model.report.test_pages), model.record["split_by"]) == (("pages", 2), "page")
    assert "one host: split by page" in caplog.text


def test_a_page_alone_leaves_nothing_to_test() -> None:
    with pytest.raises(CorpusError, match="--split 1"):
        train(DEMO[:1])
    model = train(DEMO[:1], split=1, config=QUICK["thresholds"])
    assert (model.report.kind, model.report.training_pages, model.report.test_pages) == ("thresholds", 1, 0)


def test_the_default_kind_is_that_of_the_command() -> None:
    assert train(DEMO[:6], split=1).report.kind == "margin"
    assert train(DEMO[:6], options=TrainingOptions(swarm=SWARM, split=1)).report.kind == "thresholds"


@pytest.mark.parametrize("kind", TRAINERS)
def test_every_kind_learns_is_tested_and_stored(kind: str, tmp_path: Path) -> None:
    if kind in NEEDS_TORCH:
        pytest.importorskip("torch")
    seen: list[Progress] = []
    model = train(DEMO, kind=kind, seed=2, config=QUICK[kind], name="mine", on_progress=seen.append, command="c")
    report = model.report
    assert ((report.kind, report.interrupted), report.training_pages + report.test_pages) == ((kind, False), len(DEMO))
    assert report.test.text.extraction > (report.test.text.all_text or 0) + 0.1
    record = json.loads(json.dumps(dict(model.record)))
    assert (record["kind"], record["seed"], record["command"]) == (kind, 2, "c")
    assert record["scores"]["test"]["text"]["pages"] == report.test_pages
    assert sum(record["corpora"].values()) == len(DEMO) - report.test_pages
    path = tmp_path / f"mine{TRAINERS[kind].suffix}"
    save_model(model, path)
    again = load_model(path)
    assert again.name == "mine"
    texts = [Extractor.of(model).extract(page.html).text for page in DEMO]
    assert texts[::4] == [Extractor.of(again).extract(page.html).text for page in DEMO[::4]]
    scores = [word_scores(text, page.text or "").f1 for text, page in zip(texts, DEMO, strict=True)]
    assert sum(scores) / len(scores) > LEAST_F1[kind]
    assert all(0 <= step.done <= step.total for step in seen)
    assert {"measuring", "testing"} <= {step.phase for step in seen}


@pytest.mark.parametrize("kind", ["margin", "tokens"])
def test_the_same_seed_gives_the_same_model_with_one_job_or_two(kind: str) -> None:
    one, two = (train(DEMO, kind=kind, seed=3, config=QUICK[kind], jobs=jobs) for jobs in (1, 2))
    assert dict(one.record) == dict(two.record)
    html = DEMO[0].html
    assert Extractor.of(one).extract(html).text == Extractor.of(two).extract(html).text


def test_corpora_can_be_files_and_the_demo_pages(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl.xz"
    write_corpus([replace(page, corpus="") for page in DEMO if page.lang in ("de", "fr")], path)
    seen: list[Progress] = []
    model = train(path, langs=["de"], kind="tokens", split=1, on_progress=seen.append)
    assert (set(model.record["languages"]), model.languages) == ({"de"}, ("de",))
    assert next(step for step in seen if step.phase == "reading").total == 1
    both = train([str(path), "demo"], langs=["de"], kind="tokens", split=1)
    assert set(both.record["corpora"]) == {"mine", "demo"}
    with pytest.raises(LanguageError, match=r"'sw' in mine\.jsonl\.xz; there are: .*fr \("):
        train(path, langs=["sw"], kind="tokens")
    with pytest.raises(CorpusError, match="nosuch"):
        train(tmp_path / "nosuch.jsonl", kind="tokens")


def test_the_public_function_trains_thresholds_unless_asked_for_another_kind() -> None:
    options = blockfeat.TrainingOptions(swarm=SWARM, split=0.6, name="old")
    model = blockfeat.train(DEMO, langs=["de", "fr"], seed=1, options=options)
    assert (model.name, model.record["split"], model.report.kind) == ("old", 0.6, "thresholds")
    assert set(model.thresholds) == {"joint"}  # type: ignore[attr-defined]
    with pytest.raises(TrainingError, match="'options' are those of a threshold model"):
        blockfeat.train(DEMO, kind="margin", options=options)
    with pytest.raises(TrainingError, match="unknown kind 'magic'"):
        blockfeat.train(DEMO, kind="magic")


def test_snippets_and_gold_texts_are_scored_apart() -> None:
    mixed = [replace(page, text=None) if number % 2 else page for number, page in enumerate(DEMO)]
    model = train(mixed, seed=1, config=QUICK["thresholds"])
    report = model.report
    for scores in (report.training, report.test):
        assert [group.metric for group in scores.groups] == ["cosine", "snippets"]
    assert report.test.pages == report.test_pages
    parts = report.training.groups
    together = sum(part.extraction * part.pages for part in parts) / sum(part.pages for part in parts)
    assert report.fitness == pytest.approx(together)
    assert report.curves_of.startswith("cosine × length ratio, ")
    assert report.curves_of.endswith(" pages of the test part")


def test_pages_with_snippets_only_are_no_use_for_tokens() -> None:
    with pytest.raises(TrainingError, match="no gold text"):
        train([replace(page, text=None) for page in DEMO], kind="tokens", split=1)


@pytest.mark.parametrize(
    ("kind", "phase"), [("thresholds", "swarm"), ("margin", "swarm"), ("sequence", "network"), ("web2text", "network")]
)
def test_ctrl_c_keeps_what_progress_says(kind: str, phase: str) -> None:
    if kind in NEEDS_TORCH:
        pytest.importorskip("torch")
    stopped: list[Progress] = []

    def interrupt(step: Progress) -> None:
        if step.phase == phase and step.kept and not stopped:
            stopped.append(step)
            raise KeyboardInterrupt

    model = train(DEMO, kind=kind, config=QUICK[kind], on_progress=interrupt)
    assert stopped
    assert model.report.interrupted
    assert model.record["interrupted"] is True
    assert model.report.test is not None


@pytest.mark.parametrize(("kind", "phase"), [("margin", "measuring"), ("tokens", "measuring"), ("web2text", "network")])
def test_ctrl_c_before_there_is_a_model_passes_on(kind: str, phase: str) -> None:
    if kind in NEEDS_TORCH:
        pytest.importorskip("torch")

    def interrupt(step: Progress) -> None:
        if step.phase == phase:
            assert not step.kept
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(DEMO, kind=kind, config=QUICK[kind], on_progress=interrupt)


def test_ctrl_c_in_the_test_leaves_the_test_out() -> None:
    def interrupt(step: Progress) -> None:
        if step.phase == "testing" and step.done == 2:
            raise KeyboardInterrupt

    model = train(DEMO, kind="tokens", on_progress=interrupt)
    assert model.report.interrupted
    assert model.report.test is None


@pytest.mark.parametrize(
    ("kind", "fit"),
    [("sequence", lambda: fit_sequence([], SequenceOptions())), ("web2text", lambda: train_web2text([], []))],
)
def test_without_torch_the_extra_is_named_before_any_page_is_measured(
    kind: str, fit: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    seen: list[Progress] = []
    for work in (lambda: train(DEMO, kind=kind, on_progress=seen.append), fit):
        with pytest.raises(MissingExtraError, match=rf"blockfeat\[{kind}\]"):
            work()
    assert not seen


def test_a_bad_split_is_refused() -> None:
    with pytest.raises(TrainingError, match="share"):
        train(DEMO, kind="tokens", split=0)


def test_what_is_no_corpus_no_kind_and_no_language_is_named() -> None:
    for corpus in (None, 5):
        with pytest.raises(InputTypeError, match="a corpus must be paths or labelled pages, not"):
            blockfeat.train(corpus)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match=r"unknown kind \['margin'\]"):
        blockfeat.train("demo", kind=["margin"])  # type: ignore[arg-type]
    with pytest.raises(LanguageError):
        blockfeat.train("demo", langs=[5])  # type: ignore[list-item]
