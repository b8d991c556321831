"""The table of packages in docs/how-it-works.md, from their docstrings, in the order in which a page meets them."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

from tools.figures.results import Table


def packages(root: Path) -> Table:
    """Return a row for each package of a checkout: lower layers of the contract in pyproject.toml first."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(contract for contract in settings["contracts"] if contract["type"] == "layers")
    names = [name.strip() for layer in reversed(contract["layers"]) for name in layer.split("|")]
    modules = {name: root / "blockfeat" / name / "__init__.py" for name in names}
    return {
        f"`{name}/`": {"package": f"`{name}/`", "contents": _first_line(path)}
        for name, path in modules.items()
        if path.exists()
    }


def _first_line(path: Path) -> str:
    """Return the first line of the docstring of a module."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
