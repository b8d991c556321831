"""One delivery: what can go wrong with it, the secrets that it needs, the posting of JSON."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from blockfeat.errors import OutputError
from blockfeat.io.http.fetch import failure_of
from blockfeat.monitor.fetching.politeness import retry_at

_TIMEOUT = 20.0
# Requests that are wrong themselves: trying them again changes nothing.
_REFUSED = frozenset({400, 409, 413, 414, 415, 422})


class DeliveryError(OutputError):
    """A receiver could not be reached or refused what it got.

    Attributes
    ----------
    refused : bool
        Whether the same mentions would be refused again.
    retry_at : float or None
        It asked not to be tried before, in seconds since 1970.
    arrived : bool
        Whether it has arrived all the same, though not everywhere: it is told, and not sent again.
    """

    def __init__(
        self, message: str, *, refused: bool = False, retry_at: float | None = None, arrived: bool = False
    ) -> None:
        super().__init__(message)
        self.refused = refused
        self.retry_at = retry_at
        self.arrived = arrived


def environment_value(variable: str, *, where: str) -> str:
    """Return the token or secret that an environment variable holds; it stands in no message."""
    token = os.environ.get(variable, "").strip()
    if not token:
        raise DeliveryError(f"{where}: the environment variable {variable} is not set")
    if not (token.isascii() and token.isprintable()):
        raise DeliveryError(f"{where}: the value of {variable} has characters that no header may have")
    return token


async def post_json(url: str, values: Any, *, headers: Mapping[str, str], name: str) -> None:
    """Post values as JSON; an answer of 2xx means that they have arrived. See `post` for what is raised."""
    await post(url, json.dumps(values, ensure_ascii=False).encode("utf-8", "replace"), headers=headers, name=name)


async def post(url: str, body: bytes, *, headers: Mapping[str, str], name: str) -> None:
    """Post JSON to an address; an answer of 2xx means that it has arrived.

    Raises
    ------
    DeliveryError
        Anything else; the message begins with ``name``, not with an address that may be a secret.
    """
    import httpx2

    try:
        # Raises ValueError for a port that there is not, which the connection would do in a way of its own.
        _ = urlsplit(url).port
        async with httpx2.AsyncClient(timeout=_TIMEOUT, trust_env=False) as client:
            answer = await client.post(url, content=body, headers={"Content-Type": "application/json", **headers})
    except ValueError as error:
        raise DeliveryError(f"{name}: {error}") from error
    except Exception as error:
        raise DeliveryError(f"{name}: {failure_of(error, seconds=_TIMEOUT)}") from error
    if not answer.is_success:
        raise DeliveryError(
            f"{name}: answered {answer.status_code}",
            refused=answer.status_code in _REFUSED,
            retry_at=retry_at(answer.headers.get("Retry-After"), now=time.time()),
        )
