"""Other spellings of a name that are found by default, each with the rule that made it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from blockfeat.lang.scripts import script_of
from blockfeat.monitor.mentions.brand import Brand

_JOINER = re.compile("[ \u00a0\u2010-\u2013-]")
_UMLAUTS = dict(zip("äöüøåÄÖÜØÅ", ["ae", "oe", "ue", "oe", "aa", "Ae", "Oe", "Ue", "Oe", "Aa"], strict=True))
_UMLAUT = re.compile(f"[{''.join(_UMLAUTS)}]")
# Shorter names would be joined to words.
_SHORTEST_JOINED = 7
_CHINESE = ("s2tw", "s2hk", "s2t", "t2s")


@dataclass(frozen=True, slots=True)
class Variant:
    """A spelling.

    Attributes
    ----------
    lang : str
        Language of the pages that it is looked for on, ``"*"`` for all.
    rule : str
        What made it: ``"spacing"``, ``"umlauts"`` or ``"Chinese"``.
    """

    spelling: str
    lang: str
    rule: str


def variants_of(brand: Brand) -> Iterator[Variant]:
    """Yield the other spellings of the names of a brand; none where it has ``forms = False``, or compares exactly.

    Spaces and hyphens stand for each other, or are left out of long names; ä is ae, ø is oe, å is aa; Chinese names are
    in simplified and traditional characters (OpenCC); names have the endings of a page's language
    (`blockfeat.monitor.mentions.aliases.Endings`), which are found with the name's own capital only.
    """
    if not brand.forms or brand.case == "exact":
        return
    known = {name for _, name in brand.spellings()}
    for lang, name in brand.spellings():
        if name.endswith("*"):
            continue
        for rule, made in (("spacing", _spaced(name)), ("umlauts", _umlauts(name)), ("Chinese", _chinese(name))):
            yield from (Variant(other, lang, rule) for other in made if other not in known)


def _spaced(name: str) -> Iterable[str]:
    """Return a name with its spaces and hyphens exchanged, and joined where it is long."""
    parts = _JOINER.split(name)
    if len(parts) == 1 or not all(parts) or not all(map(_is_cased, parts)):
        return ()
    joined = ("".join(parts),) if len(parts) == 2 and len(name) >= _SHORTEST_JOINED else ()
    return (" ".join(parts), "-".join(parts), *joined)


def _is_cased(part: str) -> bool:
    return part[0].upper() != part[0].lower()


def _umlauts(name: str) -> Iterable[str]:
    return (_UMLAUT.sub(lambda found: _UMLAUTS[found[0]], name),) if _UMLAUT.search(name) else ()


def _chinese(name: str) -> Iterable[str]:
    """Return a Chinese name in the other characters."""
    if not any(script_of(letter) == "han" for letter in name) or any(script_of(letter) == "kana" for letter in name):
        return ()
    from opencc import OpenCC  # type: ignore[import-untyped]

    return tuple(dict.fromkeys(OpenCC(way).convert(name) for way in _CHINESE))
