"""What an experiment needs: told before it begins, not after minutes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from shutil import which

__all__ = ["check_needs"]

_MODULES = {"python-crfsuite": "pycrfsuite", "readability-lxml": "readability"}
"""What Python imports by another name than pip has, hyphens aside."""


def check_needs(
    *,
    modules: Iterable[str] = (),
    folder: Path | None = None,
    corpora: Sequence[str] = (),
    files: Iterable[str | PathLike[str]] = (),
    programs: Iterable[str] = (),
) -> None:
    """Check that libraries, corpora, files and programs are there.

    Parameters
    ----------
    modules : iterable of str
        Libraries that are asked for by the experiment alone, by the name that pip has for them.
    folder : Path, optional
        Folder of the corpora.
    corpora : sequence of str
        Names of corpora, files ``NAME.jsonl.xz`` of the folder.
    files : iterable of paths
        Files and folders that options name.
    programs : iterable of str
        Commands that are called.

    Raises
    ------
    SystemExit
        Something is not installed, or not there; the message says what.
    """
    absent = [name for name in modules if find_spec(_MODULES.get(name, name.replace("-", "_"))) is None]
    if absent:
        raise SystemExit(f"this experiment needs {' and '.join(absent)}: pip install {' '.join(absent)}")
    unknown = [name for name in programs if which(name) is None]
    if unknown:
        raise SystemExit(f"this experiment needs the command {' and '.join(unknown)}")
    lost = [str(path) for path in files if not Path(path).exists()]
    if lost:
        raise SystemExit(f"there is no {' and no '.join(lost)}")
    if folder is not None:
        lost = [name for name in corpora if not (folder / f"{name}.jsonl.xz").is_file()]
        if lost:
            raise SystemExit(f"{folder} has no {', '.join(f'{name}.jsonl.xz' for name in lost)}: name it by --corpora")
