"""``fetch``: a page from the web, extracted."""

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
    It waits for the page, also where a loop of asyncio runs, which stands still meanwhile.

    Parameters
    ----------
    url : str
        Address of the page.
    model, lang
        As `blockfeat.extract` takes them.
    id : str, optional
        Identifier, kept in the result; the address that was asked for by default.
    timeout : float
        Seconds for all of the fetch: resolving, connecting, redirects, reading.
    allow_networks : sequence of str
        Networks that may be fetched from although they are not public, such as ``"10.0.0.0/8"``.
    **options
        What `blockfeat.extract` takes. ``max_bytes`` bounds the answer, before and after decompression; 20 MB by
        default.

    Returns
    -------
    Extraction
        ``.url`` is the address after redirects.

    Raises
    ------
    FetchError
        The address is not allowed, the answer is an error or no page, or a limit is exceeded.
    InputError
        The address is no str, a network cannot be read, or the page cannot be taken, as by `blockfeat.extract`.
    LanguageError, ModelError
        As by `blockfeat.extract`.

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
