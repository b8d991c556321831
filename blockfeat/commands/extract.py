"""The command ``blockfeat extract``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blockfeat.commands import console
from blockfeat.commands.console import NOTHING_READ, SOME_FAILED
from blockfeat.commands.options import (
    AllowNetworkOption,
    DelayOption,
    FieldsOption,
    InputFormatOption,
    JobsOption,
    LangOption,
    ModelOption,
    PassedOver,
    QuietOption,
    format_names,
    input_options,
    language,
    with_extraction_options,
)
from blockfeat.commands.outputs import Target, target_of
from blockfeat.extraction.options import DEFAULT_OPTIONS, ExtractionOptions

if TYPE_CHECKING:
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.extraction.many import SiteProfiles
    from blockfeat.io.batch.summary import Tally
    from blockfeat.io.inputs import Document, InputOptions
    from blockfeat.io.outputs.rendering import Rendered, Renderer


_AUTO = "auto"


@with_extraction_options()
def extract(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files (pages, .jsonl, .warc, .parquet; plain or .gz, .xz, .zst), folders, addresses; "
            "'-' or nothing: standard input."
        ),
    ] = None,
    urls: Annotated[
        list[str] | None, typer.Option("--urls", metavar="FILE", help="Fetch the addresses in a file, one a line.")
    ] = None,
    model: ModelOption = "default",
    options: ExtractionOptions = DEFAULT_OPTIONS,
    lang: LangOption = "auto",
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="text, markdown, json, html, xml, page, csv or parquet; by default as --output is named, else text.",
            autocompletion=format_names,
        ),
    ] = None,
    links: Annotated[bool, typer.Option("--links", help="Write links in Markdown.")] = False,
    images: Annotated[bool, typer.Option("--images", help="Write images in Markdown, HTML and XML.")] = False,
    absolute: Annotated[
        bool | None,
        typer.Option("--absolute/--as-written", help="Make the addresses of a page absolute, or leave them."),
    ] = None,
    styles: Annotated[
        bool | None, typer.Option("--styles/--no-styles", help="Keep the styles of a page, or not.")
    ] = None,
    evidence: Annotated[bool, typer.Option("--evidence", help="Write every block with its reason in JSON.")] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="File; or folder, one file a page: an existing one, or a name that ends in /."
        ),
    ] = None,
    input_format: InputFormatOption = "auto",
    fields: FieldsOption = None,
    allow_network: AllowNetworkOption = None,
    delay: DelayOption = 1.0,
    jobs: JobsOption = 1,
    deadline: Annotated[float | None, typer.Option(min=0.01, help="Most seconds for one page.")] = None,
    site: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|auto",
            help="Drop text that other pages of the site repeat: those of a profile (blockfeat site writes one), "
            "or auto: those of the same host in this run.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted run (JSON to a file); try failures again.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Extract the main text of pages."""
    from blockfeat.extraction.extractor import Extractor
    from blockfeat.io.outputs.rendering import Renderer

    named = _Inputs(tuple(inputs or ()), tuple(urls or ()))
    reading = input_options(input_format, fields, allow_network, delay)
    target = target_of(output, format, inputs=[*named.pages, *named.lists], resume=resume)
    _check_page_options(target.format, absolute, styles, evidence=evidence)
    extractor = Extractor.load(model).with_options(**options.given())
    choices = {name: value for name, value in asdict(options).items() if name != "max_bytes"}
    extractor, choices["site"] = _with_site(extractor, site)
    renderer = Renderer(
        extractor,
        target.format,
        links,
        evidence,
        language(lang),
        images,
        absolute=absolute is not False,
        styles=styles is not False,
    )
    recorded = {**choices, "lang": renderer.lang, "evidence": evidence or None, "fields": fields}
    _run(_Batch(named, reading, renderer, target, recorded, jobs, deadline), resume=resume, quiet=quiet)


def _with_site(extractor: Extractor, site: str | None) -> tuple[Extractor, str | None]:
    """Give an extractor the profile that ``--site`` names; return it, and what the record of the run says of it."""
    if site in (None, _AUTO):
        return extractor, site
    import hashlib

    from blockfeat.extraction.site_profile import SiteProfile

    profile = SiteProfile.load(str(site))
    return extractor.with_site(profile), f"sha256:{hashlib.sha256(profile.to_bytes()).hexdigest()}"


def _check_page_options(format: str, absolute: bool | None, styles: bool | None, *, evidence: bool) -> None:
    """Check the options that only one format has."""
    for name, value in (("--absolute/--as-written", absolute), ("--styles/--no-styles", styles)):
        if value is not None and format != "page":
            raise typer.BadParameter("needs --format page", param_hint=name)
    if evidence and format == "page":
        raise typer.BadParameter("a page has no place for the blocks; take --format json", param_hint="--evidence")


@dataclass(frozen=True)
class _Inputs:
    """Pages by name, and lists of addresses; standard input where neither is given."""

    pages: tuple[str, ...]
    lists: tuple[str, ...]

    def documents(self, reading: InputOptions, on_passed_over: PassedOver) -> Iterator[Document]:
        """Yield the pages; addresses unfetched."""
        from blockfeat.io.inputs import list_inputs

        if self.pages or not self.lists:
            yield from list_inputs(self.pages, reading, on_passed_over=on_passed_over)
        if self.lists:
            yield from list_inputs(self.lists, replace(reading, format="urls"))

    def count(self, reading: InputOptions) -> int | None:
        """Return the number of pages where it can be known."""
        from blockfeat.io.inputs.count import count_pages

        pages = count_pages(self.pages, reading) if self.pages else None if not self.lists else 0
        lists = count_pages(self.lists, replace(reading, format="urls"))
        return None if pages is None or lists is None else pages + lists

    def __str__(self) -> str:
        return ", ".join(self.pages + self.lists or ("-",))


@dataclass(frozen=True)
class _Batch:
    """What is extracted, how, and where it goes."""

    inputs: _Inputs
    reading: InputOptions
    renderer: Renderer
    target: Target
    options: dict[str, Any]
    jobs: int
    deadline: float | None


def _run(batch: _Batch, *, resume: bool, quiet: bool) -> None:
    """Extract, write, say what happened, and end with the exit code that fits."""
    from blockfeat.io.batch.run import run
    from blockfeat.io.batch.summary import Tally
    from blockfeat.io.inputs import fetched

    passed_over = PassedOver()
    listed = batch.inputs.documents(batch.reading, passed_over)
    model = batch.renderer.extractor.model
    listed, writer, earlier = batch.target.begun(listed, model, batch.options, resume=resume)
    tally, emptiness = Tally(earlier), list[str]()
    site = batch.options["site"]
    writer = writer or batch.target.writer(evidence=batch.renderer.evidence, site=site is not None)
    with (
        _site_profiles(batch.target, by_site=site == _AUTO, resume=resume) as sites,
        _said(tally, passed_over, quiet=quiet),
        console.progress("extracting", quiet=quiet, total=lambda: batch.inputs.count(batch.reading)) as tick,
    ):

        def on_document(rendered: Rendered) -> None:
            tally.add(rendered)
            tick(earlier + tally.total)
            if not quiet and tally.total == 1 and not earlier:
                emptiness[:] = _emptiness(rendered)
            if rendered.error and not quiet:
                console.error(console.with_name(rendered.id, rendered.error))

        documents = fetched(listed, batch.reading)
        limits: dict[str, Any] = {"jobs": batch.jobs, "deadline": batch.deadline}
        run(documents, batch.renderer, writer, **limits, on_document=on_document, sites=sites)
    if tally.total == 1:
        for line in emptiness:
            console.error(line)
    _exit(tally, str(batch.inputs))


def _emptiness(rendered: Rendered) -> list[str]:
    """Return why the text of a page is empty; nothing where it is not. Of several pages the summary says it."""
    reasons = {"empty": "the page has no text", "no content": "no main text was found on the page"}
    reason = None if rendered.error else reasons.get(rendered.status)
    return [console.with_name(rendered.id, reason)] if reason else []


@contextmanager
def _site_profiles(target: Target, *, by_site: bool, resume: bool) -> Iterator[SiteProfiles | None]:
    """Yield the profiles of a run by site, kept beside an output that can be resumed."""
    if not by_site:
        yield None
    elif target.path is not None and target.is_resumable:
        from blockfeat.io.batch.sites import SiteLog

        with closing(SiteLog(target.path, resume=resume)) as log:
            yield log.profiles
    else:
        from blockfeat.extraction.many import SiteProfiles

        yield SiteProfiles()


@contextmanager
def _said(tally: Tally, passed_over: PassedOver, *, quiet: bool) -> Iterator[None]:
    """Say at the end, also at one by Ctrl-C, what was passed over and how a batch went."""
    stopped = None
    try:
        yield
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    if not quiet:
        if message := passed_over.message():
            console.error(message)
        if tally.total > 1 or tally.earlier:
            console.error(tally.summary())
    if stopped is not None:
        raise stopped


def _exit(tally: Tally, inputs: str) -> None:
    """End with an exit code where not all is well."""
    if tally.reasons:
        raise typer.Exit(SOME_FAILED if tally.statuses or tally.earlier else NOTHING_READ)
    if not tally.statuses and not tally.earlier:
        console.error(f"nothing to read in {inputs}")
        raise typer.Exit(NOTHING_READ)
