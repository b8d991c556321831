"""A PostgreSQL server of its own in a temporary folder, for the torture and the tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

MISSING = "no PostgreSQL server is installed (Debian: apt-get install postgresql)"
_PROGRAMS = [Path("/usr/local/bin"), Path("/usr/bin"), *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]


def _program(name: str) -> str | None:
    """Return the path of a program of PostgreSQL; those of the server are seldom on the path of commands."""
    return shutil.which(name, path=os.pathsep.join([*map(str, reversed(_PROGRAMS)), os.environ.get("PATH", "")]))


def _as_server_user(*words: str) -> list[str]:
    """Return a command that root runs as the user postgres: the server refuses to run as root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    runuser = shutil.which("runuser") or "/usr/sbin/runuser"  # not on every path of commands
    return [runuser, "-u", "postgres", "--", *words] if is_root else list(words)


@contextmanager
def running(*, port: int = 0) -> Iterator[str | None]:
    """Run an empty server, on a socket in its folder or on a port of this machine; yield its address.

    None where none is installed.
    """
    initdb, control = _program("initdb"), _program("pg_ctl")
    if initdb is None or control is None:
        yield None
        return
    # Of a program whose calls fail, its server's do not.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    folder = Path(subprocess.check_output(_as_server_user("mktemp", "-d"), text=True, env=environment).strip())
    data, log = folder / "data", folder / "log"
    where = f"-c listen_addresses=127.0.0.1 -p {port}" if port else "-c listen_addresses="
    options = f"-k {folder} {where} -c fsync=off -c max_connections=20"
    try:
        made = _as_server_user(initdb, "-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        subprocess.run(made, check=True, capture_output=True, env=environment)
        start = _as_server_user(control, "-D", str(data), "-o", options, "-l", str(log), "-w", "start")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(start, check=True, timeout=60, env=environment, **quiet)  # type: ignore[call-overload]
        place = f"127.0.0.1:{port}/postgres" if port else f"/postgres?host={folder}"
        yield f"postgresql://tester@{place}"
    finally:
        stop = _as_server_user(control, "-D", str(data), "-m", "immediate", "stop")
        subprocess.run(stop, check=False, capture_output=True, env=environment)
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    """Return the number of a port of this machine on which nobody listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        return int(taken.getsockname()[1])


def emptied(server: str, name: str) -> str:
    """Make an empty database in a server, in place of one of that name; return its address."""
    import psycopg

    with closing(psycopg.connect(server, autocommit=True)) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
    return server.replace("/postgres", f"/{name}")
