"""Style sheets and style attributes of a hostile page without what could load or run."""

from __future__ import annotations

import re

# What an older or another browser would run, and what would load another sheet.
_ACTIVE = re.compile(
    r"expression\s*\(|javascript\s*:|vbscript\s*:|livescript\s*:|-moz-binding|behaviou?r\s*:|-ms-behavior|@import|"
    r"@charset|@namespace|<!--|-->",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_IMPORT = re.compile(r"@import\b[^;{}]*;?", re.IGNORECASE)
_ADDRESS = re.compile(r"url\(\s*(?:\"[^\"]*\"|'[^']*'|[^)]*)\s*\)?", re.IGNORECASE)
_IMAGE = re.compile(r"url\(\s*+[\"']?\s*+data:image/(?:png|gif|jpeg|jpg|webp|avif)[;,]", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"url\(\s*+[\"']?\s*+https?://", re.IGNORECASE)
# Functions that take an address, and those of them that also take it as a string without url().
_LOADING = re.compile(r"\b(?:url|image-set|image|src)\(", re.IGNORECASE)
_OF_STRINGS = re.compile(r"(?:-webkit-)?\b(?:image-set|image|src)\(", re.IGNORECASE)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")


def safe_style_sheet(css: str, *, loads: bool = False) -> str:
    """Return a style sheet that may stand in a style element; empty where it hides something active.

    Parameters
    ----------
    css : str
        The sheet, as hostile as it may be.
    loads : bool
        Leave addresses of images on the web; without it only images that the sheet itself holds stay.
    """
    return _safe(_IMPORT.sub("", _COMMENT.sub("", css)), loads).replace("<", "\\3c ")


def safe_declarations(css: str, *, loads: bool = False) -> str:
    """Return the value of a style attribute; empty where it hides something active. See `safe_style_sheet`."""
    return _safe(_COMMENT.sub("", css), loads)


def _safe(css: str, loads: bool) -> str:
    css = _CONTROLS.sub("", css)
    plain = _ESCAPE.sub(_character, css)
    if _ACTIVE.search(css) or _ACTIVE.search(plain):
        return ""
    if len(_LOADING.findall(plain)) > len(_LOADING.findall(css)):  # one hides behind escapes
        return ""
    if not loads:
        css = _OF_STRINGS.sub("none(", css)
    return _ADDRESS.sub(lambda found: _address(found.group(), loads), css)


def _address(written: str, loads: bool) -> str:
    """Return an address in a sheet, or none for one that may not be loaded."""
    allowed = _IMAGE.match(written) or (loads and _WEB_ADDRESS.match(written))
    return written if allowed and written.endswith(")") else "none"


def _character(escape: re.Match[str]) -> str:
    """Return what an escape of CSS stands for."""
    if escape.group(1) is None:
        return escape.group(2)
    code = int(escape.group(1), 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
