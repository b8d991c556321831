"""``blockfeat.extract``: one page, one call."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.models.model import Model
from blockfeat.models.store import DEFAULT_MODEL, bundled_models

if TYPE_CHECKING:
    from blockfeat.extraction.site_profile import SiteProfile


def extract(
    html: str | bytes | bytearray | memoryview,
    *,
    model: str | Path | Model | Extractor = DEFAULT_MODEL,
    url: str | None = None,
    lang: str | None = None,
    charset: str | None = None,
    id: str | None = None,
    favour: str | None = None,
    headline: bool | None = None,
    captions: bool | None = None,
    tables: bool | None = None,
    comments: bool | None = None,
    metadata: bool | None = None,
    decoder: str | None = None,
    runs: int | None = None,
    max_bytes: int | None = None,
    normalise: bool | None = None,
    site: SiteProfile | None = None,
) -> Extraction:
    """Extract the main text of one page.

    For many pages, or with a model file, make an `Extractor` once and call it for each page: a model given by path
    or as a `Model` is loaded, or set up, anew at every call.

    Parameters
    ----------
    html : str or bytes-like
        The page.
    model : str, Path, Model or Extractor
        Name of a bundled model, path of a model file, a model, or an extractor with options of its own.
    url, id : str, optional
        Address and identifier of the page, kept in the result.
    lang : str, optional
        ISO 639-1 code of the page's language; identified by default.
    charset : str, optional
        Charset from the HTTP header, for bytes.
    favour : str, optional
        ``"precision"`` for less clutter, ``"recall"`` for less text lost.
    headline, captions, tables, comments : bool, optional
        Whether these parts belong to the text; by default the model decides.
    metadata : bool, optional
        Whether the extraction has metadata, which are read when they are asked for; True by default.
    decoder : str, optional
        ``"conjunction"`` or ``"mss"``, for models of thresholds.
    runs : int, optional
        Number of contiguous runs that ``"mss"`` may keep.
    max_bytes : int, optional
        Largest page that is read; no limit by default.
    normalise : bool, optional
        False leaves letters and marks without width as the page has them; see `Extractor`.
    site : SiteProfile, optional
        Other pages of the site: text that they repeat is dropped.

    Returns
    -------
    Extraction
        ``.text`` is the main text, ``""`` where the page has none.

    Raises
    ------
    InputTypeError, NotHTML, LimitExceeded
        The page is of a wrong type, of another format, or too large.
    LanguageError
        ``lang`` is no language code.
    ModelError
        There is no such model, or an option or the site profile does not suit it.

    Examples
    --------
    >>> import blockfeat
    >>> blockfeat.extract("<p>The ferry leaves at nine and returns before dark.").text
    'The ferry leaves at nine and returns before dark.'
    """
    extractor = extractor_of(model).with_options(
        decoder=decoder,
        runs=runs,
        favour=favour,
        headline=headline,
        captions=captions,
        tables=tables,
        comments=comments,
        metadata=metadata,
        max_bytes=max_bytes,
        normalise=normalise,
    )
    if site is not None:
        extractor = extractor.with_site(site)
    return extractor.extract(html, url=url, lang=lang, charset=charset, id=id)


def extractor_of(model: str | Path | Model | Extractor) -> Extractor:
    """Return an extractor: as it is given, of a model, or loaded by name or path."""
    if isinstance(model, Extractor):
        return model
    if isinstance(model, str):
        return _bundled_extractor(model) or Extractor.load(model)
    return Extractor.load(model) if isinstance(model, Path) else Extractor.of(model)


# Loading takes some fifteen times as long as a page. Bundled models are constants of the package, so nothing that is
# kept here can become stale; files are read at every call.
@lru_cache(maxsize=4)
def _bundled_extractor(name: str) -> Extractor | None:
    """Load a bundled model; None where there is none of this name."""
    return Extractor.load(name) if name in bundled_models() else None
