"""The build: what is installed without a compiler, and where one module does not compile."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("Cython", reason="builds with Cython")
_ROOT = Path(__file__).parents[1]
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="compiles by a shell script"),
    pytest.mark.skipif(not (_ROOT / "setup.py").exists(), reason="needs the source archive"),
]
_MODULES = ("blockfeat.one", "blockfeat.two")
# Stands for the C compiler, and fails for the sources whose name holds a word.
_COMPILER = """#!/bin/sh
case "$*" in *{word}*) exit 1;; esac
exec cc "$@"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a small project that is built by the setup.py of this one."""
    package = tmp_path / "project" / "blockfeat"
    package.mkdir(parents=True)
    for name in ("setup.py", "README.md"):
        shutil.copy(_ROOT / name, package.parent)
    lists = f'COMPILED_MODULES = {_MODULES!r}\nSHARED_MODULE = "blockfeat._cython_shared"\n'
    (package / "compiled.py").write_text(lists, encoding="utf-8")
    (package / "__init__.py").touch()
    settings = '[project]\nname = "blockfeat"\nversion = "1"\ndynamic = ["readme"]\n'
    settings += '[tool.setuptools]\npackages = ["blockfeat"]\n'
    (package.parent / "pyproject.toml").write_text(settings, encoding="utf-8")
    for name in _MODULES:
        source = package / f"{name.rpartition('.')[2]}.py"
        source.write_text("def total(values: list) -> int:\n    return sum(values)\n", encoding="utf-8")
    return package.parent


def _wheel(project: Path, compiler: str) -> Path:
    words = [sys.executable, "setup.py", "--quiet", "bdist_wheel"]
    environment = {**os.environ, "CC": compiler, "BLOCKFEAT_JOBS": "1"}
    done = subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (project / "dist").glob("*.whl")
    return wheel


def _compiled(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {Path(name).name.split(".")[0] for name in archive.namelist() if name.endswith(".so")}


def _imports(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    code = "from blockfeat import one, two; assert one.total([1, 2]) == two.total([3]) == 3"
    subprocess.run([sys.executable, "-P", "-c", code], env={**os.environ, "PYTHONPATH": str(folder)}, check=True)


def _failing_for(word: str, folder: Path) -> str:
    path = folder / "compiler"
    path.write_text(_COMPILER.format(word=word), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_without_a_compiler_the_wheel_is_for_every_platform(project: Path, tmp_path: Path) -> None:
    wheel = _wheel(project, "/bin/false")
    assert wheel.name.endswith("-py3-none-any.whl")
    _imports(wheel, tmp_path / "installed")


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize(
    ("word", "compiled"),
    [("two", {"_cython_shared", "one"}), ("_cython_shared", set()), ("nothing", {"_cython_shared", "one", "two"})],
)
def test_what_fails_to_compile_is_left_uncompiled(project: Path, tmp_path: Path, word: str, compiled: set[str]) -> None:
    wheel = _wheel(project, _failing_for(word, tmp_path))
    assert (_compiled(wheel), wheel.name.endswith("-py3-none-any.whl")) == (compiled, not compiled)
    _imports(wheel, tmp_path / "installed")
