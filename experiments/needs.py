"""What an experiment needs: told before it begins, not after minutes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

__all__ = ["check_needs"]


def check_needs(*, modules: Iterable[str] = (), folder: Path | None = None, corpora: Sequence[str] = ()) -> None:
    """Check that libraries and corpora are there.

    Parameters
    ----------
    modules : iterable of str
        Libraries that are asked for by the experiment alone, by the name that pip has for them.
    folder : Path, optional
        Folder of the corpora.
    corpora : sequence of str
        Names of corpora, files ``NAME.jsonl.xz`` of the folder.

    Raises
    ------
    SystemExit
        Libraries are not installed, or corpora are not there; the message says which.
    """
    absent = [name for name in modules if find_spec(name.replace("-", "_")) is None]
    if absent:
        raise SystemExit(f"this experiment needs {' and '.join(absent)}: pip install {' '.join(absent)}")
    if folder is not None:
        lost = [name for name in corpora if not (folder / f"{name}.jsonl.xz").is_file()]
        if lost:
            raise SystemExit(f"{folder} has no {', '.join(f'{name}.jsonl.xz' for name in lost)}: name it by --corpora")
