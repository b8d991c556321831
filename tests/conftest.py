"""Property tests have no deadline, so that a loaded machine fails none; the rest is as hypothesis has it, in CI too."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("no deadline", settings(deadline=None))
settings.load_profile("no deadline")
