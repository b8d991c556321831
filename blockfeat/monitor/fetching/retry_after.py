"""The header Retry-After: how long a server asks to be left alone."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime

# Seconds: no answer can silence a host for longer.
LONGEST_WAIT = 7 * 86_400.0


def retry_at(value: str | None, *, now: float) -> float | None:
    """Return the time in epoch seconds that a ``Retry-After`` names, at most a week ahead.

    Parameters
    ----------
    value : str or None
        Seconds or an HTTP date; None and what is neither give None, as does a date in the past.
    now : float
        Epoch seconds.
    """
    text = (value or "").strip()
    if text.isascii() and text.isdigit():
        # More digits than any wait needs: no number of thousands of digits is computed.
        return now + (min(float(text), LONGEST_WAIT) if len(text) < 10 else LONGEST_WAIT)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    return min(seconds, now + LONGEST_WAIT) if seconds > now else None
