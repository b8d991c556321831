"""What a request chooses, as plain values, and what a worker process has loaded for it: extractors by model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from blockfeat.errors import ModelError
from blockfeat.extraction.extractor import Extractor
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions
from blockfeat.models.store import DEFAULT_MODEL, bundled_models


def model_names(files: tuple[str, ...]) -> dict[str, str]:
    """Return what each model that is offered is loaded from, by its name; the default one is the first.

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
    """Extractors, each loaded when it is first asked for.

    Attributes
    ----------
    sources : mapping
        What each model is loaded from, by its name.
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
    """Load the default model, so that the first page does not wait for it."""
    loaded = LoadedExtractors(sources, max_bytes)
    loaded.of_model(DEFAULT_MODEL)
    return loaded
