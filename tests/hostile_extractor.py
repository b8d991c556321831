"""An extractor that hangs on one page and kills its process on another; importable by Spark's workers."""

import os
import signal
import time

from blockfeat.extraction.extraction import Extraction
from blockfeat.extraction.extractor import Extractor
from blockfeat.page.document import Document

__all__ = ["HostileExtractor"]


class HostileExtractor(Extractor):
    """Hangs on a page that says so, and dies of another."""

    def extract_document(self, document: Document) -> Extraction:
        """Extract, hang or die."""
        page = document.data if isinstance(document.data, bytes) else (document.data or "").encode()
        if b"HANG" in page:
            time.sleep(600)
        if b"CRASH" in page:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().extract_document(document)
