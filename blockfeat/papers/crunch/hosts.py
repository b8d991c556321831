"""Hosts of advertisements: hosts files and lists of domains, and whether an address refers to one of them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from blockfeat._files import write_whole
from blockfeat.errors import InputError
from blockfeat.page.document import host_of, registered_domain
from blockfeat.papers.crunch.settings import Advertisements, HostListFile

_logger = logging.getLogger(__name__)
_LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:.%a-z0-9]*")
# Names that hosts files give to the machine itself.
_OWN = frozenset({"localhost.localdomain", "local.host"})
_UNSEEN = str.maketrans("", "", "\t\n\r")
_NOT_FILES = re.compile(r"(?:https?:)?[/\\]{2}", re.IGNORECASE)


@dataclass(frozen=True)
class HostList:
    """Hosts of advertisements.

    Attributes
    ----------
    hosts : frozenset of str
        Host names, lower case. A name stands for all hosts below it too.
    """

    hosts: frozenset[str]

    def lists(self, address: str) -> bool:
        """Return whether an address refers to a listed host: it, or one of its parents up to its registered domain.

        An address without a host is one of the page's own and never listed.
        """
        address = address.translate(_UNSEEN).strip()
        if not _NOT_FILES.match(address):
            return False
        host = _ascii(host_of(address.replace("\\", "/")))
        site = registered_domain(host) if host else None
        while host and site:
            if host in self.hosts:
                return True
            if host == site:
                return False
            host = host.partition(".")[2]
        return False


def host_list(advertisements: Advertisements) -> HostList:
    """Read the lists that settings name.

    Raises
    ------
    InputError
        A list cannot be read.
    """
    found: set[str] = set()
    if advertisements.bundled_list:
        found |= hosts_in(files("blockfeat.papers.crunch").joinpath("ad_hosts.txt").read_text(encoding="utf-8"))
    for entry in advertisements.lists:
        found |= hosts_in(_text(entry.file), name=entry.file)
    return HostList(frozenset(found))


def hosts_in(text: str, *, name: str = "list") -> set[str]:
    """Return the hosts of a hosts file (address, then names) or of a list of domains, one a line.

    What follows ``#`` is a comment, so is a line that begins with ``!``. Lines without a host name are passed over.
    """
    found: set[str] = set()
    unknown = 0
    for line in text.splitlines():
        words = line.partition("#")[0].lower().split()
        if not words or words[0].startswith("!"):
            continue
        names = words[1:] if _ADDRESS.fullmatch(words[0]) else words[:1]
        hosts = {host for word in names if _HOST.fullmatch(host := _ascii(word)) and not _ADDRESS.fullmatch(host)}
        unknown += not hosts
        found |= hosts - _OWN
    if unknown:
        _logger.info("%s: %d lines name no host", name, unknown)
    return found


def updated(lists: Iterable[HostListFile], fetch: Callable[[str], str]) -> list[tuple[str, int]]:
    """Fetch the lists that have an address anew; return the file and the number of hosts of each.

    A list without hosts does not replace what is there.

    Raises
    ------
    InputError
        A list cannot be fetched or names no host.
    OutputError
        A file cannot be written.
    """
    written = []
    for entry in lists:
        if entry.url:
            text = fetch(entry.url)
            if not (hosts := hosts_in(text, name=entry.url)):
                raise InputError(f"{entry.url}: names no host; {entry.file} stays as it is")
            write_whole(entry.file, text.encode())
            written.append((entry.file, len(hosts)))
    return written


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: the list of hosts cannot be read: {error.strerror or error}") from error


def _ascii(host: str) -> str:
    """Return a host name as it stands in addresses: lower case, punycode, without the dots or the star around it."""
    host = host.removeprefix("*").strip(".").lower()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
