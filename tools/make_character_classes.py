"""Write blockfeat/lang/characters.json: the class of every Unicode character, as runs.

Command: python tools/make_character_classes.py
"""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.lang.characters import ALPHANUMERIC, CLOSER, CONTROL, LOWERCASE, MARK, SPACE, STOP, UNSPACED  # noqa: E402

_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # CJK radicals
    (0x3005, 0x3007),
    (0x3021, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)
# Marks of symbols, not of letters: a heart or a keycap is no word.
_SYMBOL_MARK_RANGES = ((0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
_STOPS = ".!?…؟۔।॥։።፧‼⁇⁈⁉。！？｡．"
_CLOSERS = "\"'”’»)]}›」』）】》〉｣“"


def character_class(code: int) -> int:
    """Return the class bits of one code point, by the Unicode data of the running Python."""
    character = chr(code)
    category = unicodedata.category(character)
    bits = 0
    if category[0] in "LN":
        bits |= ALPHANUMERIC
    if category[0] == "M" and not _is_within(code, _SYMBOL_MARK_RANGES):
        bits |= MARK
    if category[0] in "LNM" and _is_within(code, _UNSPACED_RANGES):
        bits |= UNSPACED
    if category == "Ll":
        bits |= LOWERCASE
    if character.isspace() or character in "\u200b\ufeff\u2060":
        bits |= SPACE
    elif category in ("Cc", "Cs"):
        bits |= CONTROL
    if character in _STOPS:
        bits |= STOP
    if character in _CLOSERS:
        bits |= CLOSER
    return bits


def class_runs() -> list[tuple[int, int]]:
    """Return first code point and class of each run of equal classes, over all of Unicode."""
    runs: list[tuple[int, int]] = []
    for code in range(0x110000):
        bits = character_class(code)
        if not runs or runs[-1][1] != bits:
            runs.append((code, bits))
    return runs


def _is_within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(low <= code <= high for low, high in ranges)


def main() -> None:
    """Write the runs: first code point and class of each."""
    target = ROOT / "blockfeat" / "lang" / "characters.json"
    document = {"unicode": unicodedata.unidata_version, "runs": class_runs()}
    target.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
