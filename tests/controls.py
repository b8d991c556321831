"""What a page offers to be used, and what of it the tests of a module have used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_WATCHING = Path(__file__).with_name("controls.js").read_text(encoding="utf-8")


class Controls:
    """The links, buttons, fields and named keys of the pages of some browser contexts, by their names."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._used: set[str] = set()

    def watch(self, context: BrowserContext) -> None:
        """Note what the pages of a context offer, and what is used of it, from now on."""

        def tell(source: dict[str, Any], kind: str, names: list[str]) -> None:
            (self._seen if kind == "seen" else self._used).update(names)

        context.expose_binding("tellControls", tell)
        context.add_init_script(_WATCHING)

    def _need_whole_module(self, request: pytest.FixtureRequest) -> None:
        """Skip a test that needs what all tests of its module have used, where some were not chosen."""
        chosen = {
            getattr(item, "originalname", item.name) for item in request.session.items if item.path == request.path
        }
        if {name for name in vars(request.module) if name.startswith("test_")} - chosen:
            pytest.skip("only some tests of the module were chosen")

    def check_all_used(self, request: pytest.FixtureRequest, *places: str, least: int) -> None:
        """Fail where pages at some paths, or all pages, offered what was never used, or offered too little."""
        self._need_whole_module(request)
        assert len(self._seen) > least, f"only {len(self._seen)} were offered"
        left = sorted(self._seen - self._used)
        unused = [name for name in left if not places or name.split(": ")[0] in places]
        assert not unused, "\n".join(["never used:", *unused])
