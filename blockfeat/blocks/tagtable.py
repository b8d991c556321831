"""Tag tables: the operation and roles of each element in cutting pages, as user-replaceable data and as codes.

The number of an element is a code for the walk: an operation in the lowest bits, and roles.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from blockfeat._files import bundled_file
from blockfeat.errors import TableError

BUNDLED_TABLES = ("html5", "ziegler2007")
"""Names of the tag tables that come with the package."""

OPERATION = 7
"""The bits of a code that hold the operation."""
REMOVE = 0
"""The tags are removed; the text around them is joined."""
REMOVE_WITH_SPACE = 1
"""The tags are removed; a space replaces each."""
BOUNDARY = 2
"""The tags end the block before them."""
PRUNE = 3
"""The element is removed with all of its content."""
KEEPABLE = 4
"""A boundary if the element holds a paragraph, pruned if not."""
REMOVE_BETWEEN_WORDS = 5
"""The tags are removed; a space replaces each that would otherwise join two words."""

ANCHOR_ROLE = 8
"""Words inside count as anchor words."""
FORMAT_ROLE = 16
"""Words inside count as format words, the elements as formatting elements."""
LINE_BREAK = 32
"""A line ends here; several in a row end a block."""
LIST_ROLE = 64
"""The elements count as list elements."""
STRUCTURE_ROLE = 128
"""The elements count as structuring elements."""

_SCHEMA = 1
_OPERATIONS = {
    "boundary": BOUNDARY,
    "remove_with_space": REMOVE_WITH_SPACE,
    "remove_without_space": REMOVE,
    "prune": PRUNE,
}
_ROLES = {"anchor": ANCHOR_ROLE, "format": FORMAT_ROLE, "list": LIST_ROLE, "structure": STRUCTURE_ROLE}
# What ruby writes beside its text: readings and the brackets around them.
_READINGS = ("rp", "rt", "rtc")
_KEYS = {"schema", "name", "description", "other", "roles", "guards", *_OPERATIONS}
_MOST_BREAKS = 100
_TAG = re.compile(r"[a-z][a-z0-9:_.-]*\Z")


@dataclass(frozen=True)
class Guards:
    """Exceptions that real pages need.

    Attributes
    ----------
    split_at_breaks : int
        Consecutive line breaks that end a block; 0 for never.
    keep_if_it_holds_paragraphs : frozenset of str
        Pruned elements that are kept where they hold a paragraph.
    noscript_rescue : bool
        Use the text of noscript where the page has nearly none outside.
    prune_hidden : bool
        Prune elements that are hidden by attribute or inline style.
    """

    split_at_breaks: int = 0
    keep_if_it_holds_paragraphs: frozenset[str] = frozenset()
    noscript_rescue: bool = False
    prune_hidden: bool = False


@dataclass(frozen=True)
class TagTable:
    """A table of tags (Ziegler & Skubacz 2007, 3.1 and Fig. 2).

    Attributes
    ----------
    name : str
        Name that a model records.
    operations : dict
        Tag to ``"boundary"``, ``"remove_with_space"``, ``"remove_without_space"`` or ``"prune"``.
    other : str
        Operation for tags that the table does not name.
    roles : dict
        Role (``"anchor"``, ``"format"``, ``"list"``, ``"structure"``) to the tags that count for it.
    guards : Guards
        Exceptions for real pages.
    description : str
        What the table is for.
    reads_drawings : bool
        Whether the table names svg and does not prune it: pages have to be parsed with their drawings then.
    """

    name: str
    operations: dict[str, str]
    other: str
    roles: dict[str, frozenset[str]]
    guards: Guards = field(default_factory=Guards)
    description: str = ""
    reads_drawings: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Set whether pages have to be parsed with their drawings."""
        object.__setattr__(self, "reads_drawings", self.operations.get("svg", "prune") != "prune")

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values, for a model file that carries its own table."""
        document: dict[str, Any] = {"schema": _SCHEMA, "name": self.name, "description": self.description}
        document["other"] = self.other
        for operation in _OPERATIONS:
            document[operation] = sorted(tag for tag, done in self.operations.items() if done == operation)
        document["roles"] = {role: sorted(tags) for role, tags in self.roles.items()}
        kept = sorted(self.guards.keep_if_it_holds_paragraphs)
        document["guards"] = {**asdict(self.guards), "keep_if_it_holds_paragraphs": kept}
        return document

    @classmethod
    def from_dict(cls, document: dict[str, Any], *, where: str = "tag table", source: str = "") -> TagTable:
        """Check plain values and make a table of them.

        Raises
        ------
        TableError
            A key or value is wrong; the message names ``where`` and, if ``source`` (the file's text) is
            given, the line.
        """
        checker = _Checker(where, source)
        checker.check_keys(document)
        operations = checker.operations(document)
        roles = checker.roles(document)
        other = document.get("other")
        if other not in tuple(_OPERATIONS):
            raise checker.error("other", f"'other' must be one of {', '.join(_OPERATIONS)}, not {other!r}")
        return cls(
            name=checker.text(document, "name"),
            description=str(document.get("description", "")),
            operations=operations,
            other=other,
            roles=roles,
            guards=checker.guards(document),
        )


@dataclass(frozen=True)
class _Checker:
    """Checks a document and says in which line of its source a mistake stands."""

    where: str
    source: str

    def error(self, needle: str, reason: str, after: str = "") -> TableError:
        """Return an error at a key or section, or at a tag that stands after one."""
        found = self._find_key(after or needle)
        if found and after:
            word = re.compile(rf"(?<![\w-])['\"]?{re.escape(needle)}['\"]?(?![\w-])")
            found = word.search(self._code, found.end())
        if found is None:
            return TableError(f"{self.where}: {reason}")
        line = self._code.count("\n", 0, found.start()) + 1
        return TableError(f"{self.where}, line {line}: {reason}")

    @property
    def _code(self) -> str:
        """The source without comments."""
        return re.sub(r"#.*", "", self.source)

    def _find_key(self, key: str) -> re.Match[str] | None:
        """Find where a key is set or a section begins."""
        name = re.escape(key.strip("[]"))
        return re.search(rf"^[ \t]*(?:\[[ \t]*)?\"?{name}\"?[ \t]*[\]=]", self._code, re.MULTILINE)

    def check_keys(self, document: dict[str, Any]) -> None:
        for key in document:
            if key not in _KEYS:
                raise self.error(key, f"unknown key {key!r}; known are {', '.join(sorted(_KEYS))}")
        if document.get("schema") != _SCHEMA:
            raise self.error("schema", f"'schema' must be {_SCHEMA}, not {document.get('schema')!r}")

    def text(self, document: dict[str, Any], key: str) -> str:
        value = document.get(key)
        if not isinstance(value, str) or not value:
            raise self.error(key, f"{key!r} must be a name, not {value!r}")
        return value

    def tags(self, value: object, key: str) -> list[str]:
        if not isinstance(value, list):
            raise self.error(key, f"{key!r} must be a list of tags, not {value!r}")
        for tag in value:
            if not isinstance(tag, str) or not _TAG.match(tag):
                raise self.error(str(tag), f"{tag!r} in {key!r} is not a lower-case tag name", after=key)
        return value

    def operations(self, document: dict[str, Any]) -> dict[str, str]:
        operations: dict[str, str] = {}
        for operation in _OPERATIONS:
            for tag in self.tags(document.get(operation, []), operation):
                if (earlier := operations.setdefault(tag, operation)) != operation:
                    raise self.error(tag, f"{tag!r} stands in {earlier!r} and in {operation!r}", after=operation)
        return operations

    def section(self, document: dict[str, Any], name: str, known: Collection[str]) -> dict[str, Any]:
        given = document.get(name, {})
        if not isinstance(given, dict):
            raise self.error(name, f"{name!r} must be a section")
        for key in given:
            if key not in known:
                told = f"unknown {name.removesuffix('s')} {key!r}; known are {', '.join(sorted(known))}"
                raise self.error(key, told, after=f"[{name}]")
        return given

    def roles(self, document: dict[str, Any]) -> dict[str, frozenset[str]]:
        given = self.section(document, "roles", _ROLES)
        return {role: frozenset(self.tags(given.get(role, []), role)) for role in _ROLES}

    def guards(self, document: dict[str, Any]) -> Guards:
        given = self.section(document, "guards", Guards.__dataclass_fields__)
        breaks = given.get("split_at_breaks", 0)
        if not isinstance(breaks, int) or isinstance(breaks, bool) or not 0 <= breaks <= _MOST_BREAKS:
            raise self.error(
                "split_at_breaks", f"'split_at_breaks' must be a number from 0 to {_MOST_BREAKS}, not {breaks!r}"
            )
        for key in ("noscript_rescue", "prune_hidden"):
            if not isinstance(given.get(key, False), bool):
                raise self.error(key, f"{key!r} must be true or false, not {given[key]!r}")
        kept = self.tags(given.get("keep_if_it_holds_paragraphs", []), "keep_if_it_holds_paragraphs")
        return Guards(**{**given, "keep_if_it_holds_paragraphs": frozenset(kept)})


def load_table(name: str | Path) -> TagTable:
    """Read a tag table: a bundled name (``"html5"``, ``"ziegler2007"``) or the path of a TOML file.

    Raises
    ------
    TableError
        There is no such table, or it is bad; the message names the file and the line.
    """
    if str(name) in BUNDLED_TABLES:
        where = f"{name}.toml"
        source = bundled_file("blockfeat.blocks", "tables", where).read_text(encoding="utf-8")
    else:
        where = str(name)
        try:
            source = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            bundled = ", ".join(BUNDLED_TABLES)
            raise TableError(f"{where}: not a bundled table ({bundled}) and not readable: {error}") from error
    try:
        document = tomllib.loads(source)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{where}: {error}") from error
    return TagTable.from_dict(document, where=where, source=source)


def default_code(table: TagTable) -> int:
    """Return the code of the tags that a table does not name."""
    return _OPERATIONS[table.other]


def tag_codes(table: TagTable) -> dict[str, int]:
    """Return the code of every tag that a table names."""
    other = default_code(table)
    codes = {tag: _OPERATIONS[operation] for tag, operation in table.operations.items()}
    for tag in table.guards.keep_if_it_holds_paragraphs:
        codes[tag] = KEEPABLE
    for role, bit in _ROLES.items():
        for tag in table.roles[role]:
            codes[tag] = codes.get(tag, other) | bit
    codes["br"] = codes.get("br", other) | LINE_BREAK
    for tag in _READINGS:
        codes.setdefault(tag, PRUNE)
    return codes
