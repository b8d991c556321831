"""One address for one page: what differs only by tracking, case or order is the same."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

# Parameters that only say where a reader came from. Names that pages also use for what they show (ref, source, id,
# campaign, session) are not among them: two addresses too many cost one fetch, one too few costs a page.
_TRACKING = re.compile(
    r"(?:utm|mtm|pk|piwik|matomo|hsa|vero|oly|mkt|itm)_\w+"
    r"|fbclid|gclid|dclid|gclsrc|gbraid|wbraid|gad_source|gad_campaignid|msclkid|yclid|ysclid|twclid|ttclid"
    r"|li_fat_id|igshid|igsh|epik|_openstat|mc_cid|mc_eid|ml_subscriber|ml_subscriber_hash"
    r"|ns_(?:mchannel|source|campaign|linkname|fee)|_ga|_gl|_hsenc|_hsmi|wt_mc|wt_zmc"
    r"|at_(?:medium|campaign|format|custom\d|link_\w+|ptr_name|bbc_team)|xtor|s_kwcid|ef_id|cmpid"
    r"|__twitter_impression|guccounter|guce_referrer|guce_referrer_sig|__hstc|__hssc|__hsfp|hsctatracking"
)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def canonical_url(url: str) -> str:
    """Return an address in its one canonical form, by which pages are told apart.

    Scheme and host in lower case, the host in ASCII, no default port, no credentials and no fragment; dot segments
    resolved, percent-encoding and the order of parameters made uniform, tracking parameters removed. Addresses of
    different pages stay different: neither ``www.`` nor a closing slash nor a parameter that may select content goes.
    What cannot be read as an address comes back as it is.
    """
    from w3lib.url import canonicalize_url

    try:
        parts = urlsplit(canonicalize_url(url.strip(), keep_fragments=False))
    except ValueError:
        return url.strip()
    host = parts.netloc.rpartition("@")[2].lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, "\0"))
    kept = [pair for pair in parts.query.split("&") if pair and not _is_tracking(pair)]
    return urlunsplit((parts.scheme.lower(), host, parts.path or "/", "&".join(kept), ""))


def _is_tracking(pair: str) -> bool:
    return _TRACKING.fullmatch(pair.partition("=")[0].lower()) is not None


def host_of(url: str) -> str:
    """Return host and port of an address in lower case, without a default port and credentials."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    return host.removesuffix(_DEFAULT_PORTS.get(parts.scheme.lower(), "\0"))
