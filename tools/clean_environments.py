"""Find the Pythons of this machine, and make empty environments of them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

_ASKED = "import ensurepip, sys, venv; print(*sys.version_info[:2])"


def interpreters(versions: Iterable[str]) -> dict[str, str]:
    """Return a Python for each version that is installed and can make environments: from the path, or of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found: dict[str, str] = {}
    for version in versions:
        for candidate in (f"python{version}", *sorted(map(str, pyenv.glob(f"versions/{version}.*/bin/python")))):
            if version not in found and _version_of(candidate) == version:
                found[version] = candidate
    return found


def make_environment(folder: Path, interpreter: str, *arguments: str) -> Path:
    """Make an empty environment, install by pip what the arguments say, and return its Python."""
    subprocess.run([interpreter, "-m", "venv", "--clear", str(folder)], check=True, env=without_python())
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install(python, *arguments)
    return python


def install(python: Path, *arguments: str) -> None:
    """Let pip install into an environment."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "--quiet", "install"]
    subprocess.run([*pip, *arguments], check=True, env=without_python())


def without_python() -> dict[str, str]:
    """Return the variables of this process but those that lead another Python to this one's modules."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}


def _version_of(interpreter: str) -> str | None:
    try:
        done = subprocess.run([interpreter, "-c", _ASKED], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ".".join(done.stdout.split()[-2:]) if done.returncode == 0 else None
