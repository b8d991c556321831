"""The corpora of a command: named on the command line, else in ``blockfeat.toml``, else the bundled demo pages."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfeat.errors import CorpusError

DEMO = "demo"
_FILE = "blockfeat.toml"


@dataclass(frozen=True)
class CorpusChoice:
    """Which corpora a command reads.

    Attributes
    ----------
    paths : tuple of Path
        The corpus files.
    demo : bool
        Whether the bundled demo pages are among them.
    origin : str
        Where they were named, for a message.
    """

    paths: tuple[Path, ...]
    demo: bool
    origin: str


def settings_files() -> tuple[Path, ...]:
    """Return where ``blockfeat.toml`` is looked for: the current folder, then the user's configuration folder."""
    import typer

    return Path(_FILE), Path(typer.get_app_dir("blockfeat")) / _FILE


def choose_corpora(named: Sequence[str], files: Sequence[Path]) -> CorpusChoice:
    """Return the corpora that are named, or those of the first settings file with some, or the demo pages.

    Parameters
    ----------
    named : sequence of str
        Paths of corpus files, ``"demo"``, or names from ``[corpora]`` of a settings file.
    files : sequence of Path
        Settings files, the first one with ``[corpora]`` counts; one that is not there is passed over.

    Raises
    ------
    CorpusError
        A settings file is not TOML, or its ``[corpora]`` does not hold paths; the message names file and key.
    """
    found = next(((file, own) for file in files if (own := _corpora_of(file))), None)
    listed = found[1] if found else {}
    if named:
        paths: list[Path] = []
        for name in named:
            if name != DEMO:
                paths += [Path(name)] if Path(name).exists() or name not in listed else listed[name]
        return CorpusChoice(tuple(paths), DEMO in named, "--corpus")
    if found:
        return CorpusChoice(tuple(path for own in listed.values() for path in own), False, str(found[0]))
    return CorpusChoice((), True, "the bundled demo pages")


def _corpora_of(file: Path) -> dict[str, list[Path]]:
    """Return the corpus files by name that a settings file lists; paths in it are relative to its folder."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CorpusError(f"{file}: cannot be read: {error}") from error
    corpora: Any = document.get("corpora", {})
    if not isinstance(corpora, Mapping):
        raise CorpusError(f"{file}: 'corpora' must be a table of names and paths, not {corpora!r}")
    return {name: _paths(file, name, value) for name, value in corpora.items()}


def _paths(file: Path, name: str, value: Any) -> list[Path]:
    """Return the paths of one entry: a path, or an array of them."""
    entries = value if isinstance(value, list) else [value]
    if not entries or not all(isinstance(entry, str) for entry in entries):
        raise CorpusError(f"{file}: 'corpora.{name}' must be a path or an array of paths, not {value!r}")
    return [file.parent / Path(entry).expanduser() for entry in entries]
