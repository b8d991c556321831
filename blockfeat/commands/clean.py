"""The command ``blockfeat clean``: Crunch's filters on pages, or as a proxy on what a browser loads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat._extras import require_extra
from blockfeat._files import is_same_file, whole_file, write_text
from blockfeat.commands import console
from blockfeat.commands.console import NOTHING_READ, SOME_FAILED
from blockfeat.commands.options import MaxBytesOption, with_input_options
from blockfeat.errors import BlockfeatError, InputError
from blockfeat.io.inputs.options import DEFAULT_READING, InputOptions

if TYPE_CHECKING:
    from blockfeat.io.inputs import Document
    from blockfeat.papers.crunch.settings import CleanSettings

_LINES = (".jsonl", ".ndjson")


@with_input_options(delay=False)
def clean(
    pages: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAGE]…", help="Files, folders, addresses; standard input by default."),
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option(
            "--settings", "-s", help="TOML file, or a kind of page, such as listing; the default settings without one."
        ),
    ] = None,
    format: Annotated[str | None, typer.Option("--format", "-f", help="html or text; else as --output says.")] = None,
    sanitise: Annotated[bool, typer.Option("--sanitise", help="Write HTML in which nothing can run.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="File of the first page; .jsonl: a line for each; a folder: a file for each."
        ),
    ] = None,
    reading: InputOptions = DEFAULT_READING,
    max_bytes: MaxBytesOption = None,
    update_hosts: Annotated[bool, typer.Option("--update-hosts", help="Fetch the lists of hosts anew first.")] = False,
    show_settings: Annotated[bool, typer.Option("--show-settings", help="Print the default settings and end.")] = False,
    proxy: Annotated[
        int | None, typer.Option("--proxy", min=1, max=65535, help="Clean what a browser loads: a proxy on this port.")
    ] = None,
) -> None:
    """Take clutter out of pages and keep the rest as it is."""
    from blockfeat.io.inputs import read_inputs
    from blockfeat.papers.crunch.clean import Cleaner
    from blockfeat.papers.crunch.settings import CleanSettings, default_settings_text, read_settings

    if show_settings:
        console.show(default_settings_text().rstrip("\n"))
        return
    if proxy is not None:
        _serve_proxy(proxy, settings)
        return
    require_extra("clean", what="clean")
    target = None if output is None else Path(output)
    if target is not None and any(is_same_file(name, target) for name in pages or ()):
        raise console.wrong(f"{output}: it is an input too", "--output")
    format = format or ("text" if target is not None and target.suffix == ".txt" else "html")
    console.check_choice(format, ("html", "text"), "--format")
    chosen = CleanSettings() if settings is None else read_settings(settings)
    if update_hosts:
        _update_hosts(chosen, reading)
        if not pages:
            return
    cleaner = Cleaner.of(chosen)

    def cleaning(document: Document) -> str:
        if document.data is None:
            raise InputError(document.error or "it cannot be read")
        cleaned = cleaner.clean(document.data, charset=document.charset, max_bytes=max_bytes)
        for warning in cleaned.warnings:
            console.error(console.with_name(document.id, warning))
        return (cleaned.text() if format == "text" else cleaned.sanitised() if sanitise else cleaned.html).rstrip("\n")

    if target is not None and (target.is_dir() or str(output).endswith("/") or target.suffix in _LINES):
        _clean_many(read_inputs(pages or ["-"], reading), cleaning, format, target)
        return
    page = (pages or ["-"])[0]
    document = next(read_inputs([page], reading), None)
    if document is None:
        raise InputError(f"{page}: no page found")
    try:
        text = cleaning(document)
    except BlockfeatError as error:
        raise InputError(console.with_name(document.id, str(error))) from error
    if target is None:
        console.show(text)
    else:
        write_text(target, text + "\n")


def _serve_proxy(port: int, settings: Path | None) -> None:
    """Run the proxy until Ctrl-C."""
    import asyncio

    require_extra("proxy", what="clean --proxy")
    from blockfeat.papers.crunch.proxy import SETTINGS_HOST, CleaningAddon, serve_proxy
    from blockfeat.papers.crunch.settings import settings_text

    addon = CleaningAddon("" if settings is None else settings_text(settings))

    def on_ready() -> None:
        console.show(f"proxy of your browser: 127.0.0.1:{port} (HTTP and HTTPS); Ctrl-C ends it")
        where = f"http://{SETTINGS_HOST}/ behind the proxy; for HTTPS trust the certificate of http://mitm.it/"
        console.show(f"settings: {where}", at_once=True)

    asyncio.run(serve_proxy(addon, port=port, on_ready=on_ready))


def _clean_many(documents: Iterable[Document], cleaning: Callable[[Document], str], format: str, output: Path) -> None:
    """Write a line or a file for each document; the error of a failed one is printed, and the others are written."""
    from blockfeat.io.batch import FolderWriter, StreamWriter
    from blockfeat.io.outputs.formats import Rendered

    is_lines = output.suffix in _LINES
    done = failed = 0
    with whole_file(output) if is_lines else nullcontext() as file:
        writer = StreamWriter(file, True, str(output)) if file else FolderWriter(output, format)
        for document in documents:
            text, error = "", None
            try:
                text = cleaning(document)
            except BlockfeatError as problem:
                error = str(problem)
                console.error(console.with_name(document.id, error))
            if is_lines:
                record = {"id": document.id, "url": document.url, format: text or None, "error": error}
                written = json.dumps(record, ensure_ascii=False) + "\n"
            else:
                written = text + "\n" if error is None else ""
            writer.write(Rendered(document.id, written, error, document.url))
            done, failed = done + 1, failed + (error is not None)
        writer.close()
    console.show(f"{done} pages, {failed} failed; written: {output}")
    if failed:
        raise typer.Exit(NOTHING_READ if failed == done else SOME_FAILED)


def _update_hosts(settings: CleanSettings, reading: InputOptions) -> None:
    """Fetch the host lists that have an address, and print what was written."""
    from blockfeat.io.http.fetch import fetch
    from blockfeat.io.inputs.files import HINT
    from blockfeat.papers.crunch.decision import updated

    if not any(entry.url for entry in settings.advertisements.lists):
        raise typer.BadParameter("the settings name no list of hosts with a url", param_hint="--update-hosts")

    def fetched_text(url: str) -> str:
        data = fetch(url, networks=reading.networks, hint=HINT).data
        return data.decode("utf-8-sig", "replace") if isinstance(data, bytes) else str(data)

    for file, count in updated(settings.advertisements.lists, fetched_text):
        console.error(f"written: {file}, {count} hosts")
