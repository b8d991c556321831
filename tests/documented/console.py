"""The command ``blockfeat`` of the shells of the document tests: the installed one, its servers on ports of their own.

A command that serves goes on behind the block that starts it, for the blocks behind that one, until the next one of its
port starts or the page ends. Called by the script that `write_client` writes, in any interpreter.
"""

import fcntl
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

PORTS = {"monitor demo": 8750, "serve": 8137, "label": 8138, "monitor serve": 8139, "clean --proxy": 8080}
"""The documented port of each command that serves."""

_LONGEST = 120.0
_FETCHING = ("extract", "explain", "clean", "label", "serve")


def write_client(place: Path, program: Path, ports: Mapping[int, int]) -> None:
    """Write the command for one program into a folder, with the port to take for each documented one."""
    settings = json.dumps({"program": str(program), "place": str(place), "ports": ports})
    words = [sys.executable, "-I", __file__, settings]
    client = place / "blockfeat"
    client.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
    client.chmod(0o755)


def end_served(place: Path, name: str = "*") -> list[str]:
    """End servers by Ctrl-C; return what they did wrong."""
    problems = []
    for note in sorted(place.glob(f"{name}.pid")):
        group = int(note.read_text())
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGINT)
        ends = time.monotonic() + _LONGEST
        with note.open() as held:
            while not (is_ended := _is_free(held)) and time.monotonic() < ends:
                time.sleep(0.05)
        note.unlink()
        if not is_ended:
            os.killpg(group, signal.SIGKILL)
            problems.append(f"blockfeat {note.stem} did not end by Ctrl-C")
        told = note.with_suffix(".log").read_text(errors="replace")
        if "Traceback" in told:
            problems.append(f"blockfeat {note.stem} said:\n{told[-3000:]}")
    return problems


def _command(settings: Mapping[str, str], ports: Mapping[str, int], words: list[str]) -> int:
    """Run a command; return its exit code, 0 for a server that is ready."""
    program, place = settings["program"], Path(settings["place"])
    served = next((name for name in PORTS if _is(name, words)), None)
    if words[:1] and words[0] in _FETCHING and (served == "serve" or _is_fetched(words)):
        words = [*words, "--allow-network", "127.0.0.1/32"]
    if served is not None and "--help" not in words:
        return _serve(served, ports[str(PORTS[served])], program, place, words)
    code = subprocess.run([program, *words], check=False).returncode
    if words[:2] == ["monitor", "init"]:  # the example names the demo server by its usual port
        config = Path("monitor.toml")
        config.write_text(config.read_text(encoding="utf-8").replace(":8750", f":{ports['8750']}"), encoding="utf-8")
    return code if code >= 0 else 128 - code


def _is(name: str, words: Sequence[str]) -> bool:
    command, *option = name.split(" --")
    return words[: len(command.split())] == command.split() and all(f"--{one}" in words for one in option)


def _is_fetched(words: Sequence[str]) -> bool:
    """Return whether a command names addresses of this machine, which stand in for those of example.org."""
    return any(word.startswith("http://127.0.0.1:") or word in ("--urls", "urls") for word in words)


def _serve(name: str, port: int, program: str, place: Path, words: list[str]) -> int:
    """Start a server, wait until it answers, and print what it has said."""
    note = place / f"{name}.pid"
    problems = end_served(place, name)
    if name == "clean --proxy":
        words = [str(port) if word == str(PORTS[name]) else word for word in words]
    else:
        words = [*words, "--port", str(port)]
    log = note.with_suffix(".log")
    with log.open("wb") as file, note.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # for as long as the process has the file, too
        process = subprocess.Popen(
            [program, *words], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
            pass_fds=[held.fileno()], start_new_session=True,
        )  # fmt: skip
        held.write(str(process.pid))
    ends = time.monotonic() + _LONGEST
    while process.poll() is None and not _listens(port) and time.monotonic() < ends:
        time.sleep(0.05)
    code = process.poll() if process.poll() is not None else _answer_of(name, port)
    if code:
        problems.append(f"blockfeat {name} ended or answered with {code}")
    print(log.read_text(errors="replace"), *problems, sep="\n", end="")
    return len(problems)


def _is_free(file: IO[str]) -> bool:
    """Return whether no process holds the lock of a file any more."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _listens(port: int) -> bool:
    with socket.socket() as connection:
        connection.settimeout(5)
        return connection.connect_ex(("127.0.0.1", port)) == 0


def _answer_of(name: str, port: int) -> int:
    """Return the status of a server's first page, of a proxy its settings, where the fault is the server's; else 0."""
    here = f"http://127.0.0.1:{port}"
    is_proxy = name == "clean --proxy"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": here} if is_proxy else {}))
    try:
        opener.open("http://crunch.local/" if is_proxy else here, timeout=_LONGEST).close()
    except urllib.error.HTTPError as error:
        return error.code if error.code >= 500 or is_proxy else 0
    return 0


if __name__ == "__main__":
    _settings = json.loads(sys.argv[1])
    sys.exit(_command(_settings, _settings["ports"], sys.argv[2:]))
