"""What the scanner knows about elements: which are void, which hold raw text, which end which, and in what order.

The tables are those of libxml2's HTML parser (``HTMLparser.c``, 2.14: ``html40ElementTable``, ``htmlStartClose``,
``htmlEndPriority``), so that the trees agree with lxml's.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HEADINGS = "h1 h2 h3 h4 h5 h6"
_FLOW = f"address blockquote center dd dir div dl dt fieldset form {_HEADINGS} hr li listing menu ol p pre table ul xmp"
_TABLE_PARTS = "caption col colgroup tbody td tfoot th tr"
_PHRASING = (
    "a abbr acronym b bdo big br cite code dfn em font i iframe img kbd map q s samp small span strike strong sub sup "
    "tt u var"
)
_DEFINITIONS = "dd dl dt"

VOID = _names("area base basefont br col frame hr img input isindex link meta param")
"""Elements without content. Not those that HTML5 added: libxml2 does not know them."""

RAW_TEXT = _names("iframe noembed noframes plaintext script style textarea title xmp")
"""Elements whose content is text up to their own end tag."""

REFERENCES = frozenset(("textarea", "title"))
"""Those of them in which character references are resolved."""

CUT = frozenset(("script", "style", "svg"))
"""Elements that never hold text of the page: left out whole, svg only where it holds no paragraphs."""

NEEDS_END_TAG = _names(
    """
    applet button canvas datalist del iframe math noembed noframes noscript object select svg template textarea title
    xmp
    """
)
"""Elements that would swallow the page, as the parser reads them as raw text or tag tables prune them."""

HEAD_CONTENT = _names("base link meta script style title")
"""Elements that imply a head rather than a body."""

OUTSIDE_BODY = _names("frame frameset noframes")
"""Elements that imply neither."""

PHRASING = _names(f"{_PHRASING} bdi ins label mark nobr small time") - VOID - RAW_TEXT
"""Elements inside a line of text: nothing is lost where one of them is not written."""

PRIORITY = (
    frozenset(("div",)),
    frozenset(("td", "th")),
    frozenset(("tr",)),
    frozenset(("tbody", "tfoot", "thead")),
    frozenset(("table",)),
    frozenset(("body", "head")),
    frozenset(("html",)),
)
"""An end tag does not reach over an open element of a higher rank; all other elements have the lowest."""

ENDED_BY: dict[str, frozenset[str]] = {
    names: _names(by)
    for group, by in (
        ("a", "a fieldset table td th"),
        ("address", f"{_DEFINITIONS} form li ul"),
        ("b i", "center p td th"),
        ("font", "center td th"),
        ("big s small strike tt", "p"),
        ("u", "p td th"),
        ("span", "td th"),
        ("caption", "col colgroup tbody tfoot thead tr"),
        ("colgroup", "colgroup tbody tfoot thead tr"),
        ("dd", "dt"),
        ("dt", "dd dl"),
        ("dl", "form li"),
        ("dir menu", f"{_DEFINITIONS} form ul"),
        ("form ol", "form"),
        (_HEADINGS, "fieldset form li p table"),
        ("head", f"body frameset {_FLOW} {_PHRASING}"),
        ("legend", "fieldset"),
        ("li", "li"),
        ("listing pre", f"{_DEFINITIONS} fieldset form li table ul"),
        ("option", "optgroup option"),
        ("p", f"body {_FLOW} frameset head {_TABLE_PARTS} title"),
        ("tbody thead", "tbody tfoot"),
        ("tfoot", "tbody"),
        ("td th", "tbody td tfoot th tr"),
        ("tr", "tbody tfoot tr"),
        ("ul", "address form menu pre"),
    )
    for names in group.split()
}
"""For each element the start tags that imply its end where it is the innermost open one."""

NAMES: tuple[str, ...] = tuple(
    sorted(
        {"article", "body", "div", "frameset", "head", "html", "noscript", "optgroup", "option", "p", "section", "svg"}
        | VOID
        | RAW_TEXT
        | NEEDS_END_TAG
        | OUTSIDE_BODY
        | PHRASING
        | frozenset().union(*PRIORITY)
        | ENDED_BY.keys()
        | frozenset().union(*ENDED_BY.values())
    )
)
"""Every name that the tables mention."""
