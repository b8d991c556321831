"""From an address to its host and its site, so that pages of one site can be kept together."""

from __future__ import annotations

import ipaddress
import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_HEAD = 100_000  # characters of a page that are searched for its address
# A tag ends at the next angle bracket and at 1,000 characters, so the search is linear in the page's length.
_TAG = re.compile(r"<(link|meta|base)\b([^<>]{0,1000})", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:.-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))""")


def host_of(address: str) -> str:
    """Return the host of an address in lower case, without port, credentials and a closing dot.

    Parameters
    ----------
    address : str
        An absolute address; the scheme may be missing before ``//``.

    Returns
    -------
    str
        Empty where the address has no host, or is none.
    """
    try:
        host = (urlsplit(address.strip()).hostname or "").strip(".").lower()
    except ValueError:  # such as an unclosed bracket
        return ""
    return "" if any(character.isspace() for character in host) else host


def registered_domain(url: str) -> str | None:
    """Return the site of an address: its registered domain by the public suffix list that comes with a library.

    ``news.bbc.co.uk`` gives ``bbc.co.uk``. Suffixes of providers do not count: blogs of one (``x.wordpress.com``) fall
    together, which is the safe side for a split. Hosts without a registered domain and IP addresses stay whole.

    Parameters
    ----------
    url : str
        An absolute address; the scheme may be missing (``example.org/a``).

    Returns
    -------
    str or None
        The lower-case host; None if the address has none.
    """
    address = url.strip()
    if "://" not in address and not address.startswith("//"):
        address = "//" + address
    host = ".".join(label for label in host_of(address).split(".") if label)
    if not host or _is_ip_address(host):
        return host or None
    domain: str | None = _public_suffixes().privatesuffix(host)
    return domain or host


@cache
def _public_suffixes() -> PublicSuffixList:
    """Read the list, a constant, at its first use: a third of a second, which one extraction need not wait for."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(only_icann=True)


def guess_host(html: str) -> str | None:
    """Return the site that a page names as its own.

    Looks at ``<link rel=canonical>``, then ``<meta property=og:url>``, then ``<base href>`` within the first
    100,000 characters. Takes time linear in that length.

    Parameters
    ----------
    html : str
        The page.

    Returns
    -------
    str or None
        The host as `registered_domain` gives it; None if the page names no absolute address.
    """
    found: dict[str, str] = {}
    for match in _TAG.finditer(html[:_HEAD]):
        attributes = {
            name.lower(): double or single or bare for name, double, single, bare in _ATTRIBUTE.findall(match[2])
        }
        place, address = _named_address(match[1].lower(), attributes)
        if place and address and "//" in address:
            host = registered_domain(address)
            if host and "." in host:
                found.setdefault(place, host)
    return found.get("canonical") or found.get("og:url") or found.get("base")


def _named_address(tag: str, attributes: dict[str, str]) -> tuple[str, str]:
    """Return which of the three places a tag is ("" for none) and the address in it."""
    if tag == "base":
        return "base", attributes.get("href", "")
    if tag == "link" and "canonical" in attributes.get("rel", "").lower().split():
        return "canonical", attributes.get("href", "")
    names = (attributes.get("property", "").lower(), attributes.get("name", "").lower())
    if tag == "meta" and "og:url" in names:
        return "og:url", attributes.get("content", "")
    return "", ""


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
