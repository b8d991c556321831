"""Crunch as a proxy, as in the paper (section 4): an add-on for mitmproxy that cleans the pages that a browser loads.

Its settings page is http://crunch.local/, which the proxy serves itself.
"""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable
from email.message import Message
from html import escape
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import parse_qs

from blockfeat._extras import importing
from blockfeat.errors import BlockfeatError
from blockfeat.papers.crunch.clean import Cleaner
from blockfeat.papers.crunch.settings import default_settings_text, parse_settings

SETTINGS_HOST = "crunch.local"
"""Host name of the settings page, which the proxy serves itself."""
_LARGEST = 20_000_000
_LARGEST_SETTINGS = 100_000
_KINDS = ("text/html", "application/xhtml+xml")

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"

Respond = Callable[[int, bytes, dict[str, str]], Any]
"""Creates a response from status, body and headers, as ``mitmproxy.http.Response.make`` does."""


class CleaningAddon:
    """A mitmproxy add-on that cleans HTML responses and serves the settings page.

    Parameters
    ----------
    settings : str
        Text of a settings file; empty for the default settings.
    respond : callable, optional
        Creates a response; by default with mitmproxy's class.

    Raises
    ------
    ConfigError
        The settings have problems.
    """

    def __init__(self, settings: str = "", *, respond: Respond | None = None) -> None:
        self._text = settings or default_settings_text()
        self._cleaner = Cleaner.of(parse_settings(self._text))
        self._respond = respond or _made_by_mitmproxy
        # Pages of other sites cannot change the settings, as they cannot read this token (CSRF).
        self._token = secrets.token_urlsafe(16)
        self._is_on = True
        self.count = 0

    def request(self, flow: Any) -> None:
        """Respond to requests for the settings page; leave all others as they are."""
        if flow.request.pretty_host != SETTINGS_HOST:
            return
        is_form = flow.request.method == "POST"
        said = self._changed(flow.request.get_content(strict=False) or b"") if is_form else ""
        page = Template(files("blockfeat.papers.crunch").joinpath("proxy.html").read_text(encoding="utf-8")).substitute(
            count=self.count,
            said=escape(said),
            token=self._token,
            checked=" checked" if self._is_on else "",
            settings=escape(self._text),
        )
        headers = {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": _POLICY,
            "Cache-Control": "no-store",
        }
        flow.response = self._respond(200, page.encode(), headers)

    def _changed(self, body: bytes) -> str:
        """Apply the settings of a submitted form; return the message to show."""
        if len(body) > _LARGEST_SETTINGS:
            return "Nothing was changed: the settings are too large."
        values = {name: value[0] for name, value in parse_qs(body.decode("utf-8", "replace")).items()}
        if not hmac.compare_digest(values.get("token", "").encode(), self._token.encode()):
            return "Nothing was changed: the form was not this page's."
        text = values.get("settings", "").replace("\r\n", "\n")
        try:
            self._cleaner = Cleaner.of(parse_settings(text))
        except BlockfeatError as error:
            return f"Nothing was changed:\n{error}"
        self._text, self._is_on = text, "on" in values
        return "These settings hold from now on."

    def response(self, flow: Any) -> None:
        """Clean an HTML page; leave other responses, and pages that cannot be cleaned, as they are."""
        response, request = flow.response, flow.request
        said = Message()
        said["content-type"] = response.headers.get("content-type", "")
        kind = said.get_content_type()
        # Scripts fetch fragments of pages, which are not pages by themselves.
        is_page = request.headers.get("sec-fetch-dest", "document") in ("document", "iframe", "frame")
        if not self._is_on or request.pretty_host == SETTINGS_HOST or kind not in _KINDS or not is_page:
            return
        data = response.get_content(strict=False)
        if not data or len(data) > _LARGEST:
            return
        try:
            cleaned = self._cleaner.clean(data, charset=said.get_content_charset())
        except Exception as error:  # a page that cannot be cleaned is shown as it is
            logging.getLogger("blockfeat.papers.crunch.proxy").warning("%s: not cleaned: %s", request.pretty_url, error)
            return
        response.set_content(cleaned.html.encode("utf-8", "replace"))
        response.headers["content-type"] = "text/html; charset=utf-8"
        self.count += 1


def _made_by_mitmproxy(status: int, body: bytes, headers: dict[str, str]) -> Any:
    with importing("proxy", what="the proxy"):
        from mitmproxy.http import Response

    return Response.make(status, body, headers)


async def serve_proxy(addon: CleaningAddon, *, port: int, on_ready: Callable[[], None] = lambda: None) -> None:
    """Run a proxy with the add-on on this machine until it is stopped.

    Raises
    ------
    MissingExtraError
        mitmproxy is not installed.
    """
    with importing("proxy", what="the proxy"):
        from mitmproxy.options import Options
        from mitmproxy.tools.dump import DumpMaster
    options = Options(listen_host="127.0.0.1", listen_port=port)
    master = DumpMaster(options, with_termlog=False, with_dumper=False)
    master.addons.add(addon)
    on_ready()
    await master.run()
