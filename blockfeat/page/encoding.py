"""Decode the bytes of a page: the encoding, how it was detected, and the number of replaced characters.

The order (``docs/broken-pages.md`` has the figures): byte-order mark, UTF-16 and UTF-32 by NUL bytes, ISO-2022-JP by
its escape sequences, valid UTF-8, nearly valid UTF-8, the caller's or HTTP charset, the declaration in the
page if the bytes fit it, a detector. A label that the bytes contradict loses, and so does one that nobody
knows. In encodings of two bytes a bad byte costs one character: reading goes on where the pairs make sense.
Text that was encoded as UTF-8 twice is mended: ``â€™`` for ``’``, ``Ã©`` for ``é``, ``Ð¿`` for ``п``.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from blockfeat._files import bundled_table
from blockfeat.page.utf_8 import doubled_pairs

# Each byte decoded as Windows-1252; the five bytes undefined there become C1 controls.
_CHARACTERS = "".join(bytes([code]).decode("windows-1252", "ignore") or chr(code) for code in range(256))
_BYTES = codecs.charmap_build(_CHARACTERS)
# A passage ends with the text, the tag or the value: one page may hold both kinds. What first bytes become begins so.
_PASSAGE = rb'\xc3[^<>"]*'
_BOUNDS = (b"<", b">", b'"')
# No language has these sequences: the others may be a capital before a quotation mark. In UTF-8 all begin with C3:
# "â€", "Â" or "Ã" before a sign of Latin-1, three from "Ã" to "ß" with one of `_INNER`, two from "à" to "ï" with two.
_INNER_BYTES = b"(?:%s)" % b"|".join(re.escape(character.encode()) for character in _CHARACTERS[0x80:0xC0])
_CERTAIN = (
    rb"\xc3(?:\xa2\xe2\x82\xac|[\x82\x83]\xc2[\xa0-\xbf]|[\x83-\x9f]I(?:\xc3[\x83-\x9f]I){2}|"
    rb"[\xa0-\xaf]II\xc3[\xa0-\xaf]II)"
).replace(b"I", _INNER_BYTES)
_LEAST_PASSAGES = 2

LEAST_PAIRS = 2
"""Pages with fewer doubled pairs (`blockfeat.page.utf_8.doubled_pairs`) are as they should be."""

_HEAD_BYTES = 262_144
_SAMPLE_BYTES = 131_072
_LABELS_TRIED = 21
_ERRORS_MENDED = 16
_CHARSET = rb"(?i)charset\s{0,20}=\s{0,20}[\"']?\s{0,20}([\w.:+-]{1,40})"
_META = re.compile(rb"<meta[\s/][^>]*\Z", re.I)
_XML_ENCODING = rb"(?i)<\?xml[^>]{0,200}?encoding\s{0,20}=\s{0,20}[\"']([\w.:-]{1,40})[\"']"
# Those of UTF-32 first, for one begins like that of UTF-16.
_BYTE_ORDER_MARKS = (
    *((b"\xff\xfe\0\0", "utf-32le"), (b"\0\0\xfe\xff", "utf-32be")),
    *((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le")),
)
_MARKS = tuple(mark for mark, _ in _BYTE_ORDER_MARKS)
_ASCII = bytes(range(0x80))
_ISO_2022_JP = (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I")
_JIS_RUN = rb"\x1b(\$[@B]|\([BJI])([^\x1b]*)"
_HIGH = bytes(code | 0x80 if 0x21 <= code <= 0x7E else 0xFF if code >= 0x80 else code for code in range(256))
# Characters that one bad byte can corrupt, including those between them.
_SPOILT_BY_ONE = 5
_INVERTED, _SMALL = r"\b[а-яё][А-ЯЁ]{2}", r"[А-Яа-яё][а-яё]{2}"
# Hiragana and katakana, of which every text in Japanese has many; bytes of no other encoding read as pairs give them.
_KANA = "[\u3041-\u30fa]"
# Private-use characters to which Python's cp932 maps undefined bytes.
_NO_BYTE = "[\uf8f0-\uf8f3]"

# Python refuses to read a number of thousands of digits; without the zeros before it, none that long is a character.
_ZEROS = r"&#0++(?=[0-9])"
_TOO_LONG = r"&#[0-9]{100,}+;?"


class Decoding(NamedTuple):
    """Decoded text and how it came about.

    Attributes
    ----------
    text : str
        The decoded page, without a byte-order mark.
    encoding : str
        WHATWG name of the encoding, such as ``"utf-8"`` or ``"windows-1252"``.
    source : str
        ``"bom"``, ``"charset"`` (the caller's or HTTP's), ``"escape"`` (ISO-2022-JP), ``"utf-8"`` (the bytes
        are valid), ``"declared"`` (in the page), ``"nearly utf-8"``, ``"detector"`` or ``"ascii"``.
    replaced : int
        Number of U+FFFD in the text, one for each byte or sequence that could not be decoded.
    """

    text: str
    encoding: str
    source: str
    replaced: int = 0


def source_of_utf_8(data: bytes) -> str | None:
    """Return ``"ascii"`` or ``"utf-8"`` for bytes without a byte-order mark that `decode` reads as such; else None.

    Also None for a page that may have been encoded as UTF-8 twice.
    """
    if 0x00 in data or 0x1B in data or data.startswith(_MARKS):
        return None
    if data.isascii():
        return "ascii"
    return "utf-8" if 0 <= doubled_pairs(data) < LEAST_PAIRS else None


def utf_16_order(data: bytes, charset: str | None = None) -> str | None:
    """Return the name of the UTF-16 or UTF-32 encoding, with byte order, that `decode` detects; None for others."""
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return None if name == "utf-8" else name
    if data.startswith((b"<\0\0\0", b"\0\0\0<")):
        return "utf-32le" if data[0] else "utf-32be"
    if b"\x00" in data and (_is_utf_16(charset) or _looks_like_utf_16(data)):
        return "utf-16be" if data[:1024:2].count(0) > data[1:1024:2].count(0) else "utf-16le"
    return None


def declared_charset(data: bytes) -> str | None:
    """Return the first known charset label that the page itself declares, or None.

    Looks at the XML declaration and at ``<meta charset>`` and ``<meta http-equiv>`` outside comments in the
    first 256 KB.
    """
    head = data[:_HEAD_BYTES]
    match = re.search(_XML_ENCODING, head[:400])
    if match and _name(match.group(1).decode("ascii", "replace")):
        return match.group(1).decode("ascii")
    for match in islice(re.finditer(_CHARSET, head), _LABELS_TRIED):
        before = match.start()
        label = match.group(1).decode("ascii", "replace")
        if _META.search(head, max(0, before - 300), before) and _name(label) and not _in_comment(head, before):
            return label
    return None


def decode(data: bytes, charset: str | None = None) -> Decoding:
    """Decode the bytes of a page; never raises.

    Parameters
    ----------
    data : bytes
        The page.
    charset : str, optional
        Charset from the HTTP header or the caller; any WHATWG label. An unknown label is ignored.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _replacing(data[len(mark) :], name, "bom")
    if (order := utf_16_order(data, charset)) is not None:
        return _replacing(data, order, "charset" if _is_utf_16(charset) else "detector")
    if b"\x1b" in data and (found := _iso_2022_jp(data)) is not None:
        return found
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _not_utf_8(data, charset, error.start)
    return Decoding(text, "utf-8", "ascii" if len(text) == len(data) else "utf-8")


def _not_utf_8(data: bytes, charset: str | None, first_error: int) -> Decoding:
    """Decode bytes that are not valid UTF-8: nearly valid UTF-8, labels that fit, then the detector."""
    sample = data[max(0, first_error - _SAMPLE_BYTES) : first_error + _SAMPLE_BYTES]
    declared = declared_charset(data)
    lenient = "utf-8" in (_name(charset), _name(declared))
    if _is_nearly_utf_8(sample, lenient=lenient):
        return _replacing(data, "utf-8", "nearly utf-8")
    for label, source in ((charset, "charset"), (declared, "declared")):
        name = _name(label)
        if name and not name.startswith("utf-") and not _is_contradicted(sample, name):
            return _replacing(data, name, source)
    return _replacing(data, _detected(sample), "detector")


def _is_nearly_utf_8(sample: bytes, *, lenient: bool) -> bool:
    """Return whether most bytes above 0x7F make whole UTF-8 characters, or one bad byte explains the others."""
    text = sample.decode("utf-8", "replace")
    replaced = text.count("\ufffd")
    whole = len(text) - replaced - _ascii_bytes(sample)
    is_one_bad_byte = text.rfind("\ufffd") - text.find("\ufffd") < _SPOILT_BY_ONE
    if lenient:
        # Without a whole character there is but the label, which servers send by default too.
        return whole >= replaced or (is_one_bad_byte and (whole > 0 or _is_whole_without_one(sample)))
    return whole > 2 * replaced or (is_one_bad_byte and whole > replaced)


def _is_whole_without_one(sample: bytes) -> bool:
    """Return whether bytes are UTF-8, and more than ASCII, once one of the first that are no ASCII is left out."""
    start = next(place for place, byte in enumerate(sample) if byte >= 0x80)
    rests = (sample[:place] + sample[place + 1 :] for place in range(start, start + _SPOILT_BY_ONE))
    return any(not rest.isascii() and "\ufffd" not in rest.decode("utf-8", "replace") for rest in rests)


def _is_contradicted(sample: bytes, name: str) -> bool:
    """Return whether the bytes are invalid, or very unlikely, in this encoding."""
    text = _replacing(sample, name, "").text
    foreign = len(sample) - _ascii_bytes(sample)
    if text.count("\ufffd") > max(2, foreign // 50):
        return True
    if sum(text.count(chr(code)) for code in range(0x80, 0xA0)) > 3:
        return True
    if name in ("windows-1251", "koi8-r", "koi8-u"):
        # In one, small letters are the capitals of the other: "пРИВЕТ". A text in capitals has no such word.
        return len(re.findall(_INVERTED, text)) > len(re.findall(_SMALL, text))
    # A western label is what servers send by default; no western text has more accents than plain letters.
    return name == "windows-1252" and _accented_share(text) > 0.4


def _accented_share(text: str) -> float:
    """Return the share of letters above 0x7F among the letters next to letters above 0x7F."""
    words = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    letters = sum(map(len, words))
    return sum(character > "\x7f" for word in words for character in word) / letters if letters > 20 else 0.0


def _detected(sample: bytes) -> str:
    """Return the encoding that uchardet detects; windows-1252 if it detects none."""
    import cchardet

    japanese = sample.decode("cp932", "replace")
    if len(re.findall(_KANA, japanese)) > max(3, japanese.count("\ufffd"), (len(sample) - _ascii_bytes(sample)) // 10):
        return "shift_jis"
    found = str(cchardet.detect(sample)["encoding"] or "").lower()
    name = _name(_tables()["detected"].get(found, found))
    if name is None or name.startswith("utf-"):
        return "windows-1252"
    has_c1 = len(sample) != len(sample.translate(None, bytes(range(0x80, 0xA0))))
    return _tables()["windows"].get(name, name) if has_c1 else name


def _replacing(data: bytes, name: str, source: str) -> Decoding:
    """Decode by a WHATWG name, with U+FFFD for invalid bytes."""
    codec = _tables()["codecs"].get(name, name)
    text = data.decode(codec, "replace")
    if codec in _tables()["frequent"] and 0 < text.count("\ufffd") <= _ERRORS_MENDED:
        text = _in_step(data, codec)
    if codec == "cp932":
        text = re.sub(_NO_BYTE, "\ufffd", text)
    return Decoding(text, name, source, text.count("\ufffd"))


def _in_step(data: bytes, codec: str) -> str:
    """Decode a two-byte encoding with a few errors; after each, resume at the most plausible byte alignment."""
    decoder = codecs.getdecoder(codec)
    parts: list[str] = []
    while data:
        try:
            parts.append(decoder(data)[0])
            break
        except UnicodeDecodeError as error:
            ahead = data[error.start + 1 : error.start + 80]
            skip = 2 if _sense(ahead[1:], codec) > _sense(ahead, codec) else 1
            parts += [decoder(data[: error.start])[0], "\ufffd"]
            data = data[error.start + skip :]
    return "".join(parts)


def _sense(data: bytes, codec: str) -> int:
    """Count the frequent characters at the start of these bytes, read as pairs."""
    place = score = 0
    frequent = _tables()["frequent"][codec]
    while place < len(data):
        first = data[place]
        pair = first >= 0x80
        score += pair and any(low <= first <= high for low, high in frequent)
        if pair and place + 1 < len(data) and data[place + 1] < 0x40:
            score -= 3
        place += 2 if pair else 1
    return score


def _iso_2022_jp(data: bytes) -> Decoding | None:
    """Decode ISO-2022-JP by way of EUC-JP, which has no states that a bad byte could upset."""
    foreign = len(data) - _ascii_bytes(data)
    if foreign > len(data) // 100 + 1 or not any(escape in data for escape in _ISO_2022_JP):
        return None
    found = _replacing(re.sub(_JIS_RUN, _euc_run, data), "euc-jp", "escape")
    return Decoding(found.text, "iso-2022-jp", "escape", found.replaced)


def _euc_run(match: re.Match[bytes]) -> bytes:
    """Convert the characters after one escape sequence to EUC-JP."""
    kind, run = match.groups()
    if kind.startswith(b"$"):
        return run.translate(_HIGH)
    if kind == b"(I":
        return b"".join(b"\x8e" + bytes((code | 0x80,)) if 0x21 <= code <= 0x5F else bytes((code,)) for code in run)
    return run


def _name(label: str | None) -> str | None:
    """Return the WHATWG name for a label, or None if there is none that can be decoded."""
    return _names_by_label().get((label or "").strip(" \t\r\n\"'").lower())


@cache
def _names_by_label() -> Mapping[str, str]:
    """Return the encoding of each label."""
    return {label: name for name, labels in _tables()["labels"].items() for label in labels.split()}


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    """Return the bundled tables of encodings, a constant that is read at its first use."""
    return bundled_table("blockfeat.page", "encodings.toml")


def _ascii_bytes(data: bytes) -> int:
    return len(data) - len(data.translate(None, _ASCII))


def _in_comment(head: bytes, place: int) -> bool:
    opened = head.rfind(b"<!--", 0, place)
    return opened >= 0 and head.find(b"-->", opened, place) < 0


def _looks_like_utf_16(data: bytes) -> bool:
    """Return whether the page starts with markup in UTF-16, or nearly every second byte of its head is NUL."""
    head = data[:1024]
    is_every_second = len(head) > 16 and head.count(0) > 0.3 * len(head) and b"<\x00" in head
    return is_every_second or head.startswith((b"<\x00", b"\x00<"))


def _is_utf_16(charset: str | None) -> bool:
    return (_name(charset) or "").startswith("utf-16")


def unescape(text: str) -> str:
    """Resolve the character references of a text as `html.unescape` does, but in linear time and for any text."""
    return html.unescape(re.sub(_TOO_LONG, "\ufffd", re.sub(_ZEROS, "&#", text)) if "&#" in text else text)


def mend_twice_encoded(data: bytes) -> tuple[bytes, int]:
    """Mend the passages of a page that were encoded twice; return the page and their number.

    A passage is what stands between tags or quotation marks. It is mended where all of its characters beyond ASCII
    decode once more, and only on pages that have sequences that no language has.

    Parameters
    ----------
    data : bytes
        The page, in valid UTF-8.
    """
    if not re.search(_CERTAIN, data):
        return data, 0
    parts: list[bytes] = []
    is_certain = False
    behind = last = 0
    for passage in re.finditer(_PASSAGE, data):
        before, behind = data[behind : passage.start()], passage.end()
        is_first = before[max(map(before.rfind, _BOUNDS)) + 1 :].isascii()
        found = _mended(passage.group().decode()) if is_first else None
        if found is not None:
            parts += [data[last : passage.start()], found.encode()]
            last = passage.end()
            is_certain = is_certain or re.search(_CERTAIN, passage.group()) is not None
    mended = len(parts) // 2 if is_certain else 0
    return (b"".join([*parts, data[last:]]), mended) if mended >= _LEAST_PASSAGES else (data, 0)


def _mended(passage: str) -> str | None:
    """Return a passage decoded once more; None where some of it is not UTF-8 in Windows-1252."""
    try:
        return codecs.charmap_encode(passage, "strict", _BYTES)[0].decode()
    except UnicodeError:
        return None


# The first of two characters or more that may be one that was encoded twice; what tags and text have of a page.
_DOUBLED = re.compile(
    b"\xc3[\x82-\xb4](?=\xc2|\xc5[\x92\x93\xa0\xa1\xb8\xbd\xbe]|\xc6\x92|\xcb[\x86\x9c]|\xe2[\x80\x82\x84])"
)
_VALUE = re.compile(b'="[^"]*"|>[^<]*')


def never_mended(source: bytes) -> bytes:
    """Return the source of `Tags` with references in what looks encoded twice: read again, it stays as it is."""
    if not _DOUBLED.search(source):
        return source
    return _VALUE.sub(lambda value: _DOUBLED.sub(lambda first: b"&#%d;" % ord(first[0].decode()), value[0]), source)
