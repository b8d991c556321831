"""Names that the shell completes."""

from __future__ import annotations

from blockfeat.commands.outputs import FORMAT_NAMES


def model_names(incomplete: str) -> list[str]:
    """Complete the name of a bundled model; reading the names needs no model."""
    from importlib.resources import files

    folder = files("blockfeat").joinpath("models", "bundled")
    found = [entry.name.rpartition(".") for entry in folder.iterdir()]
    return _starting(sorted(name for name, _, suffix in found if suffix in ("json", "npz")), incomplete)


def format_names(incomplete: str) -> list[str]:
    """Complete the name of an output format."""
    return _starting(FORMAT_NAMES, incomplete)


def input_format_names(incomplete: str) -> list[str]:
    """Complete the name of an input format."""
    from blockfeat.io.inputs.options import INPUT_FORMATS

    return _starting(INPUT_FORMATS, incomplete)


def sides(incomplete: str) -> list[str]:
    """Complete what can be favoured."""
    return _starting(("precision", "recall"), incomplete)


def corpus_names(incomplete: str) -> list[str]:
    """Complete the name of the bundled corpus; files are completed by the shell."""
    return _starting(("demo",), incomplete)


def _starting(names: tuple[str, ...] | list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
