"""The ready files that ``blockfeat monitor demo`` serves."""

import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path

import pytest

from blockfeat.errors import OutputError
from blockfeat.monitor.demo import DemoServer, serve_demo

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server() -> Iterator[DemoServer]:
    with DemoServer() as running:
        yield running


def fetched(server: DemoServer, host: str, path: str, **headers: str) -> tuple[int, Message, bytes]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", path, headers={"Host": f"{host}.localhost:{server.port}", **headers})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def test_pages_of_the_corpus_and_of_the_file_are_served_by_their_hosts(server: DemoServer) -> None:
    status, headers, body = fetched(server, "demo", "/feeds.opml")
    assert (status, headers["Content-Type"]) == (200, "text/x-opml")
    assert body.count(f"localhost:{server.port}/".encode()) == 29
    asked = (("islandwire", "/subscribers"), ("islandwire", "/none"), ("elsewhere", "/subscribers"))
    assert [fetched(server, *where)[0] for where in asked] == [200, 404, 404]


def test_what_has_not_changed_is_not_sent_again(server: DemoServer) -> None:
    _, headers, _ = fetched(server, "islandwire", "/subscribers")
    known = {"If-Modified-Since": headers["Last-Modified"]}
    status, _, body = fetched(server, "islandwire", "/subscribers", **known)
    assert (status, body) == (304, b"")


def test_who_goes_away_before_asking_is_not_told_of(server: DemoServer, capfd: pytest.CaptureFixture[str]) -> None:
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes with a reset
    connection.close()
    time.sleep(0.2)
    assert fetched(server, "islandwire", "/feed.xml")[0] in (200, 404)
    assert capfd.readouterr().err == ""


def test_a_port_in_use_is_an_error(server: DemoServer) -> None:
    with pytest.raises(OutputError, match=str(server.port)):
        serve_demo(port=server.port)


def test_the_ready_files_are_those_of_the_generator() -> None:
    done = subprocess.run([sys.executable, "-m", "tools.demo.ready_files", "--check"], cwd=ROOT, check=False)
    assert done.returncode == 0, "run python -m tools.demo.ready_files"
