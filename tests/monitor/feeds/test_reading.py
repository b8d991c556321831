"""Feeds of every kind: what is read, what is salvaged, what is refused."""

import gzip
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.errors import FeedError
from blockfeat.monitor.feeds import Feed, read_feed
from cases import CASES
from property_examples import examples

URL = "http://news.example/sub/feed.xml"
ATOM = 'xmlns="http://www.w3.org/2005/Atom"'
ITEM = "<item><title>One</title><link>/one</link></item>"


def read(text: str | bytes, content_type: str | None = None) -> Feed:
    data = text.encode() if isinstance(text, str) else text
    return read_feed(data, url=URL, content_type=content_type)


def rss(items: str, *, head: str = "", declaration: str = '<?xml version="1.0"?>', attributes: str = "") -> str:
    return f'{declaration}<rss version="2.0" {attributes}><channel><title>News</title>{head}{items}</channel></rss>'


def titled(title: str) -> str:
    return rss(f"<item><title>{title}</title><link>/one</link></item>")


def test_rss() -> None:
    feed = read(
        rss(
            "<item><title>One &amp; two</title><link>http://news.example/1</link><guid>urn:g1</guid>"
            "<pubDate>Thu, 14 Mar 2024 06:00:00 +0100</pubDate>"
            "<description>&lt;p&gt;Why.&lt;/p&gt;</description></item>",
            head="<language>de</language>",
        )
    )
    entry = feed.entries[0]
    assert (feed.kind, feed.title, feed.warnings) == ("rss", "News", ())
    assert (entry.url, entry.id, entry.title, entry.lang) == ("http://news.example/1", "urn:g1", "One & two", "de")
    assert ((entry.published, entry.updated), entry.summary) == ((datetime(2024, 3, 14, 5, tzinfo=UTC), None), "Why.")


def test_atom_takes_the_alternate_link_and_its_own_language() -> None:
    feed = read(
        f'<feed {ATOM} xml:lang="fr"><title>F</title><entry xml:lang="it"><title>x</title><id>urn:1</id>'
        '<link rel="enclosure" href="/x.mp3"/><link href="/x"/><updated>2024-03-14T06:00:00Z</updated></entry></feed>'
    )
    entry = feed.entries[0]
    assert (feed.kind, entry.url, entry.lang) == ("atom", "http://news.example/x", "it")
    assert (entry.published, entry.updated) == (None, datetime(2024, 3, 14, 6, tzinfo=UTC))


def test_rdf_with_a_dublin_core_date() -> None:
    feed = read(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>R</title></channel>'
        "<item><title>x</title><link>http://news.example/x</link><dc:date>2024-03-14</dc:date></item></rdf:RDF>"
    )
    assert (feed.kind, feed.title, feed.entries[0].published) == ("rdf", "R", datetime(2024, 3, 14, tzinfo=UTC))


JSON = Path(__file__).with_name("cut.json").read_text(encoding="utf-8")


def test_json_feed() -> None:
    feed = read(JSON + '], "expired": true}')
    first, second = feed.entries
    assert (feed.kind, feed.title, feed.expired) == ("json", "J", True)
    assert (first.url, first.title, first.lang) == ("http://news.example/a", "1 < 2", "pl")
    assert first.published == datetime(2023, 12, 31, 23, tzinfo=UTC)
    assert (second.url, second.summary, second.lang) == ("http://other.example/b", "hi", "de")


def test_json_without_a_version_of_json_feed_is_refused() -> None:
    with pytest.raises(FeedError, match=r"news\.example.*not a JSON Feed"):
        read('{"items": []}')


SITEMAP = Path(__file__).with_name("cut_sitemap.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_sitemap_with_the_news_extension(pack: object) -> None:
    feed = read(pack((SITEMAP + "</urlset>").encode()))  # type: ignore[operator]
    entry = feed.entries[0]
    assert (feed.kind, entry.url, entry.title, entry.lang) == ("sitemap", "http://news.example/1", "Bir", "tr")
    assert (entry.published, entry.updated) == (datetime(2024, 3, 14, 6, tzinfo=UTC), datetime(2024, 3, 15, tzinfo=UTC))


def test_sitemap_index_and_opml_list_other_feeds() -> None:
    index = read(
        '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://news.example/1.xml.gz'
        "</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>"
    )
    assert (index.kind, index.feeds) == ("sitemapindex", ("http://news.example/1.xml.gz", "http://news.example/2.xml"))
    opml = read(
        '<opml version="2.0"><head><title>Mine</title></head><body><outline text="folder"><outline '
        'xmlUrl="http://a.example/f"/><outline xmlUrl="mailto:x"/></outline></body></opml>'
    )
    assert (opml.kind, opml.title, opml.feeds, len(opml.warnings)) == ("opml", "Mine", ("http://a.example/f",), 1)


def test_a_list_of_addresses() -> None:
    feed = read("# mine\nhttp://a.example/1\n\n  https://b.example/2?x=1\nhttp://a.example/1\nnot an address\n")
    assert [entry.url for entry in feed.entries] == ["http://a.example/1", "https://b.example/2?x=1"]
    assert feed.warnings == ("entries left out because they name no page: 1",)


RUSSIAN = "Новости дня из Москвы и области"


@pytest.mark.parametrize(
    ("text", "encoding", "declared", "header"),
    [
        (RUSSIAN, "windows-1251", None, None),
        (RUSSIAN, "windows-1251", "utf-8", None),
        (RUSSIAN, "koi8-r", "koi8-r", None),
        (RUSSIAN, "windows-1251", None, "text/xml; charset=windows-1251"),
        (RUSSIAN, "utf-8", "iso-8859-1", "text/xml; charset=us-ascii"),
        (RUSSIAN, "utf-16", "utf-16", None),
        ("日本語のニュースです", "shift_jis", "Shift_JIS", None),
        ("今天的新闻标题", "gb18030", "gb2312", None),
        ("Zażółć gęślą jaźń", "iso-8859-2", "iso-8859-2", None),
    ],
)
def test_the_charset_is_found(text: str, encoding: str, declared: str | None, header: str | None) -> None:
    declaration = f'<?xml version="1.0" encoding="{declared}"?>' if declared else ""
    source = rss(f"<item><title>{text}</title><link>/one</link></item>" * 2, declaration=declaration)
    assert read(source.encode(encoding), header).entries[0].title == text


@pytest.mark.parametrize(
    "subset",
    [
        '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/passwd">',
        '<!ENTITY % a SYSTEM "http://127.0.0.1/x"> %a;',
        '<!ELEMENT a ANY> <!-- ] --> <!entity b "x">',
    ],
)
@pytest.mark.parametrize("before", ["", "<!-- <rss> -->", "<?x <rss> ?>\n"])
def test_declared_entities_are_refused(subset: str, before: str) -> None:
    with pytest.raises(FeedError, match="declares entities"):
        read(f"{before}<!DOCTYPE rss [{subset}]>" + rss(titled("&a;"), declaration=""))


def test_a_document_type_is_never_loaded() -> None:
    source = '<!DOCTYPE rss PUBLIC "-//N//DTD RSS 0.91//EN" "http://127.0.0.1:1/rss.dtd">' + rss(ITEM, declaration="")
    assert [entry.url for entry in read(source).entries] == ["http://news.example/one"]


def test_complete_entries_of_a_truncated_feed_are_read() -> None:
    pieces = [f"<item><title>{n}</title><link>/{n}</link></item>" for n in range(3)]
    whole = rss("".join(pieces))
    cut = read(whole[: whole.index("<title>2") + 8])
    assert [entry.title for entry in cut.entries] == ["0", "1"]
    assert cut.warnings == ("the feed is cut off; its complete entries were read",)
    json = read(JSON + ', {"id": "3", "url": "/cc')
    assert (json.title, [entry.id for entry in json.entries], len(json.warnings)) == ("J", ["1", "2"], 1)
    sitemap = read(gzip.compress((SITEMAP + "<url><loc>http://news.example/2").encode())[:-3])
    assert ([entry.url for entry in sitemap.entries], len(sitemap.warnings)) == (["http://news.example/1"], 1)
    opml = read('<opml><body><outline xmlUrl="http://a.example/1"/><outline xmlUrl="http://a.exam')
    assert (opml.feeds, len(opml.warnings)) == (("http://a.example/1",), 1)


@given(st.integers(0, 400))
@examples(40)
def test_a_feed_cut_anywhere_has_only_whole_entries(length: int) -> None:
    pieces = [f"<item><title>Entry {n}</title><link>http://n.example/{n * 1111}</link></item>" for n in range(5)]
    try:
        entries = read(rss("".join(pieces))[:length]).entries
    except FeedError:
        return
    assert [entry.url for entry in entries] == [f"http://n.example/{n * 1111}" for n in range(len(entries))]
    assert [entry.title for entry in entries] == [f"Entry {n}" for n in range(len(entries))]


def test_relative_links_refer_to_xml_base_or_to_the_feed() -> None:
    assert read(rss(ITEM.replace("/one", "one"))).entries[0].url == "http://news.example/sub/one"
    atom = f'<feed {ATOM} xml:base="http://b.example/d/"><entry xml:base="e/"><title>x</title><link href="f"/></entry>'
    assert read(atom + "</feed>").entries[0].url == "http://b.example/d/e/f"


@pytest.mark.parametrize(("title", "plain"), CASES["titles_become_plain_text"])
def test_titles_become_plain_text(title: str, plain: str) -> None:
    assert read(titled(title)).entries[0].title == plain


def test_a_plain_title_of_atom_keeps_its_signs() -> None:
    source = f'<feed {ATOM}><entry><title>a &lt;b&gt; &amp;amp; c</title><link href="f"/></entry></feed>'
    assert read(source).entries[0].title == "a <b> &amp; c"


def test_an_address_in_cdata_or_with_a_bare_ampersand() -> None:
    for link in ("<![CDATA[http://news.example/?a=1&b=2]]>", "http://news.example/?a=1&b=2"):
        assert read(rss(f"<item><link>{link}</link></item>")).entries[0].url == "http://news.example/?a=1&b=2"


def test_a_bad_date_is_none_with_a_warning() -> None:
    feed = read(rss("<item><link>/one</link><pubDate>gestern</pubDate></item>"))
    assert (feed.entries[0].published, feed.warnings) == (None, ("date that cannot be read: 'gestern'",))


def test_what_a_feed_says_about_polling() -> None:
    head = (
        "<ttl>60</ttl><skipHours><hour>24</hour><hour>5</hour><hour>x</hour></skipHours>"
        "<skipDays><day>Sunday</day></skipDays>"
    )
    feed = read(rss(ITEM, head=head))
    assert (feed.ttl_seconds, feed.skip_hours, feed.skip_days) == (3600, (0, 5), (6,))
    syndicated = rss(
        ITEM,
        head="<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>",
        attributes='xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"',
    )
    assert read(syndicated).ttl_seconds == 43_200


def test_an_undeclared_namespace_costs_nothing() -> None:
    assert (
        read(rss("<item><media:thumbnail url='x'/><title>One</title><link>/one</link></item>")).entries[0].title
        == "One"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<!DOCTYPE html><html><body>x</body></html>", "a web page, not a feed"),
        ("", "neither a feed nor a list"),
        (bytes(range(256)), "neither a feed nor a list"),
        (b"%PDF-1.7", "neither a feed nor a list"),
        ("<svg/>", "<svg>, not a feed"),
        (gzip.compress(bytes(60_000_000), 1), "after decompression"),
        ('{"version":"https://jsonfeed.org/version/1","items":' + "[" * 100_000, "nested too deeply"),
    ],
)
@pytest.mark.usefixtures("nothing_to_free")
def test_what_is_no_feed_is_refused_with_address_and_reason(text: str | bytes, reason: str) -> None:
    with pytest.raises(FeedError, match=rf"^http://news\.example/sub/feed\.xml: .*{reason}"):
        read(text)


@pytest.mark.parametrize(
    "source",
    [
        "<rss><channel>" + "<a>" * 50_000,
        titled("<b>" * 50_000),
        "<rss>" + "&" * 200_000,
        "<rss>" + "</" * 100_000,
        "<rss>" + "<![CDATA[" * 50_000,
        titled("<![CDATA[" + "<script>" * 20_000 + "]]>"),
        rss("<item " + " ".join(f'a{n}="1"' for n in range(20_000)) + "><link>/one</link></item>"),
    ],
)
def test_hostile_feeds_end_soon(source: str) -> None:
    assert read(source).kind == "rss"


RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'


@pytest.mark.parametrize(
    ("head", "name", "tail"),
    [
        ("<rss><channel><title>News</title>", "item", "</channel></rss>"),
        (f"<rdf:RDF {RDF}><channel><title>News</title></channel>", "item", "</rdf:RDF>"),
        (f"<feed {ATOM}><title>News</title>", "entry", "</feed>"),
    ],
)
@pytest.mark.parametrize("inner", ["<a/>" * 40_000, "<{0}/>" * 40_000, "<{0}><{0}>" * 50 + "<a/>" * 40_000])
def test_of_a_feed_with_too_many_elements_the_first_entries_are_read(
    head: str, name: str, tail: str, inner: str
) -> None:
    def entry(number: int, more: str = "") -> str:
        return f'<{name}><title>{number}</title><link href="/{number}">/{number}</link>{more}</{name}>'

    feed = read(head + entry(1) + entry(2) + entry(3, inner.format(name)) + entry(4) + tail)
    assert (feed.title, [entry.title for entry in feed.entries]) == ("News", ["1", "2"])
    assert [warning for warning in feed.warnings if "elements; the entries before these were read" in warning]


def test_short_entries_that_are_not_too_many_are_all_read() -> None:
    assert [entry.title for entry in read(rss("<item/>" * 9_900 + ITEM)).entries] == ["One"]


@given(st.binary(max_size=300))
@examples(100)
def test_any_bytes_give_a_feed_or_a_feed_error(data: bytes) -> None:
    for head in (b"", b"<rss>", b"<feed><entry>", b'{"version":"https://jsonfeed.org/version/1'):
        with suppress(FeedError):
            assert isinstance(read(head + data), Feed)


def test_a_json_feed_is_one_by_its_json() -> None:
    escaped = JSON.replace("/", "\\/") + "]}"
    assert [entry.url for entry in read(escaped).entries] == ["http://news.example/a", "http://other.example/b"]
    assert [entry.id for entry in read(escaped[:-60]).entries] == ["1"]
    without = '{"items": [{"id": "1", "url": "/a"}]}'
    assert read(without, "application/feed+json; charset=utf-8").entries[0].url == "http://news.example/a"
    with pytest.raises(FeedError, match="not a JSON Feed"):
        read(without, "application/json")


def test_an_entry_without_a_link_has_its_own_text() -> None:
    feed = read(
        rss(
            '<item><title>One</title><guid isPermaLink="false">n 1</guid><description>Short.</description>'
            "<content:encoded>&lt;p&gt;The whole article.&lt;/p&gt;</content:encoded></item>"
            "<item><title>Nothing</title></item>",
            attributes='xmlns:content="http://purl.org/rss/1.0/modules/content/"',
        )
    )
    (entry,) = feed.entries
    assert (entry.url, entry.linked, entry.title) == (f"{URL}#n%201", False, "One")
    assert (entry.summary, entry.content) == ("Short.", "<p>The whole article.</p>")
    assert feed.warnings == ("entries left out because they name no page: 1",)


def test_the_own_text_is_the_content_else_the_summary() -> None:
    entries = f"""<feed {ATOM}><title>F</title>
      <entry><link href="/a"/><id>1</id><summary type="text">1 &lt; 2</summary></entry>
      <entry><link href="/b"/><id>2</id><summary>n</summary>
        <content type="html">&lt;p&gt;yes, it is&lt;/p&gt;</content></entry>
      <entry><link href="/c"/><id>3</id></entry></feed>"""
    assert [entry.content for entry in read(entries).entries] == ["<p>1 &lt; 2</p>", "<p>yes, it is</p>", None]
