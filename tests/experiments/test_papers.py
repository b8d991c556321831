"""The experiments of the papers' figures and differences, on the demo pages and on pages counted by hand."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from blockfeat.data import demo_pages
from blockfeat.features.schema import CANONICAL
from blockfeat.lang.identify import Identifier
from blockfeat.page.page import Page
from blockfeat.papers.mss.page_tokens import END_TAG, START_TAG, PageTokens
from blockfeat.papers.web2text import features
from blockfeat.papers.web2text.leaves import leaf_measurer
from cases import CASES
from experiments import differences, ziegler
from experiments.mss.source_tokens import source_tokens
from experiments.needs import check_needs

_FOLDER = Path(differences.__file__).parent
_MAINS = (path for path in _FOLDER.rglob("*.py") if "\ndef main(" in path.read_text(encoding="utf-8"))
_OTHERS = {"damaged_archives", "crunch.__main__"}  # makes what it reads; ends as `blockfeat train` does
_EXPERIMENTS = sorted({".".join(path.relative_to(_FOLDER).with_suffix("").parts) for path in _MAINS} - _OTHERS)
_GIVEN = dict(CASES["an_experiment_names_what_is_not_there_before_it_begins"])
DEMO = [page for page in demo_pages() if page.lang in ("de", "en", "fr") and page.text]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ziegler.Study:
    """The demo pages, two splits, and swarms of few particles."""

    def small(config: ziegler.ThresholdConfig) -> ziegler.ThresholdConfig:
        return replace(config, swarm=replace(config.swarm, particles=8, iterations=3))

    monkeypatch.setattr(ziegler, "_SYSTEMS", {name: small(own) for name, own in ziegler._SYSTEMS.items()})
    monkeypatch.setattr(ziegler, "_PAPER", small(ziegler._PAPER))
    monkeypatch.setattr(ziegler, "_GENERATIONS", (1, 3))
    return ziegler.Study(DEMO, repeat=2)


def test_001_is_told_in_tables_of_each_system_feature_and_generation(study: ziegler.Study) -> None:
    first = dict(line.split("|")[1:3] for line in ziegler.table1(study).split("\n\n")[0].splitlines())
    assert {name.strip() for name in first} >= {*ziegler._SYSTEMS, "PR, all blocks, `html5`", "TB, all text"}
    assert ziegler.single_table(study).count(" alone, `html5` |") == len(CANONICAL)
    swarms, generations = (part.strip().splitlines()[2:] for part in ziegler.figure3(study).split("\n\n"))
    assert len(swarms) == len(ziegler._MOVES)
    assert [line.split(" | ")[0] for line in generations] == ["| 1", "| 2", "| 3"]


def test_a_feature_that_binds_nowhere_scores_as_all_blocks_do(study: ziegler.Study) -> None:
    everything = study.part(ziegler._PAPER, study.pages)
    all_blocks = everything.fitness(everything.space.keep_all[None])[:, 0]
    for feature in everything.space.features:
        loosest = everything.curve(feature)[:, 0 if feature.sign > 0 else -1]
        assert loosest == pytest.approx(all_blocks)


@pytest.mark.parametrize("name", _EXPERIMENTS)
def test_an_experiment_names_what_is_not_there_before_it_begins(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.needs.find_spec", lambda name: name)
    given = [word.replace("GONE", str(tmp_path / "gone")) for word in _GIVEN.get(name, "--corpora GONE").split()]
    with pytest.raises(SystemExit, match=r"gone has no .*\.jsonl\.xz.*name it by --corpora|there is no .*gone"):
        import_module(f"experiments.{name}").main(given)


def test_a_command_that_an_experiment_calls_is_named_where_it_is_not_there() -> None:
    with pytest.raises(SystemExit, match="needs the command no-such-program"):
        check_needs(programs=["sh", "no-such-program"])


def test_a_source_has_the_tokens_of_the_tree_but_for_what_is_repaired() -> None:
    whole = "<html><body><p>Two words, 12.</p><br/><p>More.</p></body></html>"
    tree, source = PageTokens.of(Page.parse(whole).tags), source_tokens(whole)
    for name in ("kind", "key", "unclosed"):
        assert np.array_equal(getattr(tree, name)[tree.is_tag], getattr(source, name)[source.is_tag])
    assert source.texts(np.flatnonzero(source.is_word)) == ["two", "words", "12", "more"]

    broken = source_tokens("<p>One<script>x = 1</script><li>two</b>three")
    assert broken.kind.tolist() == [START_TAG, 2, START_TAG, END_TAG, START_TAG, 2, END_TAG, 2]
    assert broken.unclosed[[5, 7]].tolist() == [broken.key[4]] * 2  # </b> closes nothing


def test_differences_are_told_as_gains_on_what_the_package_does() -> None:
    crunch = differences.crunch_rows(DEMO[:6])
    assert (crunch[0][0], crunch[0][2:]) == ("crunch2003", ["+0.000", "+0.000 to +0.000"])
    tokens = differences.token_rows(DEMO, [1])
    assert [row[0] for row in tokens] == list(differences._TOKENS)
    leaves = differences.leaf_rows(DEMO[:6])
    assert leaves[0][2] == "0.0000" < leaves[2][2]


def test_the_authors_code_bounds_punctuation_and_takes_the_middle_of_a_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = leaf_measurer(Identifier.build()).measure(Page.parse(f"<p>One{'!' * 40}</p><p>Two</p><p>Three</p>"))
    usual = features.page_features(measured).blocks
    found = {}
    for changed in (differences._bounded, differences._from_the_middle):
        monkeypatch.setattr(features, "_own_features", changed)
        found[changed.__name__] = features.page_features(measured).blocks
    assert (usual[0, 23], found["_bounded"][0, 23]) == (40, 10)
    middle = found["_from_the_middle"][:, 25]
    assert np.all((usual[:, 25] < middle) & (middle < np.append(usual[1:, 25], 1)))


def test_runs_of_tokens_and_their_blocks_differ_little() -> None:
    rows = {name: [float(cell) for cell in cells[:3]] for name, *cells in differences.rounding_rows(DEMO[:4])}
    assert rows["`longest-block`"] != rows["`mss-supervised`"]
    assert all(abs(blocks - run - gain) < 0.002 and abs(gain) < 0.2 for run, blocks, gain in rows.values())
