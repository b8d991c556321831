"""Write blockfeat/lang/characters.json: the class of every Unicode character, as runs.

Command: python tools/make_character_classes.py
"""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.lang.character_rules import class_runs  # noqa: E402


def main() -> None:
    """Write the runs: first code point and class of each."""
    target = ROOT / "blockfeat" / "lang" / "characters.json"
    document = {"unicode": unicodedata.unidata_version, "runs": class_runs()}
    target.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
