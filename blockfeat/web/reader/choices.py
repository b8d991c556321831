"""What a request chooses: the model and its options, as plain values that travel between processes."""

from __future__ import annotations

from dataclasses import dataclass

from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions


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
