"""What every bundled model makes of the demo pages, as values that can be compared.

``python tests/golden_outputs.py`` writes the files of ``tests/golden`` anew; the difference belongs into the review.
"""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from blockfeat import Extraction, Extractor
from blockfeat.data import demo_pages
from blockfeat.models import bundled_models

FOLDER = Path(__file__).parent / "golden"


def digest(text: str) -> str:
    """Return a short fingerprint of a text."""
    return sha256(text.encode()).hexdigest()[:16]


def outcome(extraction: Extraction) -> dict[str, Any]:
    """Return what was extracted from one page: which blocks were kept, and fingerprints of the outputs."""
    return {
        "status": extraction.status,
        "lang": extraction.lang,
        "headline": extraction.headline,
        "kept": "".join("01"[block.kept] for block in extraction.blocks),
        "text": digest(extraction.text),
        "markdown": digest(extraction.to_markdown()),
        "html": digest(extraction.to_html()),
        "xml": digest(extraction.to_xml()),
    }


def outcomes(model: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Extract every demo page with one model."""
    extractor = Extractor.load(model)
    for page in demo_pages():
        yield page.id, outcome(extractor.extract(page.html, url=page.url, id=page.id))


def golden_file(model: str) -> Path:
    """Return the file of one model."""
    return FOLDER / f"{model}.json"


def main() -> None:
    """Write the files of all bundled models."""
    FOLDER.mkdir(exist_ok=True)
    for model in bundled_models():
        lines = [f"{json.dumps(page)}: {json.dumps(found, ensure_ascii=False)}" for page, found in outcomes(model)]
        golden_file(model).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
