"""Characters that output may not contain."""

from __future__ import annotations

import re

# NUL and the control characters but tab and newline, C1 controls, lone surrogates.
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_RETURN = re.compile("\r\n?")
# Control characters that separate words or lines become a space.
_SEPARATORS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85"
_NOT_IN_XML = re.compile("[\ufffe\uffff]")
_WHITE_SPACE = re.compile("[\t\n\x0b\x0c\r \x1c-\x1f\x85\u2028\u2029]+")


def clean_characters(text: str) -> str:
    """Return the text without NUL, lone surrogates and control characters except tab and newline.

    Carriage returns become newlines, separating controls a space, lone surrogates U+FFFD; the other
    controls are dropped. A clean text is returned unchanged.
    """
    if _UNWANTED.search(text) is None:
        return text
    return _UNWANTED.sub(_replacement, _RETURN.sub("\n", text))


def _replacement(match: re.Match[str]) -> str:
    character = match.group()
    if character >= "\ud800":
        return "\ufffd"
    return " " if character in _SEPARATORS else ""


def xml_characters(text: str) -> str:
    """Return the text with only the characters of XML 1.0: clean, and without U+FFFE and U+FFFF."""
    return _NOT_IN_XML.sub("\ufffd", clean_characters(text))


def fold_white_space(text: str) -> str:
    """Fold runs of spaces, tabs and line ends of any kind to one space (no-break spaces stay)."""
    return _WHITE_SPACE.sub(" ", text)
