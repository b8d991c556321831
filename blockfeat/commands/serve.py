"""The command ``blockfeat serve``."""

from __future__ import annotations

from typing import Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.options import AllowNetworkOption
from blockfeat.errors import InputError


def serve(
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 takes a free one.")] = 8137,
    model: Annotated[
        list[str] | None, typer.Option("--model", "-m", help="Model file to offer beside the bundled ones; repeatable.")
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Name under which the service may be asked for, beside localhost and IP addresses; repeatable.",
        ),
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Fetch from addresses of this machine and private networks too.")
    ] = False,
    allow_network: AllowNetworkOption = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Worker processes.")] = 2,
    max_bytes: Annotated[int, typer.Option(min=1, help="Largest page and largest request.")] = 5_000_000,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds that one page may take.")] = 20.0,
    fetch_time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds that fetching a page may take.")] = 20.0,
    rate: Annotated[int, typer.Option(min=0, help="Requests a minute of one client; 0 for no limit.")] = 240,
    kept_bytes: Annotated[
        int, typer.Option(min=1, help="Memory for pages that are kept for the next request; the oldest go first.")
    ] = 64_000_000,
    trusted_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trusted-proxy", metavar="IP", help="Proxy in front whose X-Forwarded-For is believed; repeatable."
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show a line for each request.")] = False,
) -> None:
    """Serve the reader: pages read, coloured, compared and cleaned in a browser, and the same as a JSON API."""
    from blockfeat._extras import WEB, require_extra
    from blockfeat.io.http.addresses import parse_network

    require_extra("web", WEB, what="the reader")
    from blockfeat.web.app import create_app
    from blockfeat.web.serving import bound_socket, serve_app
    from blockfeat.web.settings import ServeSettings

    try:
        networks = tuple(parse_network(network) for network in allow_network or ())
    except InputError as error:
        raise typer.BadParameter(str(error), param_hint="--allow-network") from error
    settings = ServeSettings(
        models=tuple(model or ()),
        allowed_hosts=tuple(allow_host or ()),
        allow_private=allow_private,
        networks=networks,
        max_bytes=max_bytes,
        time_limit=time_limit,
        fetch_time_limit=fetch_time_limit,
        jobs=jobs,
        requests_per_minute=rate,
        kept_bytes=kept_bytes,
    )
    app = create_app(settings)
    with bound_socket(host, port) as listening:
        taken = listening.getsockname()
        name = f"[{taken[0]}]" if ":" in taken[0] else taken[0]
        console.show(f"The reader is at http://{name}:{taken[1]}/ (Ctrl-C ends it)", at_once=True)
        log_level = "info" if verbose else "warning"
        serve_app(app, listening, trusted_proxies=",".join(trusted_proxy or ()), log_level=log_level)
