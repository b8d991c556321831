"""What holds for all tests: property tests without a deadline, and programs that buffer their output.

A loaded machine must fail no property test; the rest is as hypothesis has it, in CI too. A shell that asks Python not
to buffer would hide what a user of a pipe waits for.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("no deadline", settings(deadline=None))
settings.load_profile("no deadline")
os.environ.pop("PYTHONUNBUFFERED", None)
