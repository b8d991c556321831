from __future__ import annotations

import pytest

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
