"""``ExtractionOptions``: what can be chosen of an extraction, in Python, on the command line and over HTTP alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from types import NoneType
from typing import Any, Literal, TypedDict, get_args, get_type_hints

from blockfeat._files import bundled_table
from blockfeat.errors import InputTypeError, LanguageError, ModelError, nearest

SIDES = ("precision", "recall")
"""Values of ``favour``."""


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
    drop : str or None
        CSS selector of elements whose blocks are dropped, such as ``".promo, aside > ul"``.
    keep : str or None
        CSS selector of the elements that alone are looked at, such as ``"main"``: what the model keeps there, or all of
        it where it keeps nothing. ``"page"`` is none: with it, a pickled result has its page with it.
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

    decoder: Literal["conjunction", "mss"] | None = _option(
        "For models of thresholds: conjunction or mss, instead of the model's own."
    )
    runs: int | None = _option("Number of contiguous runs that mss may keep.", least=1)
    favour: Literal["precision", "recall"] | None = _option("precision (less clutter) or recall (less text lost).")
    headline: bool | None = _option("Count the headline as part of the text, or not.")
    captions: bool | None = _option("Keep captions inside the text, or not.")
    tables: bool | None = _option("Keep tables inside the text, or not.")
    comments: bool | None = _option("Keep the comments of readers, or not.")
    drop: str | None = _option("Drop what stands in these elements, as CSS selects them (.promo, aside > ul).")
    keep: str | None = _option("Take text from these elements alone, as CSS selects them (main, #content).")
    rules: bool | None = _option("Drop banners and the like from what a model keeps, or not.")
    metadata: bool = _option("Write title, authors, dates and the rest in JSON, or not.", default=True)
    max_bytes: int | None = _option("Largest page that is read.", least=1)
    normalise: bool = _option("Compose letters (NFC), drop marks without width.", default=True)
    lang_ui: Literal["en", "de", "fr"] = _option("Language of the reasons of blocks: en, de or fr.", default="en")

    def __post_init__(self) -> None:
        """Check the values."""
        for name, (types, choices) in _allowed().items():
            value = getattr(self, name)
            if type(value) not in types:
                known = " or ".join(one.__name__ for one in types if one is not NoneType)
                raise InputTypeError(f"the option {name} must be {known}, not {value!r}")
            if choices and value not in choices and value is not None:
                error = LanguageError if name == "lang_ui" else ModelError
                raise error(f"the option {name} cannot be {value!r}; known are {', '.join(choices)}")
            least = self.__dataclass_fields__[name].metadata["least"]
            if least is not None and value is not None and value < least:
                raise InputTypeError(f"the option {name} must be {least} or more, not {value!r}")
        for selector in (self.drop, self.keep):
            if selector is not None:
                from blockfeat.page.tags import parsed_selector

                parsed_selector(selector)

    def changed(self, given: Mapping[str, Any]) -> ExtractionOptions:
        """Return a copy with the options that are given; None leaves one as it is.

        Raises
        ------
        InputTypeError
            There is no such option, or its value is of another type.
        """
        for name in given:
            if name not in _NAMES:
                raise _no_option(name)
        return replace(self, **{name: value for name, value in given.items() if value is not None})

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, by name."""
        values = ((option.name, getattr(self, option.name), option.default) for option in fields(self))
        return {name: value for name, value, default in values if value != default}


class GivenOptions(TypedDict, total=False):
    """Options as keywords, as `blockfeat.extract` and `Extractor.with_options` take them; None is as not given."""

    decoder: Literal["conjunction", "mss"] | None
    runs: int | None
    favour: Literal["precision", "recall"] | None
    headline: bool | None
    captions: bool | None
    tables: bool | None
    comments: bool | None
    drop: str | None
    keep: str | None
    rules: bool | None
    metadata: bool | None
    max_bytes: int | None
    normalise: bool | None
    lang_ui: Literal["en", "de", "fr"] | None


_NAMES = tuple(GivenOptions.__annotations__)


@cache
def _allowed() -> dict[str, tuple[tuple[type, ...], tuple[str, ...]]]:
    """Return the types of each option, and its values where there are only a few."""
    found = {}
    for name, kind in get_type_hints(ExtractionOptions).items():
        parts = [one for part in get_args(kind) or (kind,) for one in (get_args(part) or (part,))]
        choices = tuple(part for part in parts if isinstance(part, str))
        found[name] = (tuple({type(part) if part in choices else part for part in parts}), choices)
    return found


def _no_option(name: str) -> InputTypeError:
    """Return the error for an option that there is not; its message says which may be meant."""
    elsewhere = bundled_table("blockfeat.extraction", "trafilatura.toml")
    hint = f"did you mean {elsewhere[name]}?" if name in elsewhere else nearest(name, _NAMES)
    return InputTypeError(f"there is no option {name!r}; {hint}")


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
