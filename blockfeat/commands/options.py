"""Options, exit codes and checks that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "NOTHING_READ",
    "SOME_FAILED",
    "WRONG_USAGE",
    "FavourOption",
    "HeadlineOption",
    "JobsOption",
    "ModelOption",
    "QuietOption",
    "language",
    "languages",
    "named",
]

SOME_FAILED, WRONG_USAGE, NOTHING_READ = 1, 2, 126

ModelOption = Annotated[str, typer.Option("--model", "-m", help="Bundled name or model file.")]
JobsOption = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of processes.")]
FavourOption = Annotated[str | None, typer.Option(help="precision or recall: less clutter, or less lost.")]
HeadlineOption = Annotated[bool | None, typer.Option(help="The headline as part of the text.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no messages about single pages.")]


def named(id: str, error: str) -> str:
    """Return an error that names its page."""
    return error if error.startswith(id) else f"{id}: {error}"


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
