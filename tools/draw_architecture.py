"""Draw docs/architecture.svg: the packages by their layers, and which imports which, from the code.

Layers come from the contract in pyproject.toml that ``lint-imports`` checks, imports from the sources (grimp). Of the
imports those are drawn that do not follow from others: an arrow from a to c is left out where a imports b and b
imports c. Nothing points to the lowest layer, which all packages use.

Command: python tools/draw_architecture.py [--check]
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TARGET = ROOT / "docs" / "architecture.svg"
WIDTH, ROW, BOX_HEIGHT, GAP, MARGIN = 860, 62, 30, 26, 20
STYLE = """<style>
  rect { fill: #e0f2f1; stroke: #00796b; } text { font: 14px sans-serif; fill: #102a27; text-anchor: middle; }
  path { fill: none; stroke: #78909c; stroke-width: 1.2; } marker path { fill: #78909c; stroke: none; }
  .ground { fill: #ffffff; stroke: none; }
</style>"""
MARKER = (
    '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
)
Place = tuple[float, float, float]


def layers() -> list[list[str]]:
    """Return the packages of each layer, from high to low, as the contract has them; without private modules."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(contract for contract in settings["contracts"] if contract["type"] == "layers")
    rows = [[name.strip(" ()") for name in layer.split("|")] for layer in contract["layers"]]
    return [kept for row in rows if (kept := [name for name in row if name[0] != "_" and _is_there(name)])]


def _is_there(name: str) -> bool:
    return find_spec(f"blockfeat.{name}") is not None


def imports(names: Sequence[str]) -> dict[str, set[str]]:
    """Return for each package those that it imports, at any place of its sources, but for annotations."""
    import grimp

    graph = grimp.build_graph("blockfeat", exclude_type_checking_imports=True, cache_dir=None)
    found: dict[str, set[str]] = {name: set() for name in names}
    for module in graph.modules:
        importer = _package_of(module)
        for imported in graph.find_modules_directly_imported_by(module) if importer in found else ():
            target = _package_of(imported)
            if target in found and target != importer:
                found[importer].add(target)
    return found


def _package_of(module: str) -> str:
    return module.partition(".")[2].partition(".")[0]


def drawn(found: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return the imports that do not follow from others."""
    reached: dict[str, set[str]] = {}

    def below(name: str) -> set[str]:
        if name not in reached:
            reached[name] = set().union(*({other, *below(other)} for other in found[name]), set())
        return reached[name]

    pairs = [(importer, target) for importer, targets in found.items() for target in targets]
    return sorted(
        (importer, target)
        for importer, target in pairs
        if not any(target in below(other) for other in found[importer] - {target})
    )


def places(rows: Sequence[Sequence[str]]) -> dict[str, Place]:
    """Return the middle and the width of each box; rows shift from side to side, so that arrows can be told apart."""
    found: dict[str, Place] = {}
    for number, row in enumerate(rows):
        widths = [max(70, 9 * len(name) + 22) for name in row]
        shift = 0 if len(row) > 1 else (-250, 180, -80, 290, 60)[number % 5]
        left = (WIDTH - sum(widths) - GAP * (len(row) - 1)) / 2 + shift
        for name, width in zip(row, widths, strict=True):
            found[name] = (left + width / 2, MARGIN + number * ROW + BOX_HEIGHT / 2, width)
            left += width + GAP
    return found


def drawing() -> str:
    """Return the drawing as SVG."""
    rows = layers()
    at = places(rows)
    height = 2 * MARGIN + (len(rows) - 1) * ROW + BOX_HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="The packages of blockfeat by layers, with arrows from importer to imported">',
        STYLE,
        MARKER,
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
        *_arrows([pair for pair in drawn(imports(list(at))) if pair[1] not in rows[-1]], at),
        *_boxes(at),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _arrows(pairs: Sequence[tuple[str, str]], at: Mapping[str, Place]) -> Iterator[str]:
    """Yield a curve for each import, from the bottom of one box to the top of the other."""
    leaving: dict[str, list[str]] = {}
    arriving: dict[str, list[str]] = {}
    for importer, target in pairs:
        leaving.setdefault(importer, []).append(target)
        arriving.setdefault(target, []).append(importer)
    for importer, target in pairs:
        x1 = _port(at[importer], importer_side(leaving[importer], target, at), len(leaving[importer]))
        x2 = _port(at[target], importer_side(arriving[target], importer, at), len(arriving[target]))
        y1, y2 = at[importer][1] + BOX_HEIGHT / 2, at[target][1] - BOX_HEIGHT / 2
        bend = max(18.0, (y2 - y1) * 0.45)
        yield (
            f'<path marker-end="url(#to)" d="M{x1:.0f} {y1:.0f} C{x1:.0f} {y1 + bend:.0f} '
            f'{x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"><title>{importer} imports {target}</title></path>'
        )


def importer_side(names: Sequence[str], name: str, at: Mapping[str, Place]) -> int:
    """Return the rank of a name among others from left to right."""
    return sorted(names, key=lambda other: (at[other][0], other)).index(name)


def _port(place: Place, rank: int, count: int) -> float:
    """Return where along a box an arrow begins or ends."""
    x, _, width = place
    return x + (rank - (count - 1) / 2) * min(14.0, (width - 16) / max(1, count))


def _boxes(at: Mapping[str, Place]) -> Iterator[str]:
    for name, (x, y, width) in at.items():
        left, top = f"{x - width / 2:.0f}", f"{y - BOX_HEIGHT / 2:.0f}"
        yield f'<rect x="{left}" y="{top}" width="{width}" height="{BOX_HEIGHT}" rx="6"/>'
        yield f'<text x="{x:.0f}" y="{y + 5:.0f}">{escape(name)}</text>'


def main() -> int:
    """Write the drawing, or say whether it is current."""
    text = drawing()
    if "--check" in sys.argv:
        return 0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
