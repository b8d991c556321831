"""The site that a page belongs to, so that pages of one site can be kept together."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

SECOND_LEVELS = frozenset({"co", "com", "org", "net", "ac", "gov", "edu"})

_HEAD = 100_000  # characters of a page that are searched for its address
# A tag ends at the next angle bracket and at 1,000 characters, so the search is linear in the page's length.
_TAG = re.compile(r"<(link|meta|base)\b([^<>]{0,1000})", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:.-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))""")


def registered_domain(url: str) -> str | None:
    """Return the site of an address, much as a registered domain.

    Scheme, user, port, path and a leading ``www.`` are dropped. What is left is cut to its last two labels,
    or to its last three where the second-last label is a well-known second level (``co``, ``com``, ``org``,
    ``net``, ``ac``, ``gov``, ``edu``): ``news.bbc.co.uk`` gives ``bbc.co.uk``. Blogs of one provider
    (``x.wordpress.com``) fall together, which is the safe side for a split. IP addresses stay whole.

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
    try:
        host = (urlsplit(address).hostname or "").strip(".").lower()
    except ValueError:  # such as an unclosed bracket
        return None
    if not host or any(character.isspace() for character in host):
        return None
    if _is_ip_address(host):
        return host
    labels = [label for label in host.removeprefix("www.").split(".") if label]
    keep = 3 if len(labels) > 2 and labels[-2] in SECOND_LEVELS else 2
    return ".".join(labels[-keep:]) or None


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
