"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from blockfeat.data.corpus import LabelledPage

__all__ = [
    "CorpusOption",
    "DecoderOption",
    "FavourOption",
    "HeadlineOption",
    "JobsOption",
    "LangsOption",
    "ModelOption",
    "QuietOption",
    "labelled_pages",
    "language",
    "languages",
]

CorpusOption = Annotated[
    list[str], typer.Option("--corpus", "-c", help="Corpus file (.jsonl, .gz, .xz) or 'demo'; repeatable.")
]
DecoderOption = Annotated[
    str | None, typer.Option(help="For models of thresholds: conjunction or mss, instead of the model's own.")
]
FavourOption = Annotated[str | None, typer.Option(help="precision (less clutter) or recall (less text lost).")]
HeadlineOption = Annotated[bool | None, typer.Option(help="Count the headline as part of the text, or not.")]
JobsOption = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of processes.")]
LangsOption = Annotated[str | None, typer.Option("--lang", help="Use only pages in these languages, such as de,fr.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", help="Name of a bundled model, or a model file.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress bar and no messages about single pages.")
]


def labelled_pages(corpora: list[str], langs: str | None = None) -> list[LabelledPage]:
    """Read corpora, ``demo`` being the bundled pages; keep only those in the languages of an option, if given."""
    from blockfeat.data import demo_pages, load_corpora
    from blockfeat.data.languages import pages_of_languages

    paths = [path for path in corpora if path != "demo"]
    pages = demo_pages() if "demo" in corpora else []
    return pages_of_languages(pages + (load_corpora(paths) if paths else []), languages(langs))


def language(lang: str) -> str | None:
    """Check a language option; None for auto."""
    from blockfeat.lang import normalise_code

    if lang == "auto":
        return None
    code = normalise_code(lang)
    if code is None:
        raise typer.BadParameter(f"'{lang}' is no language code; give one such as de, or auto", param_hint="--lang")
    return code


def languages(langs: str | None) -> list[str] | None:
    """Return the languages of an option such as ``de,fr``; None where it is not given."""
    return [code for part in langs.split(",") if (code := language(part.strip()))] if langs else None
