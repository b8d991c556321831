"""An app served until it is stopped."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from blockfeat.errors import ConfigError

if TYPE_CHECKING:
    from fastapi import FastAPI


_SECONDS_TO_END = 5
_MOST_CONNECTIONS = 500


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; port 0 takes a free one.

    Raises
    ------
    ConfigError
        The address cannot be had: taken, or not this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"cannot listen at {host}: {error.strerror or error}") from error
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise ConfigError(f"cannot listen at {host}, port {port}: {error.strerror or error}") from error
    return listening


def serve_app(app: FastAPI, listening: socket.socket, *, trusted_proxies: str = "", log_level: str = "warning") -> None:
    """Serve an app at a socket until the process is told to end.

    Parameters
    ----------
    app : FastAPI
        The app.
    listening : socket
        What `bound_socket` returned.
    trusted_proxies : str
        IP addresses, parted by commas, whose ``X-Forwarded-For`` is believed.
    log_level : str
        Of the server's own log.
    """
    import uvicorn

    config = uvicorn.Config(
        app,
        log_level=log_level,
        access_log=log_level in ("info", "debug", "trace"),
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies or None,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS_TO_END,
        timeout_keep_alive=10,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listening])
