"""Mend text that was encoded as UTF-8 twice: ``â€™`` for ``’``, ``Ã©`` for ``é``, ``Ð¿`` for ``п``."""

from __future__ import annotations

import re

# What the bytes of UTF-8 look like where somebody took them for Windows-1252: five have no character there.
_CHARACTERS = "".join(bytes([code]).decode("windows-1252", "ignore") or chr(code) for code in range(256))
_BYTES = {ord(character): code for code, character in enumerate(_CHARACTERS)}
_INNER = re.escape(_CHARACTERS[0x80:0xC0])
_CHARACTER = f"[Â-ß][{_INNER}]|[à-ï][{_INNER}]{{2}}|[ð-ô][{_INNER}]{{3}}"
_RUN = re.compile(f"(?:{_CHARACTER})+")
# A passage ends with the text, the tag or the value: one page may hold both kinds.
_PASSAGE = re.compile(r'[^<>"\x00-\x7f][^<>"]*')
# No language has these sequences: the others may be a capital before a quotation mark.
_CERTAIN = re.compile(f"â€|[ÂÃ][\xa0-\xbf]|(?:[Ã-ß][{_INNER}]){{3}}|(?:[à-ï][{_INNER}]{{2}}){{2}}")
_LEAST_PASSAGES = 2

LEAST_PAIRS = 2
"""Pages with fewer doubled pairs (`blockfeat.page.utf_8.doubled_pairs`) are as they should be."""


def mend_twice_encoded(data: bytes) -> tuple[bytes, int]:
    """Mend the passages of a page that were encoded twice; return the page and their number.

    A passage is what stands between tags or quotation marks. It is mended where all of its characters beyond ASCII
    decode once more, and only on pages that have sequences that no language has.

    Parameters
    ----------
    data : bytes
        The page, in valid UTF-8.
    """
    text = data.decode("utf-8")
    mended: list[tuple[int, int, str]] = []
    is_certain = False
    for passage in _PASSAGE.finditer(text):
        found = _mended(passage.group())
        if found is not None:
            mended.append((*passage.span(), found))
            is_certain = is_certain or _CERTAIN.search(passage.group()) is not None
    if not is_certain or len(mended) < _LEAST_PASSAGES:
        return data, 0
    parts, last = [], 0
    for start, end, found in mended:
        parts += [text[last:start], found]
        last = end
    return "".join([*parts, text[last:]]).encode("utf-8"), len(mended)


def _mended(passage: str) -> str | None:
    """Return a passage decoded once more; None where some of it is not UTF-8 in Windows-1252."""
    if not _RUN.sub("", passage).isascii():
        return None
    try:
        return _RUN.sub(_decoded, passage)
    except UnicodeDecodeError:
        return None


def _decoded(run: re.Match[str]) -> str:
    return bytes(map(_BYTES.__getitem__, map(ord, run.group()))).decode("utf-8")
