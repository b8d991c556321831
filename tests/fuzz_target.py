"""What the fuzzer holds against a page: one check, used by tools/fuzz.py and by the replay of its findings."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from lxml import etree

import blockfeat
from blockfeat import BlockfeatError, Extraction, LimitExceeded
from blockfeat.io.outputs import FORMATS, to_json_line

__all__ = ["check", "complaint", "with_all_blocks"]

Done = TypeVar("Done")

_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TAG_OF_OUTPUT = re.compile(
    r"<(?!/?(?:html|head|meta|title|body|a|blockquote|br|caption|code|d[dlt]|em|fig(?:caption|ure)|h[1-6]|img|li|ol|p|pre|"
    r"strong|su[bp]|table|t(?:body|d|h|head|r)|ul)[\s>]|!DOCTYPE html>|span class=\"math\">|/span>)"
)


def check(data: bytes, *, seconds: float = 0.2, seconds_per_megabyte: float = 1.0) -> None:
    """Extract a page, as bytes and as text, write it in every format, and fail where a promise is broken.

    Parameters
    ----------
    data : bytes
        The page.
    seconds, seconds_per_megabyte : float
        Process time allowed for each extraction and again for its output.

    Raises
    ------
    AssertionError
        Forbidden characters or markup in the output, output that does not parse, or too much time.
    Exception
        Whatever the library lets through that is not of its family.
    """
    allowed = seconds + seconds_per_megabyte * len(data) / 1e6
    texts = dict.fromkeys((data.decode("utf-8", "surrogateescape"), data.decode("latin-1")))
    written: set[tuple[object, ...]] = set()
    for page in (data, *texts):
        extraction = _in_time(partial(_extracted, page), allowed)
        # Most pages are the same as bytes and as text: their output, five sixths of the time, is looked at once.
        if extraction is not None and (read := tuple(_strings(extraction))) not in written:
            written.add(read)
            _in_time(partial(_check_output, extraction), allowed)


def complaint(data: bytes) -> str | None:
    """Return what is wrong with a page in a form that is the same for the same fault, None where all is well."""
    try:
        check(data)
    except AssertionError as error:
        return str(error).split(":")[0]
    except Exception as error:
        return f"{type(error).__name__} in {_place(error)}"
    return None


def _place(error: Exception) -> str:
    """Innermost function of the package that an exception came through."""
    place, traceback = "?", error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if str(frame.f_globals.get("__name__")).partition(".")[0] == "blockfeat":
            place = frame.f_code.co_qualname
        traceback = traceback.tb_next
    return place


def _in_time(work: Callable[[], Done], allowed: float) -> Done:
    """Do the work; where it takes too long, do it twice more, and fail if that is no faster."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        done = work()
        best = min(best, time.process_time() - start)
        if best <= allowed:
            return done
    raise AssertionError(f"too slow: {best:.2f} s, {allowed:.2f} s allowed")


def _extracted(page: str | bytes) -> Extraction | None:
    try:
        return blockfeat.extract(page)
    except BlockfeatError:
        return None


def with_all_blocks(extraction: Extraction) -> Extraction:
    """Return an extraction that keeps every block, so that output shows all that a page can bring into it."""
    light = ((b.index, b.text, b.words, "/", b.kind, b.level, b.ordered, b.links, True) for b in extraction.blocks)
    return replace(extraction, source=None, known_blocks=tuple(blockfeat.Block(*values) for values in light))


def _check_output(found: Extraction) -> None:
    extraction = with_all_blocks(found)
    written = {name: write(extraction) for name, write in FORMATS.items()}
    # With the links, formulas and raised signs of the page.
    written |= {f"{name} of the page": write(found) for name, write in FORMATS.items()}
    written["linked markdown"] = extraction.to_markdown(links=True)
    written["markdown of the page with images"] = found.to_markdown(links=True, images=True)
    with suppress(LimitExceeded):
        written["json with evidence"] = to_json_line(found, evidence=True)
        json.loads(written["json with evidence"])
    written["extraction"] = "\n".join(_strings(found))
    for name, text in written.items():
        assert (unwanted := _UNWANTED.search(text)) is None, f"control character in {name}: {unwanted!r}"
    for of in ("", " of the page"):
        etree.fromstring(written[f"xml{of}"].encode(), etree.XMLParser(huge_tree=True, resolve_entities=False))
        tag = _TAG_OF_OUTPUT.search(written[f"html{of}"])
        assert tag is None, f"markup in html{of}: {written[f'html{of}'][tag.start() :][:80]!r}"


def _strings(extraction: Extraction) -> Iterator[str]:
    yield from (extraction.text, extraction.title or "", extraction.lang or "", *extraction.warnings)
    yield from (block.text for block in extraction.blocks)
