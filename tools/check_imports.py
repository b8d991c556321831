"""Check the imports of the package against its extras, without running them: `make lint` does.

Command: python tools/check_imports.py

A module may import what a plain install brings, and what the extras of its room bring (ROOMS). Everything else is
guarded where it stands: by ``try: … except ImportError``, by ``with importing("extra")``, or by
``require_extra("extra")`` in front of it in the same function. A room that needs an extra has a door, a
``require_extra`` that runs when the room is imported; modules of other rooms import it inside of functions only, where
the door answers. A distribution that is declared has to be imported somewhere.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from blockfeat._lazy import names_of_stub

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "blockfeat"

ROOMS = {
    "blockfeat.data.align": ("train",),
    "blockfeat.training.evaluation.peers": ("peers",),
    "blockfeat.integrations.spark": ("spark",),
    "blockfeat.monitor": ("monitor",),
    "blockfeat.papers.mss.trainer": ("train",),
    "blockfeat.papers.web2text.trainer": ("train",),
    "blockfeat.pso": ("train",),
    "blockfeat.training": ("train",),
    "blockfeat.web": ("web",),
    "blockfeat.web.labelling.learning": ("train",),
    "blockfeat.web.live": ("monitor",),
    "blockfeat.web.mcp": ("mcp", "monitor"),
}
"""The extras that packages and modules may use freely; those of a package hold for all that is in it."""

DOORLESS = {
    "blockfeat.training.evaluation.peers": "`Peer.load` says which peer cannot be imported",
    "blockfeat.integrations.spark": "its functions look first, so that its command can say it in one line",
    "blockfeat.web.mcp": "its imports of the SDK stand in `importing`",
}
"""Rooms without a door of their own, and what stands for it."""

PORTIONS = {"blockfeat.compat": "integrations"}
"""Folders that are no packages, which import-linter does not see, and the layer beside which each stands."""

NAMES = {
    "cchardet": "faust-cchardet",
    "justext": "jusText",
    "newspaper": "newspaper4k",
    "opencc": "opencc-python-reimplemented",
    "readability": "readability-lxml",
    "spellchecker": "pyspellchecker",
}
"""Distributions of modules that have another name."""

COMES_WITH = {
    "anyio": "fastapi",
    "h11": "uvicorn",
    "markdown_it": "rich",
    "markupsafe": "jinja2",
    "py4j": "pyspark",
    "starlette": "fastapi",
}
"""Modules that another library is made of or hands out, and the one that brings them."""

INDIRECT = {
    "lxml-html-clean": "what several peers ask lxml for",
    "psycopg": "SQLAlchemy, for stores of PostgreSQL",
    "pythainlp": "spaCy, for Thai",
    "python-multipart": "FastAPI, for forms",
    "sudachidict-core": "spaCy, for Japanese",
    "sudachipy": "spaCy, for Japanese",
}
"""Distributions that nothing here imports, and what does."""

_OWN = frozenset({"cython"})  # blockfeat.compiled stands in for it
_DEVELOPMENT = ("all", "dev")
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?")
_ANY = "*"


def canonical(name: str) -> str:
    """Return the name of a distribution as packaging compares them."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True)
class Declared:
    """What pyproject.toml declares.

    Attributes
    ----------
    plain : frozenset of str
        Distributions of a plain install.
    extras : mapping of str to frozenset of str
        Distributions that each extra brings, with those of the extras that it includes.
    """

    plain: frozenset[str]
    extras: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, path: Path) -> Declared:
        """Read the project's table of a pyproject.toml."""
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        written: dict[str, list[str]] = project["optional-dependencies"]

        def brought(lines: Iterable[str]) -> Iterator[str]:
            for line in lines:
                match = _REQUIREMENT.match(line)
                assert match is not None, line
                if match[1] == PACKAGE:
                    for extra in match[2].split(","):
                        yield from brought(written[extra.strip()])
                else:
                    yield canonical(match[1])

        extras = {extra: frozenset(brought(lines)) for extra, lines in written.items()}
        return cls(frozenset(brought(project["dependencies"])), extras)


@dataclass(frozen=True)
class Import:
    """One import: of which module, where, and which extras are asked for in front of it.

    Attributes
    ----------
    module : str
        Full name.
    line : int
        Where it stands.
    is_inside : bool
        Whether it stands in a function.
    guards : frozenset of str
        Extras that are asked for; ``"*"`` where any failure is handled.
    """

    module: str
    line: int
    is_inside: bool
    guards: frozenset[str]


@dataclass
class _Reader(ast.NodeVisitor):
    """Collects the imports of a module, and the extras that it asks for when it is imported."""

    found: list[Import] = field(default_factory=list)
    door: set[str] = field(default_factory=set)
    _guards: frozenset[str] = frozenset()
    _is_inside: bool = False

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        before = self._guards, self._is_inside
        self._is_inside = True
        self.generic_visit(node)
        self._guards, self._is_inside = before

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_If(self, node: ast.If) -> None:
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> None:
        handled = {ast.unparse(handler.type) if handler.type else _ANY for handler in node.handlers}
        catches = any(re.search(r"\*|ImportError|ModuleNotFoundError|^Exception$", name) for name in handled)
        before, self._guards = self._guards, self._guards | ({_ANY} if catches else set())
        for statement in node.body:
            self.visit(statement)
        self._guards = before
        for statement in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(statement)

    def visit_With(self, node: ast.With) -> None:
        before = self._guards
        for item in node.items:
            self._guards |= _extras_of(item.context_expr, "importing")
        self.generic_visit(node)
        self._guards = before

    def visit_Expr(self, node: ast.Expr) -> None:
        asked = _extras_of(node.value, "require_extra")
        self._guards |= asked
        if not self._is_inside:
            self.door |= asked
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("import_module", "find_spec") and node.args and isinstance(node.args[0], ast.Constant):
            self._add(str(node.args[0].value), node.lineno)  # to look for a library is to use it
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self._add(name.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert node.module is not None, f"line {node.lineno}: a relative import"
        for name in node.names:
            self._add(f"{node.module}.{name.name}", node.lineno)

    def _add(self, module: str, line: int) -> None:
        self.found.append(Import(module, line, self._is_inside, self._guards))


def _extras_of(call: ast.expr, function: str) -> frozenset[str]:
    """Return the extra that a call of a function of `blockfeat._extras` names; any for one that is no literal."""
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function):
        return frozenset()
    first = call.args[0]
    return frozenset({str(first.value) if isinstance(first, ast.Constant) else _ANY})


@dataclass(frozen=True)
class Checker:
    """Holds a package against what is declared.

    Attributes
    ----------
    folder : Path
        The package.
    declared : Declared
        What each install brings.
    rooms : mapping
        As `ROOMS`.
    doorless : collection of str
        As `DOORLESS`.
    """

    folder: Path
    declared: Declared
    rooms: Mapping[str, tuple[str, ...]]
    doorless: Iterable[str] = ()

    @cached_property
    def modules(self) -> dict[str, _Reader]:
        """The imports of each module, by its name."""
        found = {}
        for path in sorted(self.folder.rglob("*.py")):
            parts = path.relative_to(self.folder.parent).with_suffix("").parts
            reader = found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = _Reader()
            reader.visit(ast.parse(path.read_text(encoding="utf-8")))
        return found

    def problems(self) -> Iterator[str]:
        """Yield a line for each import that an install may not have, and for each room without a door."""
        for name, reader in self.modules.items():
            own = self._extras(name)
            for found in reader.found:
                reason = self._reason(own, found)
                if reason:
                    yield f"{name}, line {found.line}: {reason}"
        for room, extras in self.rooms.items():
            for extra in extras:
                if room not in self.doorless and extra not in self.doors[room]:
                    yield f"{room}: a room of the extra {extra} without a door: require_extra({extra!r}, what=__name__)"

    def _extras(self, module: str) -> set[str]:
        """Return the extras of all rooms that a module stands in."""
        return {extra for room in _packages(module) for extra in self.rooms.get(room, ())}

    def _reason(self, own: set[str], found: Import) -> str | None:
        top = found.module.partition(".")[0]
        if top in sys.stdlib_module_names or top in _OWN or _ANY in found.guards:
            return None
        if top == self.folder.name:
            target = self._target(found.module)
            absent = self._extras(target) - own - found.guards
            closed = self.doors.get(target, frozenset()) if found.is_inside else frozenset()
            # Whoever compares peers asks which are there.
            if lacking := sorted(absent - closed - {"peers"}):
                return f"imports {target}, a room of the extra {lacking[0]}, {_WAY_OUT.format(lacking[0])}"
            return None
        distribution = distribution_of(top)
        brought = self.declared.plain.union(*(self.declared.extras[extra] for extra in own | set(found.guards)))
        if distribution in brought:
            return None
        extras = self.declared.extras
        named = sorted(
            (extra for extra in extras if distribution in extras[extra]), key=lambda extra: len(extras[extra])
        )
        named = [extra for extra in named if extra not in _DEVELOPMENT]
        if not named:
            return f"imports {top}, which pyproject.toml does not declare"
        return f"imports {top} of the extra {' or '.join(named)}, {_WAY_OUT.format(named[0])}"

    def _target(self, name: str) -> str:
        """Return the module that an import loads: what is imported from it may be a name in it, or in its stub."""
        return name if name in self.modules else self._homes.get(name, name.rpartition(".")[0])

    @cached_property
    def _homes(self) -> dict[str, str]:
        """The modules that names of packages are loaded from at their first use, by package and name."""
        return {
            f"{'.'.join(stub.parent.relative_to(self.folder.parent).parts)}.{name}": home
            for stub in self.folder.rglob("__init__.pyi")
            for name, home in names_of_stub(stub).items()
        }

    @cached_property
    def doors(self) -> dict[str, frozenset[str]]:
        """The extras that the import of each module asks for: its own, those of its packages and of what it imports."""
        loads = {
            name: [*_packages(name), *(self._target(found.module) for found in reader.found if not found.is_inside)]
            for name, reader in self.modules.items()
        }
        doors = {name: frozenset(reader.door) for name, reader in self.modules.items()}
        while True:
            further = {name: doors[name].union(*(doors.get(other, ()) for other in loads[name])) for name in doors}
            if further == doors:
                return doors
            doors = further


_WAY_OUT = (
    "which an install may lack: in a function, with require_extra({0!r}, …) in front of it, or in a room of this extra"
)


def _packages(module: str) -> Iterator[str]:
    """Yield the names of a module and of all packages that it is in, the outermost first."""
    parts = module.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def distribution_of(module: str) -> str:
    """Return the distribution that brings a module."""
    module = COMES_WITH.get(module, module)
    return canonical(NAMES.get(module, module))


def unused(declared: Declared, folders: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each distribution that is declared, and imported nowhere, and for each exception without use."""
    used = set()
    for folder in folders:
        for reader in Checker(folder, declared, {}).modules.values():
            used |= {distribution_of(found.module.partition(".")[0]) for found in reader.found}
    runtime = {extra: all for extra, all in declared.extras.items() if extra not in _DEVELOPMENT}
    wanted = declared.plain.union(*runtime.values())
    yield from (f"{name} is declared, and nothing imports it" for name in sorted(wanted - used - INDIRECT.keys()))
    stale = (INDIRECT.keys() & used) | (INDIRECT.keys() - wanted)
    yield from (f"INDIRECT: {name} is imported here, or not declared" for name in sorted(stale))


def layers(path: Path) -> list[set[str]]:
    """Return the names of each layer of a pyproject.toml's contract, from high to low."""
    contracts = tomllib.loads(path.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (names,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [{name.strip(" ()") for name in layer.split("|")} for layer in names]


def portions(checker: Checker, known: Mapping[str, str], order: list[set[str]]) -> Iterator[str]:
    """Yield a line for each import of a folder as in `PORTIONS` that is not from below, and for each import of it."""
    parents = {path.parent for path in checker.folder.rglob("*.py") if not (path.parent / "__init__.py").exists()}
    folders = {".".join(path.relative_to(checker.folder.parent).parts) for path in parents - {checker.folder}}
    yield from (f"{folder}: no package, and not in PORTIONS" for folder in sorted(folders - known.keys()))
    for name, reader in checker.modules.items():
        own = next((folder for folder in known if name.startswith(f"{folder}.")), None)
        height = next((place for place, layer in enumerate(order) if own and known[own] in layer), -1)
        above = set().union(*order[: height + 1])
        for found in reader.found:
            part = found.module.removeprefix(f"{checker.folder.name}.").partition(".")[0]
            is_inside = own is not None and found.module.startswith(f"{own}.")
            if found.module.startswith(f"{checker.folder.name}.") and part in above:
                yield f"{name}, line {found.line}: imports {part}, which does not stand below it"
            elif not is_inside and found.module.startswith(tuple(known)):
                yield f"{name}, line {found.line}: imports {part}, which is for other programs"


def main() -> int:
    """Print the problems; return 1 if there are any."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    declared = Declared.read(ROOT / "pyproject.toml")
    checker = Checker(ROOT / PACKAGE, declared, ROOMS, DOORLESS)
    found = [*checker.problems(), *portions(checker, PORTIONS, layers(ROOT / "pyproject.toml"))]
    found += unused(declared, (ROOT / name for name in (PACKAGE, "experiments", "benchmarks", "examples")))
    print("\n".join(found), end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
