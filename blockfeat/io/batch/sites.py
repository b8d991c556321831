"""Runs by site: what `blockfeat.extraction.many` does, rendered, with profiles that outlive an interruption.

Beside the output of a run that can be resumed stands ``<output>.sites.jsonl``: the pages that the profiles have taken,
a line each. It is written anew when it has grown by 5,000 lines, with what the profiles still hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from blockfeat._files import whole_file, writing
from blockfeat.errors import InputError, ResumeError
from blockfeat.extraction.many import Look, SiteProfiles, Touched, by_site, site_of
from blockfeat.extraction.site_profile import SitePage, SiteProfile
from blockfeat.io.outputs.rendering import Rendered, Renderer
from blockfeat.page.document import Document

_MOST_LINES = 5000
_LONGEST_LINE = 100_000


def rendered_by_site(
    documents: Iterable[Document],
    renderer: Renderer,
    profiles: SiteProfiles,
    *,
    jobs: int = 1,
    deadline: float | None = None,
) -> Iterator[tuple[Document, Rendered]]:
    """Yield each document with its output, in order; see `blockfeat.extraction.many.by_site`."""
    # An empty profile: records say that profiles are used.
    work = _BySite(replace(renderer, extractor=renderer.extractor.with_site(SiteProfile())))
    return by_site(
        documents,
        look=work.look,
        again=work.again,
        failure=work.failed,
        profiles=profiles,
        jobs=jobs,
        deadline=deadline,
    )


@dataclass(frozen=True)
class _BySite:
    """Renders documents without the profiles of their sites, and with them."""

    renderer: Renderer

    def look(self, document: Document) -> Look[Rendered]:
        extraction = self.renderer.extraction(document)
        return Look(self.renderer.rendered(document, extraction), site_of(document), extraction.site_page)

    def again(self, touched: Touched[Rendered]) -> Rendered:
        extractor = self.renderer.extractor.with_site(touched.profile)
        return replace(self.renderer, extractor=extractor)(touched.document)

    def failed(self, document: Document, reason: str) -> Look[Rendered]:
        return Look(self.renderer.failed(document, reason))


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
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), start=1):
                if not line.endswith(b"\n"):
                    return  # the run was killed while it wrote this line
                try:
                    found = json.loads(line)
                    site, profile = str(found["site"]), json.dumps(found["profile"]).encode()
                    pages = SiteProfile.from_bytes(profile, where=f"{self._path}: line {number}").pages
                except (InputError, ValueError, KeyError, TypeError) as error:
                    raise ResumeError(f"{self._path}: line {number} is damaged: {error}") from error
                for page in pages:
                    self.profiles.add(site, page)


def _line(site: str, profile: SiteProfile) -> bytes:
    document = {"site": site, "profile": json.loads(profile.to_bytes())}
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
