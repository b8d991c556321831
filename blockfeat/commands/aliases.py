"""The command ``blockfeat monitor aliases``: forms and names to put into a monitor's file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blockfeat.commands import console
from blockfeat.commands.options import languages
from blockfeat.errors import LanguageError

if TYPE_CHECKING:
    from blockfeat.monitor.mentions.brand import Brand


def aliases(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]…", help="Names in their basic form.", show_default=False)
    ] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="Propose inflected forms in these languages.")] = None,
    wikidata: Annotated[
        Path | None, typer.Option("--wikidata", help="Export of Wikidata (.json, .jsonl, .tsv): labels and aliases.")
    ] = None,
    only: Annotated[str | None, typer.Option("--only", help="With --wikidata: only names in these languages.")] = None,
) -> None:
    """Propose aliases of brands, as TOML for a monitor's file: look through them before you use them."""
    from blockfeat.monitor.mentions.brand import Brand
    from blockfeat.monitor.mentions.inflection import inflected_aliases
    from blockfeat.monitor.mentions.wikidata import read_wikidata

    if not names and wikidata is None:
        raise typer.BadParameter("give names, or --wikidata FILE", param_hint="NAME")
    if names and not lang and wikidata is None:
        raise typer.BadParameter("which languages? give --lang pl,ru", param_hint="--lang")
    brands = [Brand(name) for name in names or ()]
    if wikidata is not None:
        brands += _of_languages(read_wikidata(wikidata), languages(only))
    for brand in brands:
        try:
            found = inflected_aliases(brand.name, languages(lang) or ())
        except LanguageError as error:
            raise typer.BadParameter(str(error), param_hint="--lang") from None
        for code in (code for code, forms in found.items() if not forms):
            console.error(f"{brand.name}: no other forms in {code}; names in another script are not inflected")
        console.show(_toml(brand.name, brand.with_aliases(found).aliases))


def _of_languages(brands: Iterable[Brand], codes: Sequence[str] | None) -> list[Brand]:
    """Return brands with the aliases in some languages only, and those in all; all for None."""
    from blockfeat.monitor.mentions.brand import ANY_LANGUAGE, Brand

    if codes is None:
        return list(brands)
    kept = {*codes, ANY_LANGUAGE}
    return [Brand(brand.name, {code: own for code, own in brand.aliases.items() if code in kept}) for brand in brands]


def _toml(name: str, aliases_by_language: Mapping[str, Sequence[str]]) -> str:
    """Return a brand as a table of TOML; strings of JSON are strings of TOML."""
    lines = ["[[brands]]", f"name = {_string(name)}", "[brands.aliases]"]
    for code, own in aliases_by_language.items():
        if own:
            key = code if code.isalpha() else _string(code)
            lines.append(f"{key} = [{', '.join(map(_string, own))}]")
    return "\n".join(lines if len(lines) > 3 else lines[:2]) + "\n"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
