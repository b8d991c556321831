"""The installed Chromium, started so that nothing of a page leaves it but through its caller."""

from __future__ import annotations

import os
import shutil
from importlib import import_module
from typing import Any

from blockfeat._extras import importing
from blockfeat.errors import InputError

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-remote-fonts",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",  # nothing listens there: a request that escaped all else ends here
    "--proxy-bypass-list=<-loopback>",
)


def import_playwright() -> Any:
    """Import Playwright's asynchronous interface.

    Raises
    ------
    MissingExtraError
        It is not installed; the message names the extra.
    """
    with importing("render", what="rendering pages"):
        return import_module("playwright.async_api")


def find_chromium() -> str:
    """Return the path of the Chromium that is installed.

    Raises
    ------
    InputError
        There is none.
    """
    for name in _NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    raise InputError(f"no Chromium found: looked for {', '.join(_NAMES)} on the path; Debian has it as 'chromium'")


async def launch_chromium(playwright: Any, executable: str) -> Any:
    """Start Chromium; its own sandbox does not start for root."""
    sandbox = not hasattr(os, "geteuid") or os.geteuid() != 0
    return await playwright.chromium.launch(
        executable_path=executable, args=list(_FLAGS), chromium_sandbox=sandbox, handle_sigint=False
    )
