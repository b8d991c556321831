"""How inputs are read: their format, the names of their fields, and what may be fetched."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from blockfeat.errors import InputError
from blockfeat.io.http.addresses import Network

INPUT_FORMATS = ("auto", "html", "jsonl", "warc", "parquet", "urls")
"""Formats that inputs may be declared to have; "auto" tells them by suffix and first bytes."""


@dataclass(frozen=True)
class FieldNames:
    """What the fields of JSON Lines records and the columns of Parquet files are called.

    Attributes
    ----------
    html, id, url, lang, charset : str
        Name of the field that holds this value.
    """

    html: str = "html"
    id: str = "id"
    url: str = "url"
    lang: str = "lang"
    charset: str = "charset"

    @classmethod
    def parse(cls, text: str) -> FieldNames:
        """Read names such as ``"html=content,url=link"``; a value that is not named keeps its own name.

        Raises
        ------
        InputError
            The text has another form, or names an unknown value.
        """
        known = [value.name for value in fields(cls)]
        names: dict[str, str] = {}
        for part in text.split(","):
            value, equals, name = (word.strip() for word in part.partition("="))
            if not equals or not name or value not in known or value in names:
                raise InputError(f"{part.strip()!r}: pairs such as html=content are expected, of {', '.join(known)}")
            names[value] = name
        return cls(**names)


@dataclass(frozen=True)
class InputOptions:
    """How inputs are read.

    Attributes
    ----------
    format : str
        One of `INPUT_FORMATS`; ``"auto"`` goes by a file's suffix, else by the first bytes.
    fields : FieldNames
        Names of the fields of records.
    networks : tuple of IPv4Network or IPv6Network
        Networks that may be fetched from although they are not public.
    allow_private : bool
        Allow every address, those of this machine too.
    delay : float
        Least seconds between the starts of two fetches from one host.
    """

    format: str = "auto"
    fields: FieldNames = field(default_factory=FieldNames)
    networks: tuple[Network, ...] = ()
    allow_private: bool = False
    delay: float = 1.0
