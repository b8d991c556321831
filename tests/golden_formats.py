"""What every format makes of small pages that are all content: ``tests/golden_formats``, a page and its outputs each.

``python tests/golden_formats.py`` writes the outputs anew; the difference belongs into the review.
"""

from pathlib import Path

import numpy as np

from blockfeat import Extractor
from blockfeat.extraction.extraction import Extraction
from blockfeat.models.model import Prediction
from blockfeat.page.page import Page

FOLDER = Path(__file__).parent / "golden_formats"
ADDRESS = "https://a.example/pages/"


def extraction_of(page: Path) -> Extraction:
    """Extract a page of which every block is kept."""
    return all_kept(page.read_bytes(), page.stem)


def all_kept(html: str | bytes, name: str = "page") -> Extraction:
    """Extract a page, given as markup, of which every block is kept."""
    extractor = Extractor.load("thresholds")
    parsed = Page.parse(html, url=f"{ADDRESS}{name}.html")
    measured = extractor.measurer.measure(parsed)
    kept = np.ones(len(measured.blocks), dtype=np.bool_)
    return extractor.assemble(parsed, measured, Prediction(kept=kept, scores=kept.astype(float)), id=name)


def outputs(page: Path) -> dict[str, str]:
    """Return the outputs of a page by the suffix of their files."""
    extraction = extraction_of(page)
    return {
        ".txt": extraction.to_text() + "\n",
        ".md": extraction.to_markdown(links=True, images=True) + "\n",
        ".out.html": extraction.to_html(images=True),
        ".xml": extraction.to_xml(images=True),
    }


def pages() -> list[Path]:
    """Return the pages."""
    return sorted(page for page in FOLDER.glob("*.html") if not page.name.endswith(".out.html"))


def main() -> None:
    """Write the outputs of all pages."""
    for page in pages():
        for suffix, text in outputs(page).items():
            page.with_suffix(suffix).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
