"""The check of imports against extras finds each kind of fault, and none in the package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import blockfeat
from blockfeat._extras import modules_by_extra
from cases import CASES
from tools.check_imports import DOORLESS, ROOMS, Checker, Declared, canonical, distribution_of, portions, unused

_ROOT = Path(__file__).parents[2]
_DECLARED = Declared(
    plain=frozenset({"lxml"}),
    extras={"monitor": frozenset({"sqlalchemy"}), "train": frozenset({"scipy"}), "dev": frozenset({"pytest"})},
)
_ROOMS = {"blockfeat.monitor": ("monitor",), "blockfeat.training": ("train",)}
_OF_ROOMS = ["from blockfeat.training.fit import sparse", "import blockfeat.training.fit"]
_DOORS = {
    "monitor/__init__.py": 'from blockfeat._extras import require_extra\nrequire_extra("monitor", what=__name__)\n',
    "training/__init__.py": 'from blockfeat._extras import require_extra\nrequire_extra("train", what=__name__)\n',
    "training/fit.py": "from scipy import sparse\n",
}


def _problems(folder: Path, files: dict[str, str]) -> list[str]:
    """Check a package that is made of some files, beside those of the rooms."""
    for name, text in {**_DOORS, **files}.items():
        path = folder / "blockfeat" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(Checker(folder / "blockfeat", _DECLARED, _ROOMS).problems())


@pytest.mark.parametrize("text", CASES["an_import_that_an_install_lacks_is_found"] + _OF_ROOMS)
def test_an_import_that_an_install_lacks_is_found(text: str, tmp_path: Path) -> None:
    (found,) = _problems(tmp_path, {"page.py": text + "\n"})
    assert found.startswith("blockfeat.page, line ")
    assert "extra train" in found


@pytest.mark.parametrize(
    "text",
    [
        "import lxml.etree",
        "import json",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import scipy",
        "try:\n    import scipy\nexcept ImportError:\n    scipy = None",
        "def f():\n    try:\n        import scipy\n    except (ModuleNotFoundError, ValueError):\n        pass",
        'with importing("train", what=__name__):\n    import scipy',
        'def f():\n    require_extra("train", what="f")\n    import scipy',
        'def f():\n    require_extra("train", what="f")\n    def g():\n        import scipy',
        "def f():\n    from blockfeat.training.fit import sparse",
    ],
)
def test_a_guarded_import_is_none(text: str, tmp_path: Path) -> None:
    assert _problems(tmp_path, {"page.py": text + "\n"}) == []


def test_what_is_not_declared_is_named(tmp_path: Path) -> None:
    found = _problems(tmp_path, {"page.py": "import torch\n", "monitor/store.py": "import sqlalchemy\nimport pytest\n"})
    assert found == [
        "blockfeat.monitor.store, line 2: imports pytest, which pyproject.toml does not declare",
        "blockfeat.page, line 1: imports torch, which pyproject.toml does not declare",
    ]


def test_a_room_may_not_use_another_rooms_extra(tmp_path: Path) -> None:
    (found,) = _problems(tmp_path, {"monitor/stories.py": "from blockfeat.training import fit\n"})
    assert found.startswith("blockfeat.monitor.stories, line 1: imports blockfeat.training.fit")


def test_a_name_of_a_package_is_an_import_of_the_module_that_its_stub_names(tmp_path: Path) -> None:
    stub = {"data/__init__.py": "", "data/__init__.pyi": "from blockfeat.training.fit import sparse as sparse\n"}
    (found,) = _problems(tmp_path, {**stub, "page.py": "from blockfeat.data import sparse\n"})
    assert found.startswith("blockfeat.page, line 1: imports blockfeat.training.fit, a room of the extra train")


def test_a_room_needs_a_door(tmp_path: Path) -> None:
    files = {"training/__init__.py": "", "page.py": "def f():\n    from blockfeat.training import fit\n"}
    page, room = _problems(tmp_path, files)
    assert page.startswith("blockfeat.page, line 2: imports blockfeat.training.fit")
    assert room.startswith("blockfeat.training: a room of the extra train without a door")


def test_a_distribution_that_nothing_imports_is_named(tmp_path: Path) -> None:
    _problems(tmp_path, {"page.py": "import lxml\n"})
    found = [line for line in unused(_DECLARED, [tmp_path / "blockfeat"]) if not line.startswith("INDIRECT")]
    assert found == ["sqlalchemy is declared, and nothing imports it"]


def test_the_package_imports_nothing_that_its_installs_lack() -> None:
    declared = Declared.read(_ROOT / "pyproject.toml")
    assert list(Checker(Path(blockfeat.__file__).parent, declared, ROOMS, DOORLESS).problems()) == []


def test_the_table_of_extras_is_that_of_the_project() -> None:
    written = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    own = {
        extra: {canonical(line.partition(">")[0].partition(";")[0].partition("[")[0]) for line in lines} - {"blockfeat"}
        for extra, lines in written.items()
    }
    # Peers are asked for by name, bm25s by an experiment; the others are made of these.
    others = {"all", "dev", "peers", "retrieval"}
    assert {extra: set(map(distribution_of, modules)) for extra, modules in modules_by_extra().items()} == {
        extra: names for extra, names in own.items() if extra not in others
    }


@pytest.mark.parametrize(
    ("place", "text", "told"),
    [
        ("compat/old.py", "from blockfeat.web import app", "blockfeat.compat.old, line 1: imports web"),
        ("page.py", "import blockfeat.compat.old", "blockfeat.page, line 1: imports compat"),
        ("other/new.py", "import json", "blockfeat.other: no package"),
        ("compat/old.py", "import blockfeat.page", ""),
    ],
)
def test_a_folder_that_is_no_package_imports_from_below_and_is_imported_by_none(
    place: str, text: str, told: str, tmp_path: Path
) -> None:
    _problems(tmp_path, {place: text})
    order = [{"web"}, {"page", "training"}]
    found = list(portions(Checker(tmp_path / "blockfeat", _DECLARED, _ROOMS), {"blockfeat.compat": "web"}, order))
    assert "\n".join(found).startswith(told)
    assert bool(found) == bool(told)
