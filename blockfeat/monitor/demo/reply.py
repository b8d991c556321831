"""What the demo server answers, and what it notes about a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: a body with its length, or ``pieces`` that follow one another ``pause`` seconds apart."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterator[bytes] | None = None
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One request.

    Attributes
    ----------
    host : str
        Name of the site, without ``.localhost`` and port.
    target : str
        Path and query.
    status : int
        Of the answer.
    conditional : bool
        Whether the request asked for a change since a known version.
    """

    host: str
    target: str
    status: int
    agent: str
    conditional: bool
    seconds: float
