"""The file of a site profile: JSON with its arrays in base64, checked value by value when it is read."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import InputError
from blockfeat.extraction.site_page import MOST_TEXTS, SitePage

MOST_BYTES = 65_536
"""No profile is larger."""
SCHEMA = 1
"""Version of the layout, and of what makes the keys of texts."""

_MOST_PAGES = 10
_LONGEST_NAME = 500
_TYPES = {"keys": "<u8", "chances": "u1", "words": "<u2"}


def profile_to_bytes(pages: Sequence[SitePage]) -> bytes:
    """Return the bytes of the file that holds some pages."""
    document = {
        "kind": "site profile",
        "schema": SCHEMA,
        "model": pages[-1].model[:_LONGEST_NAME] if pages else None,
        "pages": [{name: _packed(getattr(page, name), type) for name, type in _TYPES.items()} for page in pages],
    }
    return (json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def pages_from_bytes(data: bytes, *, where: str) -> tuple[SitePage, ...]:
    """Return the pages in the bytes of a file.

    Raises
    ------
    InputError
        The bytes are no profile, or one of another version; the message begins with ``where``.
    """
    if len(data) > MOST_BYTES:
        raise InputError(f"{where}: no site profile: it is larger than {MOST_BYTES // 1024} KB")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: no site profile: {error}") from error
    if not isinstance(document, dict) or document.get("kind") != "site profile":
        raise InputError(f"{where}: no site profile: it does not say that it is one")
    if document.get("schema") != SCHEMA:
        raise InputError(
            f"{where}: a site profile of schema {document.get('schema')!r}, where this version reads {SCHEMA}"
        )
    try:
        return _pages(document)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{where}: a damaged site profile: missing or wrong value: {error}") from error


def _pages(document: Mapping[str, Any]) -> tuple[SitePage, ...]:
    pages, model = document["pages"], document["model"]
    if not isinstance(pages, list) or len(pages) > _MOST_PAGES:
        raise ValueError(f"'pages' must be a list of at most {_MOST_PAGES}")
    if pages and not isinstance(model, str):
        raise ValueError("'model' must be a name")
    return tuple(_page(values, str(model)) for values in pages)


def _page(values: Mapping[str, Any], model: str) -> SitePage:
    arrays = {name: _unpacked(values[name], type) for name, type in _TYPES.items()}
    sizes = {array.size for array in arrays.values()}
    if len(sizes) != 1 or max(sizes) > MOST_TEXTS:
        raise ValueError(f"a page needs arrays of one length, at most {MOST_TEXTS}")
    keys = arrays["keys"]
    if (keys[1:] <= keys[:-1]).any():
        raise ValueError("the keys of a page must ascend")
    return SitePage(model, keys, arrays["chances"], arrays["words"])


def _packed(array: NDArray[Any], type: str) -> str:
    return base64.b64encode(array.astype(type).tobytes()).decode("ascii")


def _unpacked(text: str, type: str) -> NDArray[Any]:
    found = np.frombuffer(base64.b64decode(text, validate=True), dtype=type)
    return found.astype(found.dtype.newbyteorder("="))
