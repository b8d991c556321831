"""Promises 3, 8 and 11, each in a process of its own: memory, no I/O, threads, hash seeds, no growth."""

import json
import os
import socket
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blockfeat
from blockfeat import Extractor
from blockfeat.io.outputs import FORMATS
from hostile import hostile_pages
from pages import article_page

_TESTS = Path(__file__).parents[1]
_EMPTY = np.empty
_FULL = bool(os.environ.get("BLOCKFEAT_HOSTILE_FULL"))
_NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is read from /proc")


def _run(code: str, *, timeout: float = 300, **environment: str) -> str:
    """Run code in a new process; return what it printed."""
    paths = os.pathsep.join([str(Path(blockfeat.__file__).parent.parent), str(_TESTS)])
    words, env = [sys.executable, "-c", textwrap.dedent(code)], {**os.environ, "PYTHONPATH": paths, **environment}
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, env=env)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


# 3: memory.

_PEAK = """
    import gc, sys
    from contextlib import suppress
    from pathlib import Path
    import blockfeat

    def kilobytes(key):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(key):
                return int(line.split()[1])

    blockfeat.extract("<p>The ferry leaves at nine and returns before dark.")
    unit, size = {unit!r}, {size}
    page = (unit * (size // len(unit))).encode()
    gc.collect()
    before = kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    with suppress(blockfeat.LimitExceeded):
        blockfeat.extract(page)
    print((kilobytes("VmHWM") - before) * 1024)
"""


_SELDOM_LARGE: tuple[str, ...] = (
    "<p>" + "many words in one paragraph, " * 100 + "</p>",
    '<a href="/some/where">link</a> ',
)
_SELDOM_LARGE += ("<p class='a b' id=c>x</p>", "<!-- x -->", "<p>a", "x<br>", "<tr><td>one</td><td>two</td></tr>")
_UNITS = ["<p>a short paragraph</p>\n", "<i>x", *(pytest.param(unit, marks=pytest.mark.rest) for unit in _SELDOM_LARGE)]


@_NEEDS_PROC
@pytest.mark.parametrize("unit", _UNITS)
def test_memory_is_at_most_64_mb_and_25_times_the_page(unit: str) -> None:
    # Elements of four bytes are refused once they are cut into blocks.
    times = 45 if unit == "<p>a" else 25
    size = 16_000_000 if _FULL else 2_000_000
    peak = int(_run(_PEAK.format(unit=unit, size=size)))
    assert peak <= 64 * 1024 * 1024 + times * size, f"{peak / size:.0f} times the page"


# 8: no I/O.

_WATCH = """
    import os, sys, sysconfig
    from pathlib import Path

    _KINDS = ("socket.", "subprocess.", "os.", "shutil.", "urllib.", "http.", "ftplib.", "sqlite3.", "tempfile.")
    _NAMES = ("open", "import", "ctypes.dlopen")
    _HARMLESS = ("os.putenv", "os.unsetenv", "os.fork", "os.register_at_fork")
    _PLACES = (*sys.path, *sysconfig.get_paths().values(), sys.prefix, {home!r})
    _ROOTS = [os.path.realpath(path) for path in _PLACES if path]
    seen, armed = [], []

    def _allowed(event, arguments):
        if armed[0] == "strict":
            return False
        if event in ("open", "os.listdir", "os.scandir"):
            path, *rest = arguments
            is_inside = not isinstance(path, int) and any(os.path.realpath(path).startswith(root) for root in _ROOTS)
            return is_inside and not (rest and isinstance(rest[0], str) and set(rest[0]) & set("wax+"))
        return event in ("import", "ctypes.dlopen") or event == "os.add_dll_directory"

    def watch(event, arguments):
        if not armed or event in _HARMLESS:
            return
        if (event in _NAMES or event.startswith(_KINDS)) and not _allowed(event, arguments):
            seen.append(f"{{event}} {{arguments!r}}"[:300])
            raise PermissionError(f"{{event}} during extraction")

    sys.addaudithook(watch)
"""

_PAGES_OF_ALL_KINDS = """
    import blockfeat
    from blockfeat.io.outputs import FORMATS, to_json_line
    from pages import article_page

    outside = "<!DOCTYPE html SYSTEM '{url}/a.dtd' [<!ENTITY e SYSTEM '{file}'><!ENTITY f SYSTEM '{url}/f'>%e;]>"
    links = (
        "<base href='{url}'><link rel=stylesheet href='{url}/s.css'><script src='{url}/s.js'></script>"
        "<img src='{url}/i.png'><iframe src='{url}/i'></iframe><object data='{url}/o'></object>"
        "<meta http-equiv=refresh content='0;url={url}/m'><a href='{file}'>file</a>"
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='{file}'/>"
    )
    pages = [
        article_page(),
        article_page().encode(),
        outside + article_page() + "<p>&e;&f;" + links,
        ("<?xml version='1.0'?><?xml-stylesheet href='{url}/x.xsl'?>" + outside + links).encode(),
        "<p>Grüße aus Köln, und es ist schön dort, wo der Fluss ins Meer läuft.".encode("latin-1"),
        "<meta charset=shift_jis><p>海はとても静かで、彼は遠くの山を眺めながら。".encode("shift_jis"),
        "<p>Рано утром лодка отошла от берега. Старый рыбак молчал.".encode("cp1251"),
        "<p>海はとても静かで、彼は遠くの山を眺めながら歩いた。",
        "<p>เรือออกจากท่าตั้งแต่เช้าตรู่ และชาวประมงเฒ่าก็เงียบ",
        "<p>清晨，渔船离开了岸边，老渔夫一言不发，只是望着水面。",
        "<p>أبحر القارب في الصباح الباكر وكان الصياد العجوز صامتا",
        "<div>" * 3_000 + "deep",
        b"<p>\\xff\\xfe\\x80 words",
        "",
    ]

    def work():
        for number, page in enumerate(pages):
            found = blockfeat.extract(page, url="{url}/" + str(number), id="{file}")
            for write in FORMATS.values():
                write(found)
            found.to_markdown(links=True)
            to_json_line(found, evidence=True)
            assert "secret words" not in "".join(block.text for block in found.blocks)
"""


def _io(tmp_path: Path, steps: str) -> str:
    """Work on all pages under the watch, as the steps say; return what it saw, and check that nobody called."""
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    home = str(Path(blockfeat.__file__).parent)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        pages = _PAGES_OF_ALL_KINDS.replace("{url}", url).replace("{file}", str(secret))
        parts = (_WATCH.format(home=home), pages, steps, "armed.clear(); print(seen)")
        seen = _run("\n".join(map(textwrap.dedent, parts))).strip()
        # What the parser itself, in C, would do passes by the audit hook, but not by this server.
        with pytest.raises(BlockingIOError):
            server.accept()
    return seen


@pytest.mark.parametrize(
    "steps",
    [
        "armed.append('first'); work()",  # the first extractions read files of packages only
        "work(); armed.append('strict'); work()",  # after them there is no I/O at all
    ],
)
def test_extraction_does_no_io(tmp_path: Path, steps: str) -> None:
    assert _io(tmp_path, steps) == "[]"


@pytest.mark.parametrize(
    "deed", ["open({file!r})", "socket.socket()", "socket.getaddrinfo('localhost', 80)", "open({file!r}, 'w')"]
)
def test_the_watch_sees_io(tmp_path: Path, deed: str) -> None:
    deed = deed.format(file=str(tmp_path / "new"))
    code = f"try: {deed}\nexcept PermissionError as error: print(error)"
    watch = textwrap.dedent(_WATCH.format(home="/nowhere"))
    assert "during extraction" in _run(f"{watch}\nimport socket\narmed.append('warming')\n{code}")


# 11: threads, hash seeds, growth.


def _outputs(extractor: Extractor, page: str | bytes) -> list[str]:
    try:
        found = extractor.extract(page)
    except blockfeat.BlockfeatError as error:
        return [str(error)]
    return [*(write(found) for write in FORMATS.values()), json.dumps(found.to_dict(evidence=True))]


def test_eight_threads_give_what_one_gives() -> None:
    pages: list[str | bytes] = [page for _, _, page in hostile_pages((400,))][::5]
    pages += [article_page(number % 7 + 1) for number in range(20)]
    used, fresh = Extractor.load(), Extractor.load()
    alone = [_outputs(used, page) for page in pages]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda page: _outputs(fresh, page), pages))
    assert together == alone


_ALL_OUTPUTS = """
    import hashlib, json
    import blockfeat
    from blockfeat.io.outputs import FORMATS
    from hostile import hostile_pages
    from pages import article_page

    digest = hashlib.sha256()
    for page in [article_page(), *(page for _, _, page in list(hostile_pages((300,)))[::5])]:
        try:
            found = blockfeat.extract(page)
            told = [write(found) for write in FORMATS.values()] + [json.dumps(found.to_dict(evidence=True))]
        except blockfeat.BlockfeatError as error:
            told = [str(error)]
        digest.update(json.dumps(told).encode())
    print(digest.hexdigest())
"""


def test_output_is_the_same_for_every_hash_seed() -> None:
    digests = {_run(_ALL_OUTPUTS, PYTHONHASHSEED=seed) for seed in ("0", "4242")}
    assert len(digests) == 1


def _poisoned(shape: Any, dtype: Any = float, **options: Any) -> Any:
    """Memory as it may be found: full of what others have left."""
    array = _EMPTY(shape, dtype, **options)
    if array.dtype.kind in "iub":
        array.view(np.uint8).fill(0x5A)
    return array


def test_no_result_depends_on_memory_that_nobody_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    extractor = Extractor.load()
    whole = article_page().encode()
    pages: list[str | bytes] = [page for _, _, page in list(hostile_pages((300,)))[::6]]
    pages += [whole[:end] for end in range(0, len(whole), 47)] + [whole + end for end in (b"<Q", b"<p", b"<a h", b"</")]
    before = [_outputs(extractor, page) for page in pages]
    monkeypatch.setattr(np, "empty", _poisoned)
    assert [_outputs(extractor, page) for page in pages] == before


_GROWTH = """
    import gc, os
    from pathlib import Path
    import blockfeat
    from blockfeat.io.outputs import FORMATS

    def resident():
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def page(number):
        words = " ".join(f"word{number}x{place}" for place in range(60))
        names = [f"{number}-{place}" for place in range(3)]
        inner = "".join(f"<x-{name} data-{name}=1 id=i{name} class=c{name}>{words}</x-{name}>" for name in names)
        charset = ("utf-8", "cp1251", "shift_jis", "latin-1")[number % 4]
        text = ("Grüße", "лодка", "静かで", "Köln")[number % 4]
        page = f"<html lang=x{number}><meta charset={charset}><title>{number}</title><p>{text * 9} {words}{inner}"
        return page.encode(charset, "replace")

    def work(start, stop):
        for number in range(start, stop):
            found = blockfeat.extract(page(number), url=f"https://h{number}.example/", id=str(number))
            if number % 10 == 0:
                for write in FORMATS.values():
                    write(found)

    work(0, 600)
    before = resident()
    work(600, 600 + {pages})
    print(resident() - before)
"""


@_NEEDS_PROC
@pytest.mark.rest
def test_memory_does_not_grow_over_distinct_pages() -> None:
    pages = 10_000 if _FULL else 1_000
    growth = int(_run(_GROWTH.replace("{pages}", str(pages))))
    assert growth <= 5 * 1024 * 1024 * max(0.4, pages / 10_000)
