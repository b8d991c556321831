"""A labelling page that serves for the tests."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from blockfeat.extraction.extractor import Extractor
from blockfeat.io.inputs import Document
from blockfeat.web.guard import ServeSettings
from blockfeat.web.labelling.app import create_label_app
from blockfeat.web.labelling.pages import SessionPages, Suggester
from blockfeat.web.labelling.session import LabelSession
from served import serving


@dataclass(frozen=True)
class LabellingPage:
    """The address of a labelling page on this machine, and what it labels."""

    url: str
    session: LabelSession


@contextmanager
def serving_labels(
    documents: Sequence[Document], output: Path, *, model: str, port: int = 0
) -> Iterator[LabellingPage]:
    """Serve a labelling page in a thread."""
    pages = SessionPages.of(documents)
    with (
        LabelSession(pages, output, Suggester(Extractor.load(model))) as session,
        serving(create_label_app(session, ServeSettings(requests_per_minute=0)), port) as url,
    ):
        yield LabellingPage(url, session)
    pages.close()
