"""Text in one normal form: composed letters, no marks without width that readers and searches stumble over."""

from __future__ import annotations

import re
import unicodedata

# Breaks (zero-width space, word joiner, byte-order mark), marks of direction, invisible operators.
_DROPPED = "\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
# Letters that joiners shape (Arabic to Mongolian, Indic, presentation forms, later scripts) and what emoji are made of.
_SHAPED = "\u0590-\u18af\ua800-\uabff\ufb1d-\ufdff\ufe0f\ufe70-\ufefc\u203c-\u2bff\u3030\u303d\U00010a00-\U0001faff"
_MARKS = re.compile(f"[{_DROPPED}]+")
_JOINERS = re.compile(f"(?<![{_SHAPED}])[\u200c\u200d]+|[\u200c\u200d]+(?!\\S)")


def normalised(text: str, *, has_marks: bool = True) -> str:
    """Return a text in Unicode's normal form C, without marks that have no width.

    Dropped are zero-width spaces, word joiners, byte-order marks, marks and embeddings of direction; zero-width joiners
    and non-joiners stay where they shape letters (Persian, Indic scripts) or emoji.

    Parameters
    ----------
    text : str
        The text.
    has_marks : bool
        False where it is known to hold no such mark.
    """
    if text.isascii():
        return text
    if has_marks:
        text = _JOINERS.sub("", _MARKS.sub("", text))
    return unicodedata.normalize("NFC", text)
