"""Whether a page declares its text free, told without parsing its JSON-LD."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEY = b"isAccessibleForFree"
_VALUE = re.compile(rb'["\s:\[]*+(?:https?://schema\.org/)?(true|false|yes|no|[01])\b', re.IGNORECASE)
_LONGEST = 100


def declared_free(scripts: Iterable[bytes]) -> bool | None:
    """Return what JSON-LD scripts say of ``isAccessibleForFree``; None where they say nothing.

    False where anything is not free, as a page names the part of its text that is for subscribers only.
    """
    found: bool | None = None
    for script in scripts:
        place = script.find(_KEY)
        while place >= 0:
            behind = place + len(_KEY)
            value = _VALUE.match(script, behind, behind + _LONGEST)
            if value:
                if value[1].lower() in (b"false", b"no", b"0"):
                    return False
                found = True
            place = script.find(_KEY, place + 1)
    return found
