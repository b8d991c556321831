"""The bodies of the API's requests and responses, as OpenAPI describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from blockfeat.extraction import SIDES, ExtractionOptions, option_fields
from blockfeat.io.outputs import FORMATS
from blockfeat.models import DECODERS
from blockfeat.papers.crunch import settings as crunch
from blockfeat.web.coloured import LOOKS
from blockfeat.web.reader.tasks import ExtractionChoices

_LONGEST_ADDRESS = 8192
_LONGEST_NAME = 200
_MOST_RUNS = 1000
_OPTIONS = ("decoder", "runs", "favour", "headline", "captions", "tables", "comments", "rules", "normalise")

Address = Annotated[str, Field(max_length=_LONGEST_ADDRESS, examples=["https://www.example.org/article"])]
FormatName = Annotated[str, Field(json_schema_extra={"enum": list(FORMATS)})]


class _Strict(BaseModel):
    """Refuses unknown keys, so that a misspelt option does not silently take its default."""

    model_config = ConfigDict(extra="forbid", ser_json_inf_nan="null")


class PageInput(_Strict):
    """A page: its HTML (with ``url`` as its address), an address to fetch, or one that the service still keeps."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"anyOf": [{"required": [name]} for name in ("html", "url", "page")]}
    )

    html: Annotated[str | None, Field(description="The page as HTML.")] = None
    url: Annotated[Address | None, Field(description="Its address; fetched without html and page.")] = None
    page: Annotated[
        str | None, Field(description="What POST /api/v1/pages or /api/v1/files returned.", max_length=_LONGEST_NAME)
    ] = None

    @model_validator(mode="after")
    def _one_page(self) -> Self:
        if self.html is None and self.url is None and self.page is None:
            raise ValueError("give html, url or page")
        if self.page is not None and (self.html is not None or self.url is not None):
            raise ValueError("page goes with neither html nor url")
        return self


def _option_fields() -> dict[str, Any]:
    """Return the options of an extraction that a request may choose, as pydantic field definitions."""
    found: dict[str, Any] = {}
    for option, kind in option_fields(*_OPTIONS):
        help, least = option.metadata["help"], option.metadata["least"]
        stated = Field(description=help, ge=least, le=_MOST_RUNS if option.name == "runs" else None)
        found[option.name] = Annotated[kind, stated], option.default
    return found


if TYPE_CHECKING:
    _Options = _Strict
else:
    _Options = create_model("_Options", __base__=_Strict, **_option_fields())


class Choices(_Options):
    """Model and options of an extraction; null leaves a choice to the model."""

    model: Annotated[str, Field(max_length=_LONGEST_NAME, description="A name of GET /api/v1/models.")] = "default"
    lang: Annotated[str | None, Field(max_length=35, description="Its language, such as de; else identified.")] = None

    def plain(self) -> ExtractionChoices:
        """Return the choices in the form that the tasks take."""
        options = ExtractionOptions(**{name: getattr(self, name) for name in _OPTIONS})
        return ExtractionChoices(self.model, self.lang, options)


class FrameChoices(Choices):
    """Model and options of a coloured page, and how much of its look is kept."""

    look: Literal["plain", "page", "web"] = "page"


class ExtractRequest(PageInput, Choices):
    """A page, options, and the formats in which the main text is returned."""

    formats: Annotated[list[FormatName], Field(max_length=20)] = ["text"]
    links: Annotated[bool, Field(description="Write links in Markdown.")] = False
    images: Annotated[bool, Field(description="Write images in Markdown, HTML and XML.")] = False
    evidence: Annotated[bool, Field(description="Add the blocks to the record.")] = False

    @model_validator(mode="after")
    def _known_formats(self) -> Self:
        for name in self.formats:
            if name not in FORMATS:
                raise ValueError(f"format {name[:50]!r} is unknown; known are {', '.join(FORMATS)}")
        return self


class ExplainRequest(PageInput, Choices):
    """A page and options."""

    features: Annotated[bool, Field(description="Add the features of each block.")] = True
    blocks: Annotated[
        list[Annotated[int, Field(ge=0)]] | None, Field(description="Only these blocks, by index.", max_length=10_000)
    ] = None


class CompareRequest(PageInput):
    """A page, and two ways to extract it."""

    first: Choices = Choices()
    second: Choices


class AdvertisementChoices(_Strict):
    """The advertisement remover; files of hosts are not taken from clients."""

    remove: bool = True
    bundled_list: bool = True


class CleanChoices(_Strict):
    """Settings of the filters of ``blockfeat clean``; what is left out has its default (docs/crunch.md)."""

    filters: crunch.Filters = crunch.Filters()
    advertisements: AdvertisementChoices = AdvertisementChoices()
    link_lists: crunch.LinkLists = crunch.LinkLists()
    empty_tables: crunch.EmptyTables = crunch.EmptyTables()
    removed_links: crunch.RemovedLinks = crunch.RemovedLinks()

    def settings(self) -> crunch.CleanSettings:
        """Return the settings in the form that the filters take."""
        hosts = crunch.Advertisements(self.advertisements.remove, self.advertisements.bundled_list)
        return crunch.CleanSettings(self.filters, hosts, self.link_lists, self.empty_tables, self.removed_links)


class CleanRequest(PageInput):
    """A page, and what is removed from it."""

    settings: CleanChoices = CleanChoices()
    format: Literal["html", "text"] = "html"
    sanitise: Annotated[bool, Field(description="Leave only what an allow list has; without it the page may run.")] = (
        True
    )


class KeptResponse(_Strict):
    """A page that the service keeps for a while."""

    page: Annotated[str, Field(description="Its name in further requests.")]
    url: str | None
    name: str | None
    bytes: int
    seconds: Annotated[float, Field(description="How long it is kept after its last use.")]


class ExtractResponse(_Strict):
    """The page's record (docs/record.md), and the main text by format."""

    record: dict[str, Any]
    outputs: dict[str, str]


class Threshold(_Strict):
    """A threshold of the model."""

    feature: str
    title: str
    unit: str
    bound: str
    threshold: float | None
    words: str


class FeatureValue(_Strict):
    """The value of a feature for a block, and its effect on the decision."""

    feature: str
    title: str
    unit: str
    value: float | None
    written: str
    threshold: str | None
    failed: bool
    contribution: float | None
    says: str | None


class ExplainedBlock(_Strict):
    """A block, what was decided about it, and why."""

    index: int
    text: str
    kept: bool
    role: str
    kind: str
    level: int
    words: int
    links: int
    score: float | None
    reason: str
    failed: list[str]
    features: list[FeatureValue]
    xpath: str


class ExplainResponse(_Strict):
    """The page's record, the model's thresholds for it, and its blocks."""

    record: dict[str, Any]
    thresholds: list[Threshold]
    blocks: list[ExplainedBlock]


class Side(_Strict):
    """One of two extractions."""

    model: str
    blocks: int
    kept: int
    words_kept: int
    differing: Annotated[list[int], Field(description="Blocks about which the other decides differently.")]


class CompareResponse(_Strict):
    """Where two extractions differ."""

    first: Side
    second: Side
    agreement: Annotated[float | None, Field(description="Word F1 of the two texts; null where both are empty.")]


class CleanResponse(_Strict):
    """A cleaned page."""

    output: str
    encoding: str
    warnings: list[str]


class ModelDescription(_Strict):
    """A model."""

    name: str
    kind: str
    decoding: str
    has_decoders: Annotated[bool, Field(description="Whether decoder and runs can be chosen.")]
    tag_table: str
    languages: Annotated[list[str], Field(description="What it was trained on; empty for any.")]
    features: list[str]


class ModelsResponse(_Strict):
    """The models that are offered."""

    default: str
    models: list[ModelDescription]


class FormatDescription(_Strict):
    """A format of output."""

    name: str
    title: str
    media_type: str
    suffix: str


class OptionsResponse(_Strict):
    """The formats and other options that can be chosen."""

    formats: list[FormatDescription]
    decoders: list[str] = list(DECODERS)
    favour: list[str] = list(SIDES)
    looks: list[str] = list(LOOKS)
    clean: Annotated[CleanChoices, Field(description="The default settings of the filters.")] = CleanChoices()
    max_bytes: int


class HealthResponse(_Strict):
    """Status of the service."""

    status: Literal["ok"] = "ok"
    version: str
    workers: int
    busy: int
    pages_kept: int
