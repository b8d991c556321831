"""The sections of the page, on a few pages made here and rendered by hand."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.data.corpus import LabelledPage, write_corpus
from blockfeat.errors import CorpusError
from blockfeat.models.sequence import DILATIONS, WEIGHT_NAMES
from blockfeat.training.evaluation.metrics import word_scores
from blockfeat.training.examples import TrainingPage
from blockfeat.training.sequence_network import SequenceFit, SequenceOptions
from experiments.corpora import Corpora
from experiments.nested_folds import Fold
from experiments.vips import systems
from experiments.vips.__main__ import main
from experiments.vips.browser import html_digest
from experiments.vips.changes import CHANGES, scores_of_changes
from experiments.vips.gain import VARIANTS, prepare, score_folds
from experiments.vips.layout import RenderedPage
from experiments.vips.rendering import rendering_section
from experiments.vips.study import Study
from experiments.vips.systems import ORACLE, granularity_section, systems_section
from laid_out import Box, page, paragraph

HOSTS = ("a.example", "b.example", "c.example", "d.example")


def article(number: int) -> list[str]:
    return [f"Sentence {line} of article {number} tells at some length what happened in the town." for line in range(4)]


def source(number: int) -> LabelledPage:
    links = "".join(f'<li><a href="/{n}">Section {n}</a></li>' for n in range(6))
    html = f"<body><ul>{links}</ul><div>{''.join(f'<p>{line}</p>' for line in article(number))}</div><p>All rights</p>"
    url = f"https://{HOSTS[number % 4]}/{number}"
    return LabelledPage(str(number), html, "\n\n".join(article(number)), "en", url, corpus="fundus")


def rendering(number: int) -> RenderedPage:
    links = [Box("li", (0, 20 * n, 200, 20), [paragraph((0, 20 * n, 200, 20), f"Section {n}")]) for n in range(6)]
    lines = [paragraph((300, 60 * n, 700, 50), line) for n, line in enumerate(article(number))]
    footer = paragraph((0, 400, 1000, 20), "All rights")
    body = [Box("ul", (0, 0, 200, 120), links), Box("div", (300, 0, 700, 230), lines), footer]
    found = page(Box("body", (0, 0, 1000, 420), body), own_styles=number % 2).to_record()
    digest = html_digest(source(number).html)
    return RenderedPage.of_record(found | {"corpus": "fundus", "id": str(number), "digest": digest})


@pytest.fixture
def study(tmp_path: Path) -> Study:
    write_corpus(map(source, range(8)), tmp_path / "fundus.jsonl.xz")
    failed = RenderedPage("fundus", "7", html_digest(source(7).html), error="took more than 1 s")
    pages = [*map(rendering, range(7)), failed]
    lines = "".join(json.dumps(one.to_record()) + "\n" for one in pages)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "fundus.jsonl").write_text(lines + '{"cut off', encoding="utf-8")
    return Study(Corpora(tmp_path), ("fundus",), tmp_path / "kept")


def test_the_rendering_section_counts_what_is_missing(study: Study) -> None:
    table = rendering_section(study)
    assert "| fundus | 8 | 1 | 0 | 3 | 4 | 420 | 1.000 | 0 |" in table
    assert "took more than 1 s" in table


def test_the_oracle_stands_beside_the_other_systems(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "installed_peers", lambda: ())
    monkeypatch.setattr(systems, "bundled_models", lambda: ("longest-block", "default"))
    table = systems_section(study)
    rows = {line.split(" | ")[0].strip("| "): line for line in table.splitlines()[2:]}
    assert " 1.000 | " in rows[ORACLE]
    assert {"default", "longest-block", "VIPS, largest leaf"} <= rows.keys()
    assert "all (7)" in table
    assert rows["default, hidden blocks dropped"].split(" | ")[1] == rows["default"].split(" | ")[1]
    kept = (study.folder / "systems.jsonl").read_text(encoding="utf-8")
    assert (systems_section(study), (study.folder / "systems.jsonl").read_text(encoding="utf-8")) == (table, kept)
    lines = granularity_section(study).splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {n}" for n in (5, 6, 7, 8, 9, 10)]


def test_each_choice_made_otherwise_has_a_score(study: Study) -> None:
    best, chosen = scores_of_changes(study.seen[:2])
    assert best.keys() == chosen.keys() == CHANGES.keys()
    assert all(0 <= below <= above <= 1 for name in best for below, above in zip(chosen[name], best[name], strict=True))
    assert best["as here"] == [1.0, 1.0]


def test_hidden_blocks_are_dropped_from_a_text_unless_nothing_is_left() -> None:
    extractor, found = Extractor.load("default"), rendering(0)
    whole = extractor.extract(source(0).html).text
    assert systems.seen_text(extractor, source(0), found) == whole
    record = found.to_record()
    shown = record["nodes"]["visible"]
    last = record["nodes"]["text"].index(article(0)[3])
    without_last = [*shown[:last], False, *shown[last + 1 :]]
    for visible, text in ((without_last, "\n\n".join(article(0)[:3])), ([False] * len(shown), whole)):
        part = RenderedPage.of_record(record | {"nodes": record["nodes"] | {"visible": visible}})
        assert systems.seen_text(extractor, source(0), part) == text


def untrained(pages: Sequence[TrainingPage], options: SequenceOptions) -> SequenceFit:
    """Weights that keep every block, in place of a training: PyTorch takes seconds to import."""
    inputs, channels = pages[0].matrix.shape[1], options.channels
    shapes = dict.fromkeys(WEIGHT_NAMES, (channels,)) | {"mean": (inputs,), "scale": (inputs,), "outer_bias": (1,)}
    shapes |= {"inner": (inputs, channels), "page": (channels, channels)}
    shapes |= {f"convolution_{layer}": (3 * channels, channels) for layer in range(len(DILATIONS))}
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in shapes.items()}
    return SequenceFit(weights | {"outer_bias": np.ones(1, dtype=np.float32)}, (0.0,))


def test_a_variant_is_trained_and_scored_for_each_fold(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[tuple[int, int, int]] = []

    def fit(pages: Sequence[TrainingPage], options: SequenceOptions) -> SequenceFit:
        trained.append((len(pages), pages[0].matrix.shape[1], options.seed))
        return untrained(pages, options)

    monkeypatch.setattr("experiments.vips.gain.fit_sequence", fit)
    pages = prepare([page for page, _ in study.seen], study.rendered)
    assert len(pages) == 7
    sources = [one.source for one in pages]
    fold = Fold("one", sources[2:], sources[:2])
    scores = score_folds(pages, [fold], (1, 2), options=SequenceOptions(channels=4))
    assert set(scores) == {("fundus", source.id) for source in sources[:2]}
    plain = pages[0].page.matrix.shape[1]
    assert trained == [(5, plain + len(names), seed) for names in VARIANTS.values() for seed in (1, 2)]
    whole = word_scores("\n".join(pages[0].page.texts), sources[0].text or "").f1
    assert all(found == pytest.approx(whole, abs=0.01) for found in scores["fundus", sources[0].id].values())


def test_damaged_records_are_refused() -> None:
    record = rendering(0).to_record()
    record["nodes"]["parent"] = [0, *record["nodes"]["parent"][1:]]
    for damaged, match in (({"id": "x"}, "no record"), (record, "stands before")):
        with pytest.raises(CorpusError, match=match):
            RenderedPage.of_record(damaged)


def test_wrong_usage_says_what_is_wrong(study: Study, tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--corpus", "no-such-corpus"])
    given = ["--corpora", str(tmp_path), "--corpus", "fundus", "--only", "systems", "--output"]
    with pytest.raises(SystemExit, match="are not there yet"):
        main([*given, str(tmp_path / "page.md")])
