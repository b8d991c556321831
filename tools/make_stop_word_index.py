"""Write blockfeat/lang/stopwords.npz: the stop words of all languages, cleaned and in one table.

Command: python tools/make_stop_word_index.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from blockfeat.lang import StopWordIndex, available_languages  # noqa: E402


def main() -> None:
    """Write the table of all lists of stopwordsiso."""
    index = StopWordIndex.build(available_languages())
    groups = [keys for lengths in index.sequences for keys in lengths]
    np.savez_compressed(
        ROOT / "blockfeat" / "lang" / "stopwords.npz",
        languages=np.frombuffer("\n".join(index.languages).encode(), dtype=np.uint8),  # as lines of UTF-8
        keys=index.keys,
        masks=index.masks,
        sequences=np.concatenate(groups),
        sequence_ends=np.cumsum([keys.size for keys in groups[:-1]]),
    )


if __name__ == "__main__":
    main()
