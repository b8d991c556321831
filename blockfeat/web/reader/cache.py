"""What is kept between requests: pages, so that they need not be sent again, and loaded models."""

from __future__ import annotations

import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blockfeat.errors import LimitExceeded, ModelError
from blockfeat.extraction import DEFAULT_OPTIONS, ExtractionOptions, Extractor
from blockfeat.models import DEFAULT_MODEL, bundled_models

# Memory of an entry beside the page and its address: its name, objects, its place in the dictionary.
_BYTES_OF_AN_ENTRY = 500


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page as it was sent or fetched.

    Attributes
    ----------
    html : str or bytes
        The page.
    url : str or None
        Its address, after redirects.
    charset : str or None
        Charset from the HTTP header.
    name : str or None
        Name of the file that it was sent as.
    """

    html: str | bytes
    url: str | None = None
    charset: str | None = None
    name: str | None = None

    @property
    def size(self) -> int:
        """Size in bytes."""
        return len(self.html) if isinstance(self.html, bytes) else len(self.html.encode("utf-8", "surrogatepass"))


class PageCache:
    """A cache of pages by names that nobody can guess; the least recently used pages are dropped first.

    Parameters
    ----------
    most_bytes : int
        Most bytes of memory for all pages together.
    seconds : float
        How long a page is kept after its last use.
    clock : callable
        Returns the time in seconds, from any start.
    """

    def __init__(self, most_bytes: int, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._clock = clock
        self._pages: OrderedDict[str, tuple[PageSource, int, float]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._pages)

    def keep(self, page: PageSource) -> str:
        """Keep a page and return its name.

        Raises
        ------
        LimitExceeded
            The page alone takes more than ``most_bytes``.
        """
        # The size in memory, where a letter may take four bytes.
        size = _BYTES_OF_AN_ENTRY + sum(map(sys.getsizeof, (page.html, page.url, page.charset, page.name)))
        if size > self._most_bytes:
            raise LimitExceeded(f"the page takes {size:,} bytes, more than the {self._most_bytes:,} that can be kept")
        name = secrets.token_urlsafe(18)
        self._pages[name] = page, size, self._clock()
        self._bytes += size
        self._forget()
        return name

    def get(self, name: str) -> PageSource | None:
        """Return the page of a name; None where there is none, or it is not kept any more."""
        self._forget()
        found = self._pages.pop(name, None)
        if found is None:
            return None
        page, size, _ = found
        self._pages[name] = page, size, self._clock()
        return page

    def _forget(self) -> None:
        """Drop pages that are too old, and the least recently used ones while all take too many bytes."""
        oldest_kept = self._clock() - self._seconds
        while self._pages:
            name, (_, size, used) = next(iter(self._pages.items()))
            if used >= oldest_kept and self._bytes <= self._most_bytes:
                return
            del self._pages[name]
            self._bytes -= size


def model_names(files: tuple[str, ...]) -> dict[str, str]:
    """Return the bundled name or the file of each offered model, by its name; the default model is the first.

    Raises
    ------
    ModelError
        Two models have one name.
    """
    bundled = bundled_models()
    names = {name: name for name in (DEFAULT_MODEL, *bundled)}
    for file in files:
        name = Path(file).stem
        if name in names:
            raise ModelError(f"{file}: there is a model named {name!r} already")
        names[name] = file
    return names


@dataclass(frozen=True)
class ExtractionChoices:
    """A model, and the options of an extraction.

    Attributes
    ----------
    model : str
        Name of a bundled model, or of one that the service was started with.
    lang : str or None
        ISO 639-1 code of the page's language.
    options : ExtractionOptions
        The options.
    """

    model: str = "default"
    lang: str | None = None
    options: ExtractionOptions = DEFAULT_OPTIONS


@dataclass(frozen=True)
class LoadedExtractors:
    """Extractors, each loaded at its first use.

    Attributes
    ----------
    sources : mapping
        The bundled name or the file of each model, by its name.
    max_bytes : int
        Largest page.
    """

    sources: Mapping[str, str]
    max_bytes: int
    _extractors: dict[str, Extractor] = field(default_factory=dict, repr=False)

    def of_model(self, name: str) -> Extractor:
        """Return the extractor of a model without further options.

        Raises
        ------
        ModelError
            No model of this name is offered.
        """
        if name not in self.sources:
            raise ModelError(f"there is no model {name[:100]!r}; known are {', '.join(self.sources)}")
        if name not in self._extractors:
            self._extractors[name] = Extractor.load(self.sources[name]).with_options(max_bytes=self.max_bytes)
        return self._extractors[name]

    def of(self, choices: ExtractionChoices) -> Extractor:
        """Return an extractor with options.

        Raises
        ------
        ModelError
            No such model is offered, or an option does not suit it.
        """
        return self.of_model(choices.model).with_options(**choices.options.given())


def load_extractors(sources: Mapping[str, str], max_bytes: int) -> LoadedExtractors:
    """Return extractors with the default model already loaded, so that the first page does not wait for it."""
    loaded = LoadedExtractors(sources, max_bytes)
    loaded.of_model(DEFAULT_MODEL)
    return loaded
