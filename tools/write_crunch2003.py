"""Write the bundled model crunch2003: Crunch with the settings of the paper, which nothing was learnt for.

Command: python tools/write_crunch2003.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.models.store import save_model  # noqa: E402
from blockfeat.papers.crunch.model import CrunchModel  # noqa: E402

RECORD = {
    "command": "python tools/write_crunch2003.py",
    "source": "Gupta, Kaiser, Neistadt & Grimm 2003: the defaults of blockfeat clean; not trained",
}


def main() -> None:
    """Write the file."""
    folder = ROOT / "blockfeat" / "models" / "bundled"
    save_model(CrunchModel(name="crunch2003", record=RECORD), folder / "crunch2003.json")


if __name__ == "__main__":
    main()
