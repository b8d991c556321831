"""The pieces that build the bundled demo corpus: content in data files, layouts in functions."""

from __future__ import annotations

__all__: list[str] = []
