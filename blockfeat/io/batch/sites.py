"""Runs by site: profiles that outlive an interruption.

Beside the output of a run that can be resumed stands ``<output>.sites.jsonl``: the pages that the profiles have taken,
a line each. It is written anew when it has grown by 5,000 lines, with what the profiles still hold.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO

from blockfeat._files import whole_file, writing
from blockfeat._json_lines import lines_of, parse_object
from blockfeat.errors import InputError, ResumeError
from blockfeat.extraction.many import SiteProfiles
from blockfeat.extraction.site_profile import SitePage, SiteProfile

_MOST_LINES = 5000


def site_log_path(output: Path) -> Path:
    """Return where the pages of a run's profiles stand: beside its output."""
    return output.with_name(output.name + ".sites.jsonl")


class SiteLog:
    """Keeps the pages of a run's profiles beside its output.

    Parameters
    ----------
    output : Path
        The output of the run.
    resume : bool
        Whether the profiles begin with what an interrupted run has kept.

    Raises
    ------
    OutputError
        The file cannot be written.
    ResumeError
        The file that an interrupted run has left is damaged before its last line.
    """

    def __init__(self, output: Path, *, resume: bool) -> None:
        self._path = site_log_path(output)
        self._lines = 0
        self.profiles = SiteProfiles()
        if resume and self._path.exists():
            self._read()
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = self._rewritten()
        self.profiles.on_page = self._note
        self.profiles.on_window = self._end_window

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _note(self, site: str, page: SitePage) -> None:
        with writing(self._path):
            self._file.write(_line(site, SiteProfile((page,))))
            self._lines += 1

    def _end_window(self) -> None:
        with writing(self._path):
            self._file.flush()
            if self._lines > _MOST_LINES:
                self._file.close()
                self._file = self._rewritten()

    def _rewritten(self) -> IO[bytes]:
        """Write what the profiles hold, and open the file to append to it."""
        with whole_file(self._path) as file:
            file.writelines(_line(site, profile) for site, profile in self.profiles.profiles.items())
        self._lines = 0
        return self._path.open("ab")

    def _read(self) -> None:
        with writing(self._path), self._path.open("rb") as file:
            for number, line in lines_of(file):
                if line is not None and not line.endswith(b"\n"):
                    return  # the run was killed while it wrote this line
                try:
                    found = parse_object(line, InputError)
                    site, profile = str(found["site"]), json.dumps(found["profile"]).encode()
                    pages = SiteProfile.from_bytes(profile, where=f"{self._path}: line {number}").pages
                except (InputError, KeyError) as error:
                    raise ResumeError(f"{self._path}: line {number} is damaged: {error}") from error
                for page in pages:
                    self.profiles.add(site, page)


def _line(site: str, profile: SiteProfile) -> bytes:
    document = {"site": site, "profile": json.loads(profile.to_bytes())}
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
