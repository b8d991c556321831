"""Find the Pythons of this machine, and make empty environments of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

_ASKED = "import sys, venv; print(*sys.version_info[:2])"


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
    """Make an environment with nothing in it, not even pip, install what the arguments say, and return its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([interpreter, "-m", "venv", "--without-pip", str(folder)], check=True, env=without_python())
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    install(python, *arguments)
    return python


def install(python: Path, *arguments: str) -> None:
    """Let uv, which takes a fraction of pip's time, install into an environment."""
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(python), *arguments]
    subprocess.run(command, check=True, env=without_python())


def without_python() -> dict[str, str]:
    """Return the variables of this process but those that lead another Python to this one's modules."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}


def _version_of(interpreter: str) -> str | None:
    try:
        done = subprocess.run([interpreter, "-c", _ASKED], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return ".".join(done.stdout.split()[-2:]) if done.returncode == 0 else None
