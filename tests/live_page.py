"""The live page that serves a store, as a monitor leaves it."""

import json
import zlib
from contextlib import AbstractContextManager
from typing import Any

from blockfeat.monitor.store.store import Store
from blockfeat.web.guard import ServeSettings
from blockfeat.web.live.app import create_live_app
from served import serving

_BLOCKS = [
    {"index": 0, "text": "Menu", "words": 1, "xpath": "/nav", "kept": False, "reason": "dropped: links"},
    {"index": 1, "text": "Text of it", "words": 3, "xpath": "/p", "kept": True, "reason": "kept: prose"},
]
EVIDENCE = zlib.compress(json.dumps(_BLOCKS).encode())


def serving_live(store: Store, **options: Any) -> AbstractContextManager[str]:
    """Serve the live page of a store in a thread; return its address."""
    return serving(create_live_app(store, settings=ServeSettings(requests_per_minute=0), **options))
