"""The clean environments that documents name: the built wheel with the extras of an install line.

They stand in ``build/delivered``. A wheel is built where the sources have changed; an environment is made anew where
the wheel asks for other libraries, and else gets the new wheel alone.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from documented.fences import ROOT
from tools.clean_environments import interpreters

_PLACE = ROOT / "build" / "delivered"
_SOURCES = ("blockfeat", "setup.py", "pyproject.toml", "MANIFEST.in", "tools/build_release.py")
_BUILT = (".c", ".pyc", ".pyd", ".so")
# Extras that are not for every interpreter, and those that are too large for every run.
_LEAST_PYTHON = {"proxy": (3, 13)}
_LARGE = {"sequence": "6 GB of PyTorch", "web2text": "6 GB of PyTorch"}


class Unavailable(Exception):
    """An environment that this machine cannot have, or is not asked to; the message says why."""


@dataclass(frozen=True)
class Environment:
    """Where the programs of an environment stand, and the variables that they need."""

    programs: Path
    variables: tuple[tuple[str, str], ...] = ()


def extras_of(name: str) -> frozenset[str]:
    """Return the extras that the name of an environment asks for; none for "plain" and "development"."""
    return frozenset() if name in ("plain", "development") else frozenset(name.split(","))


def environment_of(name: str) -> Environment:
    """Return an environment, "development" for that of the tests; it is made where it is not there yet.

    Raises
    ------
    Unavailable
        Not on this machine.
    """
    if name == "development":
        return Environment(Path(sys.executable).parent, (("PYTHONPATH", str(ROOT)),))
    extras = sorted(extras_of(name))
    python = _interpreter_for(extras)
    folder = _PLACE / ("-".join(extras) or "plain")
    wheel = _wheel(compiled=python == sys.executable)
    with _alone(folder):
        install_into(wheel, extras, folder, python)
    return Environment(folder / "bin")


def _interpreter_for(extras: Sequence[str]) -> str:
    for extra in extras:
        if extra in _LARGE and not os.environ.get("BLOCKFEAT_LARGE"):
            raise Unavailable(f"{_LARGE[extra]}; make delivered LARGE=1 runs it")
    if "spark" in extras and shutil.which("java") is None:
        raise Unavailable("Java is not installed")
    least = max([(3, 11), *(_LEAST_PYTHON[extra] for extra in extras if extra in _LEAST_PYTHON)])
    if sys.version_info >= least:
        return sys.executable
    for python in interpreters(f"3.{minor}" for minor in range(least[1], 15)).values():
        return python
    raise Unavailable(f"Python {'.'.join(map(str, least))} is not installed")


def _wheel(*, compiled: bool) -> Path:
    """Build the wheel as a release does; other interpreters than that of the tests get one that is not compiled."""
    folder = _PLACE / ("wheel" if compiled else "uncompiled")
    stamp = folder / "sources"
    with _alone(folder):
        digest = _digest_of_sources()
        if not stamp.exists() or stamp.read_text() != digest:
            shutil.rmtree(folder, ignore_errors=True)
            script = [sys.executable, str(ROOT / "tools" / "build_release.py"), "--outdir", str(folder)]
            _run(script, {"BLOCKFEAT_COMPILE": "1" if compiled else "0"})
            stamp.write_text(digest)
        (wheel,) = folder.glob("*.whl")
    return wheel


def _digest_of_sources() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for name in _SOURCES:
        for path in sorted([ROOT / name, *(ROOT / name).rglob("*")]):
            if path.is_file() and path.suffix not in _BUILT:
                digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def install_into(wheel: Path, extras: Sequence[str], folder: Path, python: str) -> None:
    """Install a wheel with extras, as a user does; the wheel alone where it asks for the same libraries as before."""
    with zipfile.ZipFile(wheel) as files:
        (metadata,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        lines = files.read(metadata).decode().splitlines()
    asks = [python, *(line for line in lines if line.startswith("Requires-"))]
    wanted = {"asks": asks, "wheel": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    note = folder / "installed.json"
    there = json.loads(note.read_text()) if note.exists() else {}
    if there == wanted:
        return
    note.unlink(missing_ok=True)
    python_there = str(folder / "bin" / "python")
    pip = [python_there, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-compile"]
    if there.get("asks") == asks:
        _run([*pip, "--no-deps", "--force-reinstall", str(wheel)])
    else:
        shutil.rmtree(folder, ignore_errors=True)
        _run([python, "-m", "venv", str(folder)])
        _run([*pip, f"{wheel}[{','.join(extras)}]" if extras else str(wheel)])
    note.write_text(json.dumps(wanted))


def _run(command: Sequence[str], variables: dict[str, str] | None = None) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, env=environment | (variables or {}), cwd=ROOT, capture_output=True, text=True)
    told = (done.stderr + done.stdout)[-3000:]
    assert done.returncode == 0, f"{' '.join(command)} ends with {done.returncode}:\n{told}"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep the other processes of pytest from making the same."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
