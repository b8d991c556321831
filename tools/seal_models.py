"""Write into each bundled model file the digest of its values and arrays, which loading checks.

Files with weights get theirs where they are written, JSON files only here: a person's own stay free to edit.

Command: python tools/seal_models.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.models.store import digest_of  # noqa: E402


def sealed(text: str) -> str:
    """Return the text of a JSON model file with its digest as the first value, a line that is easy to take out."""
    document = json.loads(text)
    document.pop("digest", None)
    document = {"digest": digest_of(document, {}), **document}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    for path in sorted((ROOT / "blockfeat" / "models" / "bundled").glob("*.json")):
        path.write_text(sealed(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
