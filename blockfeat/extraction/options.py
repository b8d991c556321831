"""``ExtractionOptions``: what can be chosen of an extraction, in Python, on the command line and over HTTP alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, TypedDict, get_type_hints

from blockfeat.errors import LanguageError, ModelError

SIDES = ("precision", "recall")
"""Values of ``favour``."""
REASON_LANGUAGES = ("en", "de", "fr")
"""Languages of reasons (``sentences.toml``)."""


def _option(help: str, *, default: Any = None, least: int | None = None) -> Any:
    """Return a field with what commands and forms say of it, and the least value of a number."""
    return field(default=default, metadata={"help": help, "least": least})


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractionOptions:
    """The options of an extraction; None leaves a choice to the model.

    Attributes
    ----------
    decoder : str or None
        ``"conjunction"`` or ``"mss"``, for models of thresholds.
    runs : int or None
        Number of contiguous runs that ``"mss"`` may keep.
    favour : str or None
        ``"precision"`` for less clutter, ``"recall"`` for less text lost.
    headline : bool or None
        Whether the headline, where it is a block of its own above the text, belongs to it.
    captions, tables : bool or None
        Whether captions of figures and cells of tables inside the text belong to it.
    comments : bool or None
        Whether comments by readers belong to the text.
    rules : bool or None
        Whether rules go over what a model keeps: banners, boxes that ask to subscribe and lines that point at other
        texts are dropped, on pages in doubt what stands outside of the article's box too; standfirsts, headings of
        sections and technical text are kept. None: with ``default``, ``margin`` and others of their kinds.
    metadata : bool
        Whether extractions have metadata, which are read at the first use.
    max_bytes : int or None
        Size limit of a page in bytes; a larger one raises `LimitExceeded`.
    normalise : bool
        Whether text is brought into Unicode's normal form C, without marks that have no width; see
        `blockfeat.content.plain.normalised`.
    lang_ui : str
        Language of the reasons of blocks: ``"en"``, ``"de"`` or ``"fr"``; what a rule says stays in English.
    """

    decoder: str | None = _option("For models of thresholds: conjunction or mss, instead of the model's own.")
    runs: int | None = _option("Number of contiguous runs that mss may keep.", least=1)
    favour: str | None = _option("precision (less clutter) or recall (less text lost).")
    headline: bool | None = _option("Count the headline as part of the text, or not.")
    captions: bool | None = _option("Keep captions inside the text, or not.")
    tables: bool | None = _option("Keep tables inside the text, or not.")
    comments: bool | None = _option("Keep the comments of readers, or not.")
    rules: bool | None = _option("Drop banners and the like from what a model keeps, or not.")
    metadata: bool = _option("Write title, authors, dates and the rest in JSON, or not.", default=True)
    max_bytes: int | None = _option("Largest page that is read.", least=1)
    normalise: bool = _option("Compose letters (NFC), drop marks without width.", default=True)
    lang_ui: str = _option("Language of the reasons of blocks: en, de or fr.", default="en")

    def __post_init__(self) -> None:
        """Check what can be favoured, and the language of reasons."""
        if self.favour is not None and self.favour not in SIDES:
            raise ModelError(f"cannot favour {self.favour!r}; known are {', '.join(SIDES)}")
        if self.lang_ui not in REASON_LANGUAGES:
            known = ", ".join(REASON_LANGUAGES)
            raise LanguageError(f"no reasons in language {self.lang_ui!r}; there are {known}")

    def changed(self, given: Mapping[str, Any]) -> ExtractionOptions:
        """Return a copy with the options that are given; None leaves one as it is.

        Raises
        ------
        TypeError
            There is no such option.
        """
        return replace(
            self, **{name: value for name, value in given.items() if value is not None or name not in _NAMES}
        )

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, by name."""
        values = ((option.name, getattr(self, option.name), option.default) for option in fields(self))
        return {name: value for name, value, default in values if value != default}


class GivenOptions(TypedDict, total=False):
    """Options as keywords, as `blockfeat.extract` and `Extractor.with_options` take them; None is as not given."""

    decoder: str | None
    runs: int | None
    favour: str | None
    headline: bool | None
    captions: bool | None
    tables: bool | None
    comments: bool | None
    rules: bool | None
    metadata: bool | None
    max_bytes: int | None
    normalise: bool | None
    lang_ui: str | None


_NAMES = frozenset(GivenOptions.__annotations__)

DEFAULT_OPTIONS = ExtractionOptions()
"""The default options."""


def option_fields(*names: str) -> tuple[tuple[Field[Any], Any], ...]:
    """Return the fields of some options, of all where none is named, each with its type.

    ``metadata`` of a field says of its option what it does (``"help"``), and the least value of a number (``"least"``).
    """
    types = get_type_hints(ExtractionOptions)
    return tuple(
        (option, types[option.name]) for option in fields(ExtractionOptions) if not names or option.name in names
    )
