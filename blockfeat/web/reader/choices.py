"""What a request chooses: the model and its options, as plain values that travel between processes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ExtractionChoices:
    """The options of an extraction; None leaves a choice to the model.

    Attributes
    ----------
    model : str
        Name of a bundled model, or of one that the service was started with.
    decoder : str or None
        ``"conjunction"`` or ``"mss"``, for models of thresholds.
    runs : int or None
        Number of contiguous runs that ``"mss"`` may keep.
    favour : str or None
        ``"precision"`` or ``"recall"``.
    headline, captions, tables, comments : bool or None
        Whether these parts belong to the text.
    lang : str or None
        ISO 639-1 code of the page's language.
    normalise : bool
        False leaves letters and marks without width as the page has them.
    """

    model: str = "default"
    decoder: str | None = None
    runs: int | None = None
    favour: str | None = None
    headline: bool | None = None
    captions: bool | None = None
    tables: bool | None = None
    comments: bool | None = None
    lang: str | None = None
    normalise: bool = True
