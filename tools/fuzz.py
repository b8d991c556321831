"""Fuzz extraction and output, or the reading of other inputs, with Atheris: ``python tools/fuzz.py --seconds 60``.

Small hostile pages of ``tests/hostile.py`` and the demo pages are the seeds; ``tests/fuzz_target.py`` says what a page
may not do. Each new kind of fault is cut down and written to ``tests/promises/findings/``, where
``tests/promises/test_fuzz_findings.py`` replays it. The exit code is 1 if there was one, 2 if Atheris is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from fuzz_inputs import TARGETS, complaint_about

_TESTS = Path(__file__).resolve().parent.parent / "tests"
_FINDINGS = _TESTS / "promises" / "findings"
_SEED_SIZES = (150, 1_000)
_DEMO_BYTES = 4_000
_LARGEST = 8_192
_HANG_SECONDS = 20
_MEMORY_MEGABYTES = 2_048
_MINIMISING_SECONDS = 15.0
_HOW_TO_INSTALL = """atheris is not installed: pip install atheris
Where PyPI has no wheel for the system, pip builds it and needs clang: https://pypi.org/project/atheris/"""
_TAGS = """
a article b blockquote body br button div dl form h1 head html iframe img li math meta nav noscript object ol option p
plaintext pre script section select span style svg table td template textarea title tr ul xmp
"""
_WORDS = (
    "<!--",
    "-->",
    "<!DOCTYPE html>",
    "<![CDATA[",
    "]]>",
    "<?xml version='1.0'?>",
    "&#",
    "&amp;",
    "&#0;",
    "href='",
)
_RAW_WORDS = (
    b"\\x00",
    b"\\x1b$B",
    b"\\xff\\xfe",
    b"\\xef\\xbb\\xbf",
    b"\\xed\\xa0\\x80",
    b"\\xe2\\x80\\xa8",
    b"\\xc2\\xad",
)


def main() -> int:
    """Run the fuzzer for a time; report and keep what it finds."""
    parser = argparse.ArgumentParser(description="Fuzz blockfeat with Atheris.")
    parser.add_argument("--seconds", type=int, default=60, help="how long (default 60)")
    parser.add_argument("--findings", type=Path, default=_FINDINGS, help="folder for what is found")
    parser.add_argument("--of", default="page", choices=("page", *TARGETS), help="kind of inputs (default page)")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if find_spec("atheris") is None:
        print(_HOW_TO_INSTALL, file=sys.stderr)
        return 2
    sys.path.insert(0, str(_TESTS))
    if options.worker is not None:
        _fuzz(options.worker, options.seconds, options.of)
        return 0
    with tempfile.TemporaryDirectory(prefix="blockfeat-fuzz-") as folder:
        return _run(Path(folder), options.seconds, options.findings, options.of)


def _run(folder: Path, seconds: int, findings: Path, of: str) -> int:
    """Start workers until the time is over (a crash or hang ends one); keep what they found, one of each kind."""
    for name in ("corpus", "found", "native"):
        (folder / name).mkdir()
    seeds = _write_seeds(folder / "corpus", of)
    _write_dictionary(folder / "words")
    end, runs, kept = time.monotonic() + seconds, 0, 0
    while (left := int(end - time.monotonic())) > 0:
        command = [sys.executable, __file__, "--of", of, "--worker", str(folder), "--seconds", str(left)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if "INFO: seed corpus" not in done.stderr:
            print(f"the worker did not start:\n{done.stderr[-2_000:]}", file=sys.stderr)
            return 2
        told = re.findall(r"^(?:#|Done )(\d+)", done.stderr, re.M)
        runs += int(told[-1]) if told else 0
        _drop_seeds(folder)
    print(f"fuzz: {of}: {seeds} seeds, {runs:,} runs in {seconds} s")
    natives = {path.name.split("-")[0]: path for path in sorted((folder / "native").iterdir())}
    for kind, path in natives.items():
        kept += _keep(path.read_bytes(), kind, findings, of)
    for path in sorted((folder / "found").glob("*.txt")):
        kept += _keep(path.with_suffix(".html").read_bytes(), path.read_text(), findings, of)
    print(f"fuzz: {kept} findings" + (f" in {findings}" if kept else ""))
    return 1 if kept else 0


def _write_seeds(corpus: Path, of: str) -> int:
    from hostile import hostile_pages

    if of in TARGETS:
        seeds = [*TARGETS[of].seeds()]
        for number, seed in enumerate(seeds):
            (corpus / f"{number:04}").write_bytes(seed)
        return len(seeds)
    pages = [page for _, _, page in hostile_pages(_SEED_SIZES) if len(page) <= _LARGEST]
    demo = (files("blockfeat.data") / "demo" / "demo.jsonl").read_text(encoding="utf-8")
    pages += [json.loads(line)["html"].encode()[:_DEMO_BYTES] for line in demo.splitlines()]
    pages += [b"<p>Gr\xfc\xdfe", "<p>静かで".encode("shift_jis"), "<p>лодка".encode("cp1251"), "<p>x".encode("utf-16")]
    for number, page in enumerate(pages):
        (corpus / f"{number:04}").write_bytes(page)
    return len(pages)


def _drop_seeds(folder: Path) -> None:
    """Take away the seeds that ended a worker, so that the next one gets past them."""
    fatal = {path.read_bytes() for path in (folder / "native").iterdir()}
    for path in (folder / "corpus").iterdir():
        if path.read_bytes() in fatal:
            path.unlink()


def _write_dictionary(path: Path) -> None:
    words = [form.format(tag) for tag in _TAGS.split() for form in ("<{}>", "</{}>", "<{} ")]
    lines = [word.encode().replace(b'"', b'\\"') for word in (*words, *_WORDS)] + list(_RAW_WORDS)
    path.write_bytes(b"".join(b'"' + line + b'"\n' for line in lines))


def _fuzz(folder: Path, seconds: int, of: str) -> None:
    """Fuzz in this process; Python's faults are gathered by kind, crashes and hangs end the process."""
    import atheris

    with atheris.instrument_imports(include=["blockfeat"]):
        complaint = _complaint_of(of)
    known = {path.read_text() for path in (folder / "found").glob("*.txt")}

    def one(data: bytes) -> None:
        told = complaint(data)
        if told is not None and told not in known:
            known.add(told)
            name = hashlib.sha256(told.encode()).hexdigest()[:12]
            (folder / "found" / f"{name}.html").write_bytes(data)
            (folder / "found" / f"{name}.txt").write_text(told)

    arguments = [
        f"-max_total_time={seconds}",
        f"-max_len={_LARGEST}",
        f"-timeout={_HANG_SECONDS}",
        f"-rss_limit_mb={_MEMORY_MEGABYTES}",
        f"-artifact_prefix={folder / 'native'}{os.sep}",
        f"-dict={folder / 'words'}",
        str(folder / "corpus"),
    ]
    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def _complaint_of(of: str) -> Callable[[bytes], str | None]:
    from fuzz_target import complaint

    return complaint if of == "page" else partial(complaint_about, of)


def _keep(data: bytes, told: str, findings: Path, of: str) -> bool:
    """Write a fault as a finding; slowness that shows itself in the fuzzer only is none. Return whether it was one."""
    answer = _answer_outside(data, of)
    if answer == "None" and told.startswith(("too slow", "timeout", "slow")):
        return False
    if answer == told:
        data = _minimised(data, answer, _complaint_of(of))
    if answer == "None":
        answer = f"{told}, not at each run"
    findings.mkdir(exist_ok=True)
    name = re.sub(r"[^a-z0-9]+", "-", answer.lower()).strip("-")[:60]
    suffix = "html" if of == "page" else of
    path = findings / f"{name}-{hashlib.sha256(data).hexdigest()[:8]}.{suffix}"
    path.write_bytes(data)
    print(f"fuzz: {answer}: {path}: {data[:200]!r}")
    return True


def _answer_outside(data: bytes, of: str) -> str:
    """Say what a page does in a process without instruments, "None" where all is well."""
    places = [str(_TESTS), str(Path(__file__).parent)]
    # A loaded machine makes no finding: processor time is what is limited.
    code = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({2 * _HANG_SECONDS},) * 2)\n"
    code += f"import sys; sys.path[:0] = {places!r}; from fuzz import _complaint_of\n"
    code += f"print(_complaint_of({of!r})(sys.stdin.buffer.read()))"
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True)
    return done.stdout.decode().strip() if done.returncode == 0 else f"exit code {done.returncode}"


def _minimised(data: bytes, told: str, complaint: Callable[[bytes], str | None]) -> bytes:
    """Cut pieces out of a page as long as it shows the same fault."""
    end = time.monotonic() + _MINIMISING_SECONDS
    width = len(data) // 2
    while width and time.monotonic() < end:
        place = 0
        while place < len(data) and time.monotonic() < end:
            shorter = data[:place] + data[place + width :]
            if complaint(shorter) == told:
                data = shorter
            else:
                place += width
        width //= 2
    return data


if __name__ == "__main__":
    raise SystemExit(main())
