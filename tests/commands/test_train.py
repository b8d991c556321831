"""The command ``blockfeat train``, as a user types it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from blockfeat.data import demo_pages, write_corpus
from blockfeat.models import load_model
from blockfeat.training.config import config_text, load_config
from blockfeat.training.train import train
from cases import CASES
from command_line import Called, call
from pages import article_page

CALL = [sys.executable, "-c", "from blockfeat.cli import main; main()"]
ROOT = Path(__file__).resolve().parents[2]
QUICK = "features = 6\nrounds = 1\n[swarm]\nparticles = 6\niterations = 5\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder, with a quick configuration of the margin model beside it."""
    (tmp_path / "quick.toml").write_text(QUICK, encoding="utf-8")
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def environment(folder: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "settings")}


def blockfeat(folder: Path, *words: str | Path, code: int = 0) -> Called:
    done = call(*words, folder=folder, environment=environment(folder))
    assert done.returncode == code, done.stderr
    return done


def test_typed_with_languages_only_it_trains_and_says_what_next(folder: Path) -> None:
    done = blockfeat(folder, "train", "--lang", "de,fr", "--config", "../quick.toml", "--kind", "margin")
    assert "training on the bundled demo pages" in done.stdout
    assert "written: blockfeat-de-fr.json" in done.stdout
    model = load_model(folder / "blockfeat-de-fr.json")
    assert (model.kind, model.name, model.languages) == ("margin", "blockfeat-de-fr", ("de", "fr"))
    assert model.record["command"] == "blockfeat train --lang de,fr --config ../quick.toml --kind margin"
    assert "word F1" in done.stdout
    assert re.search(r"^fitness before swarm: 0\.\d+, after 0\.\d+$", done.stdout, re.M)
    config = load_config(str(folder.parent / "quick.toml"), "margin")[1]
    called = train("demo", langs=["de", "fr"], config=config)
    assert called.own_values() == model.own_values(), "the call and the command train the same"
    advice = done.stdout.splitlines()[-1].split()
    assert advice[-5:] == ["blockfeat", "extract", "--model", "blockfeat-de-fr.json", "PAGE.html"]
    (folder / "PAGE.html").write_text(article_page(), encoding="utf-8")
    blockfeat(folder, *advice[-4:])


def test_a_reader_that_ends_loses_no_model(folder: Path) -> None:
    words = ["train", "--corpus", "demo", "--kind", "margin", "--config", "../quick.toml", "-o", "mine.json"]
    settings = {**os.environ, **environment(folder), "PYTHONUNBUFFERED": "1"}
    run = subprocess.Popen([*CALL, *words], cwd=folder, env=settings, stdout=subprocess.PIPE)
    assert run.stdout is not None
    assert run.stdout.readline().startswith(b"training a model")
    run.stdout.close()  # as `| head -1` does: the tables find no reader
    assert run.wait() == 0
    assert load_model(folder / "mine.json").kind == "margin"


def test_ones_own_pages_of_one_site_are_split_by_page_and_it_says_so(folder: Path) -> None:
    own = [replace(page, url=f"https://own.example/{page.id}") for page in demo_pages()[:6]]
    write_corpus(own, folder / "own.jsonl")
    words = [*CALL, "train", "--corpus", "own.jsonl", "--kind", "margin", "--config", "../quick.toml", "-o", "own.json"]
    variables = {**os.environ, **environment(folder)}
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=True)
    assert done.stderr == "one host: split by page; the test pages tell nothing about other sites\n"
    assert "test, other pages" in done.stdout
    write_corpus(own[:1], folder / "own.jsonl")
    alone = blockfeat(folder, "train", "--corpus", "own.jsonl", code=126)
    assert "not 1: label others, or train without a test, by a training share of 1 (--split 1)" in alone.stderr


def test_the_default_kind_is_margin_unless_an_option_is_for_thresholds(folder: Path) -> None:
    quick = ("--set", "swarm.particles=5", "--set", "swarm.iterations=2", "--corpus", "demo", "--lang", "de")
    first_line = blockfeat(folder, "train", *quick, "--decoder", "conjunction", "-o", "a.json").stdout.split("\n")[0]
    assert "of kind thresholds: hard thresholds by the particle swarm, all of which a block has to pass" in first_line
    blockfeat(folder, "train", *quick, "-o", "b.json")
    assert load_model(folder / "a.json").kind == "thresholds"
    model = load_model(folder / "b.json")
    assert (model.kind, model.record["options"]["swarm"]["particles"]) == ("margin", 5)


def test_corpora_are_those_of_blockfeat_toml(folder: Path) -> None:
    pages = [page for page in demo_pages() if page.lang in ("de", "fr")]
    write_corpus(pages, folder / "mine.jsonl.gz")
    (folder / "blockfeat.toml").write_text('[corpora]\nmine = "mine.jsonl.gz"\n', encoding="utf-8")
    done = blockfeat(folder, "train", "--kind", "tokens", "--lang", "de", "--force")
    assert "training on blockfeat.toml: mine.jsonl.gz" in done.stdout
    assert (folder / "blockfeat-de.npz").exists()
    done = blockfeat(folder, "train", "--kind", "tokens", "--corpus", "mine", "-o", "named.npz", "--force")
    assert "training on" not in done.stdout


def test_the_configuration_is_printed_whole(folder: Path) -> None:
    assert blockfeat(folder, "train", "--kind", "margin", "--print-config").stdout == config_text("margin")


@pytest.mark.parametrize(
    ("output", "code", "said"),
    [("own.jsonl", 2, "it is a corpus too"), (".", 126, "Is a directory"), ("own.jsonl/m.json", 126, "is no folder")],
)
def test_what_cannot_be_written_is_said_before_anything_is_learnt(
    folder: Path, output: str, code: int, said: str
) -> None:
    write_corpus(demo_pages()[:2], folder / "own.jsonl")
    before = (folder / "own.jsonl").read_bytes()
    done = blockfeat(folder, "train", "--corpus", "own.jsonl", "--output", output, "--quiet", code=code)
    assert (said in done.stderr, "features" in done.stdout) == (True, False)
    assert (folder / "own.jsonl").read_bytes() == before


@pytest.mark.parametrize(("words", "reason"), CASES["wrong_usage_is_one_message_and_code_2"])
def test_wrong_usage_is_one_message_and_code_2(words: tuple[str, ...], reason: str, folder: Path) -> None:
    done = blockfeat(folder, "train", *words, code=2)
    assert (reason in done.said, "Traceback" in done.said) == (True, False)
    assert list(folder.iterdir()) == []


def test_the_curves_are_written_where_asked_for(folder: Path) -> None:
    quick = ("--set", "swarm.particles=5", "--set", "swarm.iterations=3", "--corpus", "demo", "--lang", "de,fr")
    done = blockfeat(folder, "train", "--kind", "thresholds", *quick, "--report", "curves")
    names = {path.name for path in (folder / "curves").iterdir()}
    assert names == {"convergence.csv", "convergence.png", "features.csv", "features.png"}
    record = json.loads((folder / "blockfeat-de-fr.json").read_text(encoding="utf-8"))["record"]
    assert set(record["scores"]["test"]) == {"text"}
    assert "HL (2nd labeller)" in done.stdout
    done = blockfeat(folder, "train", "--kind", "tokens", *quick[4:], "--report", "none", "--force")
    assert ("a model of kind tokens has no curves" in done.stdout, (folder / "none").exists()) == (True, False)


def test_a_model_worse_than_all_blocks_is_written_by_force_only(folder: Path) -> None:
    words = ("train", "--kind", "tokens", "--corpus", "demo", "--lang", "de", "-o", "m.npz")
    refused = blockfeat(folder, *words, code=1)
    assert refused.said.endswith("keeping all blocks is better: m.npz is not written; --force writes it")
    assert not (folder / "m.npz").exists()
    assert blockfeat(folder, *words, "--force").stdout.splitlines()[-2] == "written: m.npz"


@pytest.mark.slow
def test_ctrl_c_in_the_swarm_says_at_once_what_it_keeps(folder: Path) -> None:
    (folder.parent / "long.toml").write_text("[swarm]\niterations = 100000\npatience = 0\n", encoding="utf-8")
    command = [*CALL, "train", "--kind", "thresholds", "--config", "../long.toml", "-o", "m.json"]
    variables, pipe = {**os.environ, **environment(folder)}, subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=variables, stderr=pipe, stdout=pipe, encoding="utf-8") as process:
        assert "kind thresholds" in process.stdout.readline()
        assert "demo pages" in process.stdout.readline()
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=600)
    assert "stopping" in stderr
    if "best thresholds so far are kept" in stderr:
        assert process.returncode == 0
        assert load_model(folder / "m.json").record["interrupted"] is True
    else:  # a slow machine was still measuring
        assert "no model is written" in stderr
        assert process.returncode == 130


def test_listed_pages_are_left_out_of_training_and_evaluation(folder: Path) -> None:
    german = [page for page in demo_pages() if page.lang == "de"]
    listed = "".join(json.dumps({"corpus": page.corpus, "id": page.id}) + "\n" for page in german[:2])
    (folder / "wrong.jsonl").write_text(listed, encoding="utf-8")
    options = ("--corpus", "demo", "--lang", "de", "--leave-out", "wrong.jsonl")
    quick = ("--kind", "margin", "--config", "../quick.toml", "--split", "1", "-o", "a.json")
    blockfeat(folder, "train", *options, *quick)
    record = load_model(folder / "a.json").record
    assert (record["left_out"], record["pages"]["all"]) == (2, len(german) - 2)
    blockfeat(folder, "evaluate", *options, "--model", "margin", "--output", "scores.json")
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert {page["id"] for page in scores["pages"]} == {page.id for page in german[2:]}
    (folder / "wrong.jsonl").write_text("{}\n", encoding="utf-8")
    assert "wrong.jsonl, line 1" in blockfeat(folder, "evaluate", *options, code=126).stderr
