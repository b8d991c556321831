"""Which elements of a page to remove: its elements in order, their removal, and hosts of advertisements."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from blockfeat._files import bundled_file, write_whole
from blockfeat.errors import InputError
from blockfeat.page.document import host_of, registered_domain
from blockfeat.papers.crunch.settings import Advertisements, HostListFile

_OTHER = re.compile(r"[\W_]+")
# Invisible elements: the letters before and after one may belong to one word, so no space replaces it.
_UNSEEN = frozenset({"base", "link", "meta", "noscript", "script", "style", "template"})
# Elements without text of their own: no space is needed where a child is removed.
_STRUCTURE = frozenset({"colgroup", "frameset", "head", "html", "table", "tbody", "tfoot", "thead", "tr"})


def letters(text: str | None) -> int:
    """Return the number of letters and digits."""
    return len(_OTHER.sub("", text)) if text and not text.isspace() else 0


@dataclass(frozen=True, eq=False)
class Walked:
    """The elements of a tree in document order.

    Attributes
    ----------
    elements : list of lxml elements, n
        The elements; comments are not among them.
    names : list of str, n
        Their names, lower case.
    parent : list of int, n
        Index of the parent of each; -1 for the first.
    end : list of int, n
        Index after that of the last element inside each.
    """

    elements: list[etree._Element]
    names: list[str]
    parent: list[int]
    end: list[int]

    @classmethod
    def of(cls, root: etree._Element) -> Walked:
        """Return the elements of a tree; linear, without recursion."""
        elements = list(root.iter(etree.Element))
        index: dict[etree._Element | None, int] = {element: place for place, element in enumerate(elements)}
        parent = [-1, *(index[element.getparent()] for element in elements[1:])]
        end = list(range(1, len(elements) + 1))
        for place in range(len(elements) - 1, 0, -1):
            end[parent[place]] = max(end[parent[place]], end[place])
        return cls(elements, [str(element.tag).lower() for element in elements], parent, end)

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.elements)

    def is_link(self, index: int) -> bool:
        """Return whether an element is a link: an anchor with an address."""
        return self.names[index] == "a" and self.elements[index].get("href") is not None

    def links_around(self) -> list[int]:
        """Return for each element the innermost link that it is or is inside of, -1 for none: n."""
        return self.innermost([self.is_link(index) for index in range(len(self))])

    def innermost(self, chosen: Sequence[bool] | bytearray) -> list[int]:
        """Return for each element the index of the innermost chosen one that it is or is inside of, -1 for none: n."""
        around: list[int] = []
        for index, (parent, is_chosen) in enumerate(zip(self.parent, chosen, strict=True)):
            around.append(index if is_chosen else around[parent] if parent >= 0 else -1)
        return around

    def outermost(self, chosen: bytearray) -> Iterator[int]:
        """Yield the indices of the chosen elements that are inside of no other chosen one."""
        index = chosen.find(1)
        while index >= 0:
            yield index
            index = chosen.find(1, self.end[index])


@dataclass(frozen=True, slots=True)
class Held:
    """What remained in a table, a cell or a container when the second set of filters checked it.

    Attributes
    ----------
    links : int
        Number of links.
    unlinked : int
        Letters and digits outside of links.
    letters : int
        All letters and digits.
    """

    links: int
    unlinked: int
    letters: int


@dataclass(frozen=True, eq=False)
class Decision:
    """Which elements of a tree are removed.

    Attributes
    ----------
    walked : Walked
        The tree.
    removed : bytearray, n
        1 for elements that are removed with all their content.
    emptied : bytearray, n
        1 for elements that stay, but whose content is removed.
    is_advertisement : bytearray, n
        1 for elements that refer to a host of advertisements.
    shown : dict of int to str
        The text that replaces a removed element, by its index.
    held : dict of int to Held
        What remained in the tables, cells and containers that the second set checked, by index, whether they are
        removed or not.
    """

    walked: Walked
    removed: bytearray
    emptied: bytearray
    is_advertisement: bytearray
    shown: dict[int, str] = field(default_factory=dict)
    held: dict[int, Held] = field(default_factory=dict)

    @classmethod
    def none(cls, walked: Walked) -> Decision:
        """Return the decision that nothing is removed."""
        count = len(walked)
        return cls(walked, bytearray(count), bytearray(count), bytearray(count))

    def gone(self) -> bytearray:
        """Return 1 for each element that is removed, or inside of a removed or emptied one: n."""
        gone = bytearray(len(self.walked))
        for index, parent in enumerate(self.walked.parent):
            gone[index] = self.removed[index] or (parent >= 0 and (gone[parent] or self.emptied[parent]))
        return gone


def take_out(decision: Decision) -> None:
    """Remove elements and contents from the tree in place, by a decision; linear in its size."""
    walked = decision.walked
    replaced: dict[int, dict[etree._Element, str]] = {}
    for index in walked.outermost(decision.removed):
        parent = walked.parent[index]
        text = decision.shown.get(index, "")
        gap = "" if walked.names[index] in _UNSEEN or walked.names[parent] in _STRUCTURE else " "
        replaced.setdefault(parent, {})[walked.elements[index]] = f"{gap}{text}{gap}" if text else gap
    for parent, places in replaced.items():
        _rebuild(walked.elements[parent], places)
    for index in walked.outermost(decision.emptied):
        element = walked.elements[index]
        del element[:]
        element.text = None


def _rebuild(parent: etree._Element, places: Mapping[etree._Element, str]) -> None:
    """Replace children of an element by texts; every text node is written only once."""
    before: etree._Element | None = None
    pieces = [parent.text or ""]
    for child in list(parent):
        tail = child.tail or ""
        if child in places:
            pieces += places[child], tail
            parent.remove(child)
        else:
            _write(parent, before, pieces)
            before, pieces = child, [tail]
    _write(parent, before, pieces)


def _write(parent: etree._Element, before: etree._Element | None, pieces: list[str]) -> None:
    """Write the text after a child, or at the beginning of the parent; where two spaces meet, one is dropped."""
    if len(pieces) == 1:
        return
    text = ""
    joined: list[str] = []
    for piece in pieces:
        if piece[:1] == " " and text[-1:].isspace():
            piece = piece[1:]
        elif text.endswith(" ") and piece[:1].isspace():
            joined[-1] = text[:-1]
        if piece:
            joined.append(piece)
            text = piece
    whole = "".join(joined)
    if before is None:
        parent.text = whole or None
    else:
        before.tail = whole or None


_LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_ADDRESS = re.compile(r"[0-9.]+|[0-9a-f:]*:[0-9a-f:.%a-z0-9]*")
# Names that hosts files give to the machine itself.
_OWN = frozenset({"localhost.localdomain", "local.host"})
_STRIPPED = str.maketrans("", "", "\t\n\r")
_NOT_FILES = re.compile(r"(?:https?:)?[/\\]{2}", re.IGNORECASE)


@dataclass(frozen=True)
class HostList:
    """Hosts of advertisements.

    Attributes
    ----------
    hosts : frozenset of str
        Host names, lower case. A name includes its subdomains.
    """

    hosts: frozenset[str]

    def lists(self, address: str) -> bool:
        """Return whether the host of an address is listed, or one of its parents up to its registered domain.

        An address without a host is one of the page's own site, and never listed.
        """
        address = address.translate(_STRIPPED).strip()
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
    """Return the hosts of all lists that the settings name.

    Raises
    ------
    InputError
        A list cannot be read.
    """
    found: set[str] = set()
    if advertisements.bundled_list:
        found |= hosts_in(bundled_file("blockfeat.papers.crunch", "ad_hosts.txt").read_text(encoding="utf-8"))
    for entry in advertisements.lists:
        try:
            text = Path(entry.file).read_text(encoding="utf-8-sig", errors="replace")
        except OSError as error:
            raise InputError(f"{entry.file}: the list of hosts cannot be read: {error.strerror or error}") from error
        found |= hosts_in(text, name=entry.file)
    return HostList(frozenset(found))


def hosts_in(text: str, *, name: str = "list") -> set[str]:
    """Return the hosts of a hosts file (address, then names) or of a list of domains, one a line.

    Text after ``#`` is a comment, and so is a line that begins with ``!``. Lines without a host name are skipped.
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
        logging.getLogger(__name__).info("%s: %d lines name no host", name, unknown)
    return found


def updated(lists: Iterable[HostListFile], fetch: Callable[[str], str]) -> list[tuple[str, int]]:
    """Fetch the lists that have an address again; return the file and the number of hosts of each.

    A list without hosts does not replace the existing file.

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


def _ascii(host: str) -> str:
    """Return a host name as in addresses: lower case, in punycode, without a leading star or dots around it."""
    host = host.removeprefix("*").strip(".").lower()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
