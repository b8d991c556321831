"""Runs ``blockfeat`` for the shells of the document tests, in forks of one process that has imported it.

``python command_server.py SOCKET`` serves; ``blockfeat`` on the shells' PATH is the client (`write_client`). A command
takes as long as its work, without the start of an interpreter.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import traceback
from pathlib import Path

__all__ = ["write_client"]

_CLIENT = """#!{python} -SE
import json, os, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect({path!r})
asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(connection, [len(asked).to_bytes(4, "big")], [0, 1, 2])
connection.sendall(asked)
answer = connection.recv(1)
sys.exit(answer[0] if answer else 139)
"""


_SWARM = "[swarm]\nparticles = 6\niterations = 2\n"
_SHORT = {
    "margin": f"features = 6\nrows = 4000\nall_rows = 8000\nsteps = 4\nrounds = 0\n{_SWARM}",
    "sequence": "[network]\npasses = 1\nleast_steps = 2\n",
    "thresholds": f"{_SWARM}[polish]\nascent = 0\n",
    "web2text": "",
}


def write_client(place: Path, path: Path) -> None:
    """Write the command that asks the server at a socket."""
    place.write_text(_CLIENT.format(python=sys.executable, path=str(path)), encoding="utf-8")
    place.chmod(0o755)


def _serve(path: str) -> None:
    _prepare()
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # leaves no zombies
    while True:
        connection, _ = server.accept()
        if os.fork() == 0:
            server.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(connection)
        connection.close()


def _prepare() -> None:
    """Import what most commands need; numpy alone takes longer than most of them."""
    import blockfeat.pso.swarm  # noqa: F401
    from blockfeat.cli import app_of
    from blockfeat.extraction.extractor import extract

    app_of()
    extract("<p>A sentence that has been read before.</p>").to_dict()


def _answer(connection: socket.socket) -> None:
    """Run one command with the client's files, folder and environment; send its exit code, and end this process."""
    code = 70
    try:
        length, files, _, _ = socket.recv_fds(connection, 4, 3)
        size, asked = int.from_bytes(length, "big"), b""
        while len(asked) < size:
            asked += connection.recv(1 << 16)
        words, folder, environment = json.loads(asked)
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        code = _run(words)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    connection.sendall(bytes([code]))
    os._exit(0)


def _run(words: list[str]) -> int:
    """Run the command line; an extra that is not installed is noted, and is no failure."""
    from blockfeat.cli import app_of
    from blockfeat.commands.console import exit_code_of
    from blockfeat.errors import MissingExtraError

    _end_servers_when_ready()
    sys.argv = ["blockfeat", *_shortened(_at_free_port(_allowing_this_machine(words)))]

    def command() -> None:
        try:
            app_of(sys.argv[1:2])()
        except MissingExtraError as error:
            Path(os.environ["BLOCKFEAT_TEST_MISSING"]).write_text(f"blockfeat {' '.join(words)}: {error}")

    code = exit_code_of(command)
    if words[:2] == ["monitor", "init"]:
        _use_port(Path("monitor.toml"), os.environ["BLOCKFEAT_TEST_DEMO_PORT"])
    return code


def _end_servers_when_ready() -> None:
    """Let commands that serve by uvicorn set everything up, and end in place of waiting for requests."""
    try:
        import uvicorn
    except ImportError:
        return
    uvicorn.Server.run = lambda *_, **__: None  # type: ignore[method-assign]


def _allowing_this_machine(words: list[str]) -> list[str]:
    """Allow addresses of this machine, which stand in for those of example.org."""
    is_fetched = any(word.startswith("http://127.0.0.1:") or word in ("--urls", "urls") for word in words)
    if words[:1] and words[0] in ("extract", "explain", "clean", "label") and is_fetched:
        return [*words, "--allow-network", "127.0.0.1/32"]
    return words


def _at_free_port(words: list[str]) -> list[str]:
    """Let commands that serve take a free port: another program may have the one that is documented."""
    serves = words[:1] in (["serve"], ["label"]) or words[:2] == ["monitor", "serve"]
    return [*words, "--port", "0"] if serves else words


def _shortened(words: list[str]) -> list[str]:
    """Cut training and benchmarks short: two generations of six particles, one pass of a network, four pages."""
    if words[:1] == ["bench"]:
        return [*words, "--sample", "4", "--passes", "1"]
    if words[:1] != ["train"] or "--print-config" in words:
        return words
    if "--config" in words:
        return [*words, "--set", "swarm.particles=6", "--set", "swarm.iterations=2"]
    kind = words[words.index("--kind") + 1] if "--kind" in words else "margin"
    if kind not in _SHORT:
        return words
    config = Path(os.environ["BLOCKFEAT_TEST_MISSING"]).with_name(f".short-{kind}.toml")
    config.write_text(f'kind = "{kind}"\n{_SHORT[kind]}', encoding="utf-8")
    return [*words, "--config", str(config)]


def _use_port(config: Path, port: str) -> None:
    """Point the example at the demo server of this test, which has a port of its own."""
    config.write_text(config.read_text(encoding="utf-8").replace(":8750", f":{port}"), encoding="utf-8")


if __name__ == "__main__":
    _serve(sys.argv[1])
