"""``blockfeat demo``: what a newcomer sees first."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from command_line import call

_PEERS = [name for name in ("resiliparse", "trafilatura") if importlib.util.find_spec(name)]


def _run(folder: Path, *words: str) -> str:
    done = call(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def lines(folder: Path) -> list[str]:
    return _run(folder, "demo").splitlines()


def test_it_begins_with_the_clean_text_and_fits_100_columns(lines: list[str]) -> None:
    assert max(map(len, lines)) <= 100
    rules = [number for number, line in enumerate(lines) if set(line) == {"-"}]
    text = "\n".join(lines[rules[0] + 1 : rules[1]])
    assert rules[0] == 2
    assert text.startswith("It appeared overnight")
    assert text.endswith("on the other side of the pond.")
    assert not re.search("email|cookie|Advertisement|Greyfell|Log in", text)
    # The headline, which the text leaves out, is shown once, as dropped.
    assert lines[0].endswith(", without its headline,")
    (line,) = (line for line in lines if "Who owns the bench" in line)
    assert re.match(r" +\d+ +\d+  - ", line)


def test_it_compares_the_default_model_with_thresholds_peers_and_all_blocks(lines: list[str]) -> None:
    matches = (re.fullmatch(r"  (\D+?) +(\d\.\d{3}) +(\d\.\d{3})", line) for line in lines)
    scores = {match[1].strip(): (float(match[2]), float(match[3])) for match in matches if match}
    assert list(scores) == ["default", "thresholds", *_PEERS, "all blocks"]
    assert scores["default"] > scores["thresholds"] > scores["all blocks"]
    assert all(sum(scores["default"]) > sum(scores[peer]) for peer in _PEERS)
    assert any(line.split()[2:-4] == ["default", "thresholds", *_PEERS] for line in lines)
    assert any(re.match(r" +\d+ +\d+  kept +- +", line) for line in lines)
    (line,) = (line for line in lines if "README" in line)
    assert "all 53 pages" in line


def test_it_gives_the_reasons_of_three_dropped_blocks(lines: list[str]) -> None:
    quoted = [number for number, line in enumerate(lines) if line.startswith("  “")]
    assert len(quoted) == 3
    assert all(lines[number + 1].startswith("      dropped: looks like ") for number in quoted)


def test_it_ends_with_two_commands_that_work(folder: Path, lines: list[str]) -> None:
    assert lines[-3] == "Try next:"
    explain, train = (shlex.split(line) for line in lines[-2:])
    assert explain[0] == train[0] == "blockfeat"
    assert "10 of 61 blocks kept" in _run(folder, *explain[1:])
    assert "de-fr.json" in _run(folder, *train[1:])
    written = {path.name for path in (folder / "demo-output").iterdir()}
    assert written >= {"page.html", "explained.html", "demo-model.json", "de-fr.json", "features.png"}
