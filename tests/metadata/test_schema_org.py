from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.json_ld import declared_free
from metadata.described import article, described, json_ld


def test_an_article_node_gives_every_field_with_its_source():
    found = described(
        json_ld(
            article(
                headline="Quiet days at the harbour",
                author=[{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bo Ek"}],
                datePublished="2024-05-02T08:15:00+02:00",
                dateModified="2024-05-03",
                publisher={"@type": "Organization", "name": "Lake Post"},
                description="How the harbour lives.",
                image={"@type": "ImageObject", "url": "https://lake.example/boat.jpg"},
                inLanguage="en-GB",
                articleSection="Local",
                keywords="boats, fish",
                isAccessibleForFree=False,
                license="https://creativecommons.org/licenses/by/4.0/",
                mainEntityOfPage="https://lake.example/harbour",
            )
        )
    )
    assert found.title == "Quiet days at the harbour"
    assert found.authors == ("Ann Lee", "Bo Ek")
    assert str(found.published) == "2024-05-02T08:15:00+02:00"
    assert str(found.modified) == "2024-05-03"
    assert (found.site, found.language, found.section, found.tags) == ("Lake Post", "en-GB", "Local", ("boats", "fish"))
    assert (found.canonical_url, found.image) == ("https://lake.example/harbour", "https://lake.example/boat.jpg")
    assert found.paywall is True
    assert found.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert {found.sources[name] for name in ("authors", "published", "site", "paywall")} == {"json-ld"}


def test_authors_are_resolved_within_a_graph():
    graph = {
        "@graph": [
            {"@type": "WebSite", "@id": "#site", "name": "Lake Post"},
            {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
            {"@type": ["Article", "Thing"], "headline": "Quiet days", "author": {"@id": "#ann"}},
        ]
    }
    found = described(json_ld(graph))
    assert found.authors == ("Ann Lee",)
    assert found.site == "Lake Post"


def test_of_several_articles_the_one_with_the_address_of_the_page_counts():
    nodes = [
        article(headline=f"Story {name}", url=f"https://lake.example/{name}", author=name.title())
        for name in ("one", "two", "three")
    ]
    assert described(json_ld(*nodes), url="https://lake.example/two?ref=1").authors == ("Two",)


def test_articles_of_a_list_are_not_the_page():
    items = [{"@type": "ListItem", "item": article(headline=f"Story {n}", author=f"Author {n}")} for n in range(3)]
    assert described(json_ld({"@type": "ItemList", "itemListElement": items})).authors == ()


@pytest.mark.parametrize(
    "script",
    [
        '{"@type": "NewsArticle", "headline": "Quiet", "author": {"name": "Ann Lee",},}',
        '<!-- {"@type": "NewsArticle", "headline": "Quiet", "author": {"name": "Ann Lee"}} -->',
        '//<![CDATA[\n{"@type": "NewsArticle", "headline": "Quiet", "author": {"name": "Ann Lee"}}\n//]]>',
        '{"@type": "NewsArticle", "headline": "Two\nlines\t", "author": {"name": "Ann Lee"}};',
        '{"@type": "NewsArticle", "headline": "It\\\'s quiet", "author": {"name": "Ann Lee"}}',
        '{"@type": "NewsArticle", "headline": "He said "quiet" today", "author": {"name": "Ann Lee"}}',
        '{"@type": "NewsArticle", "headline": "Quiet", "author": {"name": "Ann Lee"}, "cut": {"off": [',
        "{&quot;@type&quot;: &quot;NewsArticle&quot;, &quot;author&quot;: {&quot;name&quot;: &quot;Ann Lee&quot;}}",
        '{"@type": "WebSite", "name": "Lake"}{"@type": "NewsArticle", "author": "Ann Lee"}',
        '{"@type": "NewsArticle", "author": "Ann&#32;Lee"}',
    ],
)
def test_broken_scripts_are_read(script: str):
    assert described(f'<script type="application/ld+json">{script}</script>').authors == ("Ann Lee",)


def test_deep_nesting_is_no_recursion():
    script = '{"a":' * 100_000 + "1" + "}" * 100_000
    assert described(f'<script type="application/ld+json">{script}</script>').authors == ()


@pytest.mark.parametrize(("value", "paywall"), [(True, False), ("True", False), ("http://schema.org/False", True)])
def test_a_paywall_is_what_is_not_free(value: object, paywall: bool):
    assert described(json_ld(article(headline="Quiet", isAccessibleForFree=value))).paywall is paywall


def test_a_paywall_of_a_part_counts():
    part = {"@type": "WebPageElement", "isAccessibleForFree": "False", "cssSelector": ".paid"}
    assert described(json_ld(article(headline="Quiet", hasPart=part))).paywall is True


@pytest.mark.parametrize("part", ['\\"', '"name":"\\', "/*", ", ", "<!--", "//", '"name" : ', "{", '{"author":['])
def test_long_broken_scripts_take_linear_time(part: str):
    # Quadratic time would be minutes.
    described(f'<script type="application/ld+json">{{"a": "{part * 60_000}</script>')


def test_microdata_of_an_article():
    found = described(
        top="""<div itemscope itemtype="https://schema.org/NewsArticle">
        <h1 itemprop="headline">Quiet days at the harbour</h1>
        <span itemprop="author" itemscope itemtype="https://schema.org/Person"><b itemprop="name">Ann Lee</b></span>
        <meta itemprop="datePublished" content="2024-05-02T08:15:00Z">
        <meta itemprop="isAccessibleForFree" content="false">
        <div itemprop="publisher" itemscope><meta itemprop="name" content="Lake Post"></div></div>"""
    )
    assert found.authors == ("Ann Lee",)
    assert found.site == "Lake Post"
    assert found.paywall is True
    assert str(found.published) == "2024-05-02T08:15:00+00:00"
    assert found.sources["authors"] == found.sources["published"] == "microdata"


def test_the_author_of_a_comment_is_not_the_author():
    comment = """<div itemprop="comment" itemscope itemtype="https://schema.org/Comment">
        <span itemprop="author">Troll</span></div>"""
    found = described(
        top=f"""<div itemscope itemtype="https://schema.org/BlogPosting"><h1 itemprop="headline">Quiet days</h1>
        {comment}<span itemprop="author">Ann Lee</span></div>"""
    )
    assert found.authors == ("Ann Lee",)


def test_rdfa_of_an_article():
    found = described(
        top="""<div vocab="https://schema.org/" typeof="Article"><h1 property="headline">Quiet days</h1>
        <span property="author" typeof="Person"><span property="name">Ann Lee</span></span>
        <time property="datePublished" datetime="2024-05-02">yesterday</time></div>"""
    )
    assert found.authors == ("Ann Lee",)
    assert str(found.published) == "2024-05-02"
    assert found.sources["published"] == "rdfa"


def test_dublin_core_in_rdfa():
    found = described(
        top="""<div typeof="sioc:Item foaf:Document"><h1>Quiet days</h1>
        <span property="dc:date dc:created" content="2019-03-01T10:00:00+01:00">1 March</span></div>"""
    )
    assert str(found.published) == "2019-03-01T10:00:00+01:00"


@pytest.mark.parametrize(
    ("value", "is_free"),
    [
        (True, True),
        (False, False),
        ("True", True),
        ("False", False),
        ("http://schema.org/False", False),
        (["false"], False),
        ("perhaps", None),
        (None, None),
    ],
)
def test_what_a_page_declares(value: object, is_free: bool | None):
    for indent in (None, 2):
        script = json.dumps({"@type": "NewsArticle", "isAccessibleForFree": value}, indent=indent).encode()
        assert declared_free([b"{}", script]) is is_free


def test_a_part_for_subscribers_makes_a_page_not_free():
    part = {"@type": "WebPageElement", "isAccessibleForFree": False}
    assert declared_free([json.dumps({"isAccessibleForFree": True, "hasPart": part}).encode()]) is False
    assert declared_free([]) is None


@given(st.lists(st.binary(max_size=60)))
def test_any_bytes_are_read(scripts: list[bytes]):
    declared_free([b"isAccessibleForFree".join(scripts), *scripts])
