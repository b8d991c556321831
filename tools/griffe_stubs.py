"""An extension of griffe: the reference shows the names that a stub imports, as it shows those of `__all__`."""

from __future__ import annotations

from typing import Any

import griffe

from blockfeat._lazy import names_of_stub


class NamesOfStubs(griffe.Extension):
    """Names imported by a stub beside ``__init__.py`` are the package's own."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Mark the names of every stub of a loaded package as exported."""
        waiting = [pkg]
        while waiting:
            module = waiting.pop()
            waiting += (member for member in module.members.values() if isinstance(member, griffe.Module))
            stub = module.filepath.with_suffix(".pyi") if module.is_init_module else None
            if stub is not None and stub.exists():
                module.exports = list(names_of_stub(stub))
