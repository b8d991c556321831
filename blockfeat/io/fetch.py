"""Fetch a page from the web and extract its main text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from blockfeat.errors import InputTypeError
from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor, extract, extractor_of
from blockfeat.extraction.options import GivenOptions
from blockfeat.io.http.fetch import MOST_BYTES
from blockfeat.io.http.fetch import fetch as fetch_page
from blockfeat.io.http.transport import Network, parse_network
from blockfeat.models.model import Model
from blockfeat.models.store import DEFAULT_MODEL


def fetch(
    url: str,
    *,
    model: str | Path | Model | Extractor = DEFAULT_MODEL,
    lang: str | None = None,
    id: str | None = None,
    timeout: float = 20.0,
    allow_networks: Sequence[str | Network] = (),
    **options: Unpack[GivenOptions],
) -> Extraction:
    """Fetch a page over http or https and extract its main text, as ``blockfeat extract URL`` does.

    Only public addresses are fetched from, redirects included; proxies and credentials of the environment are not used.
    The call blocks until the page is there, and so blocks an asyncio event loop that runs in this thread.

    Parameters
    ----------
    url : str
        Address of the page.
    model, lang
        As for `blockfeat.extract`.
    id : str, optional
        Identifier, kept in the result; the requested address by default.
    timeout : float
        Seconds for the whole fetch: resolving, connecting, redirects, reading.
    allow_networks : sequence of str
        Networks that may be fetched from although they are not public, such as ``"10.0.0.0/8"``.
    **options
        Further options of `blockfeat.extract`. ``max_bytes`` limits the response, before and after decompression;
        20 MB by default.

    Returns
    -------
    Extraction
        ``.url`` is the address after redirects.

    Raises
    ------
    FetchError
        The address is not allowed, the response is an error or not a page, or a limit is exceeded.
    InputError
        The address is not a str, a network is invalid, or the page cannot be used, as for `blockfeat.extract`.
    LanguageError, ModelError
        As for `blockfeat.extract`.

    Examples
    --------
    >>> blockfeat.fetch("https://example.org/article").text  # doctest: +SKIP
    'The ferry leaves at nine and returns before dark.'
    """
    if not isinstance(url, str):
        raise InputTypeError(f"an address must be str, not {type(url).__name__}")
    extractor = extractor_of(model).with_options(**options)
    page = fetch_page(
        url,
        timeout=timeout,
        max_bytes=extractor.options.max_bytes or MOST_BYTES,
        networks=[parse_network(str(network)) for network in allow_networks],
        hint="; allow_networks allows others",
    )
    return extract(page.data or b"", model=extractor, url=page.url, lang=lang, charset=page.charset, id=id or url)
