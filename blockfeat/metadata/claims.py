"""``Claims``: what one source says of a page, before anything is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field

FIELDS = (
    "title",
    "author",
    "organisation",
    "published",
    "modified",
    "site",
    "url",
    "description",
    "image",
    "language",
    "section",
    "tag",
    "paywall",
    "licence",
)
"""What can be claimed; ``organisation`` is an author that is declared to be one."""


@dataclass(frozen=True)
class Claims:
    """Values by field, the most telling first.

    Attributes
    ----------
    source : str
        One of `blockfeat.metadata.metadata.SOURCES`.
    values : dict of list of str
        What the source says, unchecked.
    """

    source: str
    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, *values: str) -> None:
        """Append values that are not empty."""
        given = [value for value in values if value]
        if given:
            self.values.setdefault(name, []).extend(given)

    def __getitem__(self, name: str) -> list[str]:
        """Return the values of one field."""
        return self.values.get(name, [])
