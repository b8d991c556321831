"""What the options of inputs mean, and what is said about inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import typer

from blockfeat.errors import InputError

if TYPE_CHECKING:
    from blockfeat.io.inputs import InputOptions


def input_options(format: str, fields: str | None, networks: Sequence[str] | None, delay: float) -> InputOptions:
    """Check the options that say how inputs are read."""
    from blockfeat.io.http.addresses import parse_network
    from blockfeat.io.inputs.options import INPUT_FORMATS, FieldNames, InputOptions

    if format not in INPUT_FORMATS:
        raise typer.BadParameter(f"'{format}' is none of {', '.join(INPUT_FORMATS)}", param_hint="--input-format")
    try:
        names = FieldNames.parse(fields) if fields else FieldNames()
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--fields") from error
    try:
        allowed = tuple(parse_network(network) for network in networks or ())
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--allow-network") from error
    return InputOptions(format, names, allowed, delay=delay)


class PassedOver:
    """Counts the files of folders that are not read, by suffix."""

    def __init__(self) -> None:
        self.suffixes: Counter[str] = Counter()

    def __call__(self, name: str) -> None:
        """Count a file."""
        self.suffixes[PurePath(name).suffix.lower()] += 1

    def message(self) -> str | None:
        """Return what was passed over and why; None for nothing."""
        if not self.suffixes:
            return None
        counts = ", ".join(f"{count} {suffix or 'without a suffix'}" for suffix, count in self.suffixes.most_common())
        files = "1 file" if self.suffixes.total() == 1 else f"{self.suffixes.total()} files"
        return (
            f"passed over {files} in folders, no pages by their suffix or first bytes: {counts} "
            "(--input-format html reads every file)"
        )
