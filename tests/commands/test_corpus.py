"""Which corpora a command reads: named ones, those of blockfeat.toml, or the demo pages."""

from pathlib import Path

import pytest

from blockfeat.commands.console import settings_files
from blockfeat.commands.corpus import choose_corpora
from blockfeat.errors import ConfigError


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "blockfeat.toml"
    path.write_text('[corpora]\nnews = "news.jsonl.xz"\nblogs = ["a.jsonl", "/far/b.jsonl.gz"]\n[other]\nx = 1\n')
    return path


def test_without_settings_the_demo_pages(tmp_path: Path) -> None:
    assert choose_corpora([], [tmp_path / "nosuch.toml"]) == (["demo"], "the bundled demo pages")


def test_settings_list_paths_relative_to_their_folder(settings: Path, tmp_path: Path) -> None:
    expected = [tmp_path / "news.jsonl.xz", tmp_path / "a.jsonl", Path("/far/b.jsonl.gz")]
    assert choose_corpora([], [tmp_path / "nosuch.toml", settings]) == (expected, str(settings))


def test_the_first_settings_file_with_corpora_counts(settings: Path, tmp_path: Path) -> None:
    empty, second = tmp_path / "empty.toml", tmp_path / "second.toml"
    empty.write_text("[other]\nx = 1\n", encoding="utf-8")
    second.write_text('[corpora]\nmine = "mine.jsonl"\n', encoding="utf-8")
    assert choose_corpora([], [empty, settings, second])[1] == str(settings)
    assert choose_corpora([], [second, settings])[0] == [tmp_path / "mine.jsonl"]


def test_named_corpora_are_files_names_of_the_settings_or_the_demo(settings: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.touch()
    expected = ["demo", own, tmp_path / "a.jsonl", Path("/far/b.jsonl.gz")]
    assert choose_corpora([str(own), "blogs", "demo"], [settings]) == (expected, "--corpus")
    assert choose_corpora(["nosuch.jsonl"], [settings])[0] == [Path("nosuch.jsonl")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[corpora", "cannot be read"),
        ("corpora = 3", "'corpora' must be a table"),
        ("[corpora]\nnews = 3", "'corpora.news' must be a path or an array of paths, not 3"),
        ("[corpora]\nnews = []", "'corpora.news' must be a path"),
        ("[corpora]\nnews = ['a', 4]", "'corpora.news' must be a path"),
    ],
)
def test_bad_settings_name_file_and_key(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "blockfeat.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        choose_corpora([], [path])
    assert str(error.value).startswith(f"{path}: ")
    assert reason in str(error.value)


def test_settings_are_looked_for_here_and_in_the_users_folder() -> None:
    here, home = settings_files()
    assert here == Path("blockfeat.toml")
    assert (home.name, home.parent.name) == ("blockfeat.toml", "blockfeat")
