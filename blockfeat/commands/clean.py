"""The command ``blockfeat clean``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.inputs import input_options
from blockfeat.commands.options import AllowNetworkOption, FieldsOption, InputFormatOption, MaxBytesOption
from blockfeat.errors import BlockfeatError, InputError

if TYPE_CHECKING:
    from blockfeat.io.inputs import InputOptions
    from blockfeat.papers.crunch.settings import CleanSettings


_FORMATS = ("html", "text")


def clean(
    page: Annotated[
        str | None, typer.Argument(help="File, address, or '-' for standard input; of several pages the first.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", "-s", help="TOML file with settings; those of the paper without one.")
    ] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="html or text.")] = "html",
    sanitise: Annotated[
        bool, typer.Option("--sanitise", help="Write HTML without anything that could run, by an allow list.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; by default standard output.")] = None,
    input_format: InputFormatOption = "auto",
    fields: FieldsOption = None,
    allow_network: AllowNetworkOption = None,
    max_bytes: MaxBytesOption = None,
    update_hosts: Annotated[
        bool, typer.Option("--update-hosts", help="Fetch the host lists of the settings anew first.")
    ] = False,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print the default settings and exit.")
    ] = False,
) -> None:
    """Take clutter out of a page and keep the rest as it is."""
    from blockfeat.papers.crunch.read_settings import default_settings_text, read_settings
    from blockfeat.papers.crunch.settings import CleanSettings

    if show_settings:
        console.show(default_settings_text().rstrip("\n"))
        return
    if format not in _FORMATS:
        raise typer.BadParameter(f"'{format}' is none of {', '.join(_FORMATS)}", param_hint="--format")
    reading = input_options(input_format, fields, allow_network, 0.0)
    chosen = CleanSettings() if settings is None else read_settings(settings)
    if update_hosts:
        _update_hosts(chosen, reading)
        if page is None:
            return
    text = _cleaned(page or "-", chosen, reading, format=format, sanitise=sanitise, max_bytes=max_bytes)
    if output is None:
        console.show(text)
    else:
        from blockfeat._files import write_text

        write_text(output, text + "\n")


def _cleaned(
    page: str, settings: CleanSettings, reading: InputOptions, *, format: str, sanitise: bool, max_bytes: int | None
) -> str:
    """Read the one page, the first of several, and clean it."""
    from blockfeat.io.inputs import read_inputs
    from blockfeat.papers.crunch.clean import Cleaner

    cleaner = Cleaner.of(settings)
    document = next(read_inputs([page], reading), None)
    if document is None:
        raise InputError(f"{page}: no page found")
    if document.data is None:
        raise InputError(console.with_name(document.id, document.error or "it cannot be read"))
    try:
        cleaned = cleaner.clean(document.data, charset=document.charset, max_bytes=max_bytes)
    except BlockfeatError as error:
        raise InputError(console.with_name(document.id, str(error))) from error
    for warning in cleaned.warnings:
        console.error(console.with_name(document.id, warning))
    written = cleaned.text() if format == "text" else cleaned.sanitised() if sanitise else cleaned.html
    return written.rstrip("\n")


def _update_hosts(settings: CleanSettings, reading: InputOptions) -> None:
    """Fetch the host lists that have an address, and say what was written."""
    from blockfeat.papers.crunch.hosts import updated

    lists: Sequence[object] = [entry for entry in settings.advertisements.lists if entry.url]
    if not lists:
        raise typer.BadParameter("the settings name no list of hosts with a url", param_hint="--update-hosts")

    def fetched_text(url: str) -> str:
        from blockfeat.io.http.fetch import fetch

        data = fetch(url, networks=reading.networks).data
        return data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else str(data)

    for file, count in updated(settings.advertisements.lists, fetched_text):
        console.error(f"written: {file}, {count} hosts")
