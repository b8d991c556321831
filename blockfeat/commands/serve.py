"""The commands ``blockfeat serve``, ``label`` and ``mcp``, which run a server."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat._extras import require_extra
from blockfeat.commands import console
from blockfeat.commands import options as shared
from blockfeat.commands.batch import PassedOver
from blockfeat.commands.corpus import DEMO
from blockfeat.errors import InputError
from blockfeat.io.inputs.options import DEFAULT_READING, InputOptions

if TYPE_CHECKING:
    from blockfeat.io.inputs import Document
    from blockfeat.web.labelling.pages import SessionPages


def serve(
    host: shared.HostOption = "127.0.0.1",
    port: shared.PortOption = 8137,
    model: Annotated[list[str] | None, typer.Option("--model", "-m", help="Model to offer too; repeatable.")] = None,
    allow_host: shared.AllowHostOption = None,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Fetch from private addresses too.")] = False,
    allow_network: shared.AllowNetworkOption = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Worker processes.")] = 2,
    max_bytes: Annotated[int, typer.Option(min=1, help="Largest page and largest request.")] = 5_000_000,
    deadline: Annotated[float, typer.Option(min=0.1, help="Seconds that one page may take.")] = 20.0,
    fetch_deadline: Annotated[float, typer.Option(min=0.1, help="Seconds that fetching a page may take.")] = 20.0,
    rate: Annotated[int, typer.Option(min=0, help="Requests a minute of one client; 0 for no limit.")] = 240,
    kept_bytes: Annotated[int, typer.Option(min=1, help="Bytes of pages kept for the next request.")] = 64_000_000,
    trusted_proxy: shared.TrustedProxyOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show a line for each request.")] = False,
) -> None:
    """Serve the reader: pages read, coloured, compared and cleaned in a browser, and the same as a JSON API."""
    require_extra("web", what="serve")
    from blockfeat.web.app import address_of, bound_socket, create_app, server_of
    from blockfeat.web.guard import ServeSettings

    settings = ServeSettings(
        models=tuple(model or ()),
        allowed_hosts=tuple(allow_host or ()),
        allow_private=allow_private,
        networks=shared.allowed_networks(allow_network),
        max_bytes=max_bytes,
        deadline=deadline,
        fetch_deadline=fetch_deadline,
        jobs=jobs,
        requests_per_minute=rate,
        kept_bytes=kept_bytes,
    )
    app = create_app(settings)
    with bound_socket(host, port) as listening:
        console.show(f"The reader is at {address_of(listening)} (Ctrl-C ends it)", at_once=True)
        log_level = "info" if verbose else "warning"
        server_of(app, trusted_proxies=trusted_proxy or (), log_level=log_level).run(sockets=[listening])


def mcp(
    model: shared.ModelOption = "default",
    store: Annotated[str | None, typer.Option(help="Monitor's store or configuration, to search mentions.")] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP, not over standard input and output.")] = False,
    host: shared.HostOption = "127.0.0.1",
    port: shared.PortOption = 8140,
    allow_host: shared.AllowHostOption = None,
    allow_network: shared.AllowNetworkOption = None,
) -> None:
    """Give language models tools that read pages, and search mentions, by the Model Context Protocol."""
    require_extra("mcp", what="mcp")
    from blockfeat.commands.monitor_results import is_own_machine, opened_store
    from blockfeat.models.store import DEFAULT_MODEL, load_model
    from blockfeat.web.reader import page_workers

    shared.allowed_networks(allow_network)
    if model != DEFAULT_MODEL:
        load_model(model)
    with page_workers(model).begun() as workers:
        # The SDK makes so many models of messages that collecting garbage takes a tenth of the start.
        gc.disable()
        from blockfeat.web.mcp import create_server, http_app

        gc.enable()
        with nullcontext() if store is None else opened_store(store) as opened:
            server = create_server(workers=workers, store=opened, networks=allow_network or ())
            if not http:
                server.run()
                return
            from blockfeat.web.app import address_of, bound_socket, server_of

            with bound_socket(host, port) as listening:
                is_own = opened is None or is_own_machine(listening, opened)
                app = http_app(server, allowed_hosts=allow_host or (), store=opened, is_open=is_own)
                console.show(f"The tools are at {address_of(listening)}mcp (Ctrl-C ends it)", at_once=True)
                server_of(app).run(sockets=[listening])


@shared.with_input_options()
def label(
    corpus: Annotated[list[str], typer.Argument(metavar="CORPUS", help="Folders, files, addresses, archives, 'demo'.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Corpus file for the labels, .jsonl; CORPUS.labels.jsonl here by default."),
    ] = None,
    model: shared.ModelOption = "default",
    host: shared.HostOption = "127.0.0.1",
    port: shared.PortOption = 8138,
    allow_host: shared.AllowHostOption = None,
    reading: InputOptions = DEFAULT_READING,
    unsure: Annotated[bool, typer.Option("--unsure", help="Show first what the model is least sure of.")] = False,
    quiet: shared.QuietOption = False,
) -> None:
    """Label the blocks of pages in a browser, with suggestions of a model, and train on them."""
    require_extra("web", what="label")
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.web.app import address_of, bound_socket, server_of
    from blockfeat.web.guard import ServeSettings
    from blockfeat.web.labelling.app import create_label_app
    from blockfeat.web.labelling.background import training_lacks
    from blockfeat.web.labelling.pages import Suggester
    from blockfeat.web.labelling.session import LabelSession

    # One labeller on this machine: no limit of requests.
    settings = ServeSettings(allowed_hosts=tuple(allow_host or ()), requests_per_minute=0)
    suggester = Suggester(Extractor.load(model))
    target = output or default_output(corpus)
    if target.is_dir():
        raise console.wrong(f"{target} is a folder", "--output")
    pages = _session_pages(corpus, reading, quiet=quiet)
    with bound_socket(host, port) as listening, LabelSession(pages, target, suggester) as session:
        progress = session.progress
        console.show(f"{progress.pages} pages, {progress.done} of them labelled; labels go to {target}")
        if unsure:
            with console.progress("looking at the pages", quiet=quiet, total=lambda: progress.left) as tick:
                session.rank(on_page=tick)
        if lacks := training_lacks():
            console.show(f"No model is trained on them here: {lacks}")
        console.show(f"Label them at {address_of(listening)} (Ctrl-C ends; everything is saved at once)", at_once=True)
        # A labeller ends by Ctrl-C; everything is saved already.
        with suppress(KeyboardInterrupt):
            server_of(create_label_app(session, settings)).run(sockets=[listening])
        done = session.progress.done
    pages.close()
    console.show(f"{done} labelled pages in {target}")


def default_output(corpus: Sequence[str]) -> Path:
    """Return the corpus file for the labels of some inputs: named after the first, in the current folder."""
    first = Path(corpus[0]).name if "://" not in corpus[0] else "addresses"
    for suffix in (".gz", ".xz", ".zst", ".jsonl", ".warc", ".parquet", ".html", ".htm", ".txt"):
        first = first.removesuffix(suffix)
    return Path(f"{first or 'pages'}.labels.jsonl")


def _session_pages(corpus: Sequence[str], options: InputOptions, *, quiet: bool) -> SessionPages:
    """Return all pages of the inputs.

    Raises
    ------
    InputError
        There are no pages.
    """
    from blockfeat.web.labelling.pages import SessionPages

    passed_over = PassedOver()
    with console.progress("reading", quiet=quiet) as tick:
        pages = SessionPages.of(_documents(corpus, options, passed_over, tick))
    if not quiet:
        for problem in filter(None, [*pages.problems, passed_over.message()]):
            console.error(problem)
    if not pages.ids:
        raise InputError(f"{', '.join(corpus)}: there are no pages to label")
    return pages


def _documents(
    corpus: Sequence[str], options: InputOptions, passed_over: PassedOver, tick: console.Ticker
) -> Iterator[Document]:
    """Yield the pages of all inputs, ``demo`` being the bundled ones; show their number as progress."""
    from blockfeat.data import demo_pages
    from blockfeat.io.inputs import Document, read_inputs

    demo = demo_pages() if DEMO in corpus else []
    bundled = (Document(id=page.id, data=page.html, url=page.url, lang=page.lang) for page in demo)
    others = [name for name in corpus if name != DEMO]
    found = read_inputs(others, options, on_passed_over=passed_over) if others else ()
    for number, document in enumerate(chain(bundled, found), start=1):
        tick(number)
        yield document
