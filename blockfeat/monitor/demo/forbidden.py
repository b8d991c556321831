"""A door at which nobody may knock: addresses of this machine that a redirect leads to."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self

_ADDRESSES = ((socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1"))


class ForbiddenDoor:
    """Listens on addresses outside those that are allowed, on one port, and notes every connection.

    Attributes
    ----------
    knocks : list of str
        Address and port of each connection.
    """

    def __init__(self) -> None:
        self.knocks: list[str] = []
        self.port = 0
        self._sockets: list[socket.socket] = []

    def __enter__(self) -> Self:
        """Open the door where the machine has such an address."""
        for family, address in _ADDRESSES:
            try:
                door = socket.create_server((address, self.port), family=family)
            except OSError:
                continue
            self.port = self.port or door.getsockname()[1]
            self._sockets.append(door)
            threading.Thread(target=self._watch, args=(door,), name="blockfeat-forbidden", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the door."""
        for door in self._sockets:
            door.close()

    def _watch(self, door: socket.socket) -> None:
        while True:
            try:
                visitor, address = door.accept()
            except OSError:
                return
            self.knocks.append(f"{door.getsockname()[0]} from {address}")
            visitor.close()
