"""The names that packages offer are there."""

import pkgutil
from importlib import import_module

import pytest

import blockfeat

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

_PACKAGES = ["blockfeat", *(m.name for m in pkgutil.walk_packages(blockfeat.__path__, "blockfeat.") if m.ispkg)]


@pytest.mark.parametrize("package", _PACKAGES)
def test_every_public_name_can_be_imported(package: str) -> None:
    module = import_module(package)
    for name in getattr(module, "__all__", ()):
        assert getattr(module, name) is not None, f"{package}.{name}"
