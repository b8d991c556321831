"""A page of a store has the blocks, decisions and reasons that it had when it was read, whatever its markup is."""

from hypothesis import given
from hypothesis import strategies as st

from blockfeat.monitor.reading import FetchedPage, PageReader, ReaderSettings, stored_extraction
from blockfeat.monitor.store.records import StoredPage
from property_examples import examples

_READER = PageReader.of(ReaderSettings("default", (), evidence=True))
_ADDRESS = "https://a.example/"
_NAMES = (
    "a", "b", "body", "button", "caption", "center", "cite", "code", "custom-x", "dd", "del", "details", "dialog",
    "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "form", "h1", "h2", "head", "header", "html",
    "i", "iframe", "ins", "li", "math", "mi", "nav", "noscript", "ol", "p", "path", "pre", "q", "rp", "ruby",
    "section", "select", "span", "strong", "sub", "sup", "svg", "table", "td", "template", "textarea", "th", "thead",
    "time", "title", "tr", "ul",
)  # fmt: skip
_ATTRIBUTES = (
    "",
    " class=related",
    ' class="byline author" id=a',
    " href=/a",
    " href=#f1",
    " hidden",
    ' style="display:none"',
    " role=dialog aria-modal=true",
    ' type="application/ld+json"',
    ' type="math/tex"',
    ' type="text/template"',
    ' itemscope itemtype="https://schema.org/Product"',
    " itemprop=articleBody",
    " lang=de",
    " title=«é»",
    ' srcdoc="<p>a</p>"',
    " onclick=\"x('<p>')\"",
    " = ' /",
)
_TEXTS = (
    "word ",
    "The ferry leaves at nine and returns before dark. " * 6,
    "By Jane Doe, 5 June 2024 ",
    "Comments (5) ",
    '"@type":"Article","schema.org/"',
    "$5 ",
    "$a_1$",
    "12.50 EUR ",
    "Ã©",
    "â€™",
    "MÃ¼ller ",
    "Müller ",
    "日本語の文章です。",
    "مرحبا ",
    "e\u0301",
    "\u200d",
    "\x85",
    "\xa0",
    "½",
    "\ufffd",
    "\x0c",
    "     ",
    "\n",
    "&nbsp;",
    "&#65",
    "&",
    "<",
    "</",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?x",
    "😀",
)
_TAGS = st.builds("<{}{}>".format, st.sampled_from(_NAMES), st.sampled_from(_ATTRIBUTES))
_ENDS = st.builds("</{}>".format, st.sampled_from(_NAMES))
_PAGES = st.lists(st.one_of(st.sampled_from(_TEXTS), _TAGS, _TAGS, _ENDS), max_size=60).map("".join)
_DAMAGE = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=3)


@given(_PAGES, _DAMAGE)
@examples(150)
def test_a_page_is_read_from_a_store_as_from_the_net(markup: str, damage: list[tuple[int, int]]) -> None:
    data = bytearray(markup.encode())
    for place, byte in damage if data else ():
        data[place % len(data)] = byte
    page = FetchedPage(bytes(data), _ADDRESS)
    record = _READER.read(page)
    if record.status == "error":
        assert not record.is_fault
        return
    of_page = (record.lang, record.title, record.headline, record.text, record.model, record.evidence)
    stored = StoredPage(1, "1", _ADDRESS, 0, record.kind, record.origin, *of_page)
    found, _, is_whole = stored_extraction(stored, _READER.extractor)
    then = _READER.extractor.extract(page.data, url=_ADDRESS)
    assert is_whole or not then.blocks
    for block, before in zip(found.blocks, then.blocks, strict=True):
        for name in ("text", "kept", "score", "xpath", "reason"):
            assert getattr(block, name) == getattr(before, name)
