import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.json_ld import declared_free
from cases import CASES
from metadata.described import article, described, json_ld


def test_an_article_node_gives_every_field_with_its_source():
    plain = {
        "title": ("headline", "Quiet days at the harbour"),
        "published": ("datePublished", "2024-05-02T08:15:00+02:00"),
        "modified": ("dateModified", "2024-05-03"),
        "description": ("description", "How the harbour lives."),
        "language": ("inLanguage", "en-GB"),
        "section": ("articleSection", "Local"),
        "licence": ("license", "https://creativecommons.org/licenses/by/4.0/"),
        "canonical_url": ("mainEntityOfPage", "https://lake.example/harbour"),
    }
    node = article(**dict(plain.values()), keywords="boats, fish", isAccessibleForFree=False)
    node["author"] = [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bo Ek"}]
    node["image"] = {"@type": "ImageObject", "url": "https://lake.example/boat.jpg"}
    found = described(json_ld(node | {"publisher": {"@type": "Organization", "name": "Lake Post"}}))
    assert {name: str(getattr(found, name)) for name in plain} == {name: value for name, (_, value) in plain.items()}
    assert (found.authors, found.tags) == (("Ann Lee", "Bo Ek"), ("boats", "fish"))
    assert (found.site, found.image, found.paywall) == ("Lake Post", "https://lake.example/boat.jpg", True)
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
    assert (found.authors, found.site) == (("Ann Lee",), "Lake Post")


def test_of_several_articles_the_one_with_the_address_of_the_page_counts():
    names = ("One", "Two", "Three")
    nodes = [article(headline="Story", url=f"https://lake.example/{name.lower()}", author=name) for name in names]
    assert described(json_ld(*nodes), url="https://lake.example/two?ref=1").authors == ("Two",)


def test_articles_of_a_list_are_not_the_page():
    items = [{"@type": "ListItem", "item": article(headline=f"Story {n}", author=f"Author {n}")} for n in range(3)]
    assert described(json_ld({"@type": "ItemList", "itemListElement": items})).authors == ()


@pytest.mark.parametrize("script", CASES["broken_scripts_are_read"])
def test_broken_scripts_are_read(script: str):
    assert described(f'<script type="application/ld+json">{script}</script>').authors == ("Ann Lee",)


def test_deep_nesting_is_no_recursion():
    script = '{"a":' * 100_000 + "1" + "}" * 100_000
    assert described(f'<script type="application/ld+json">{script}</script>').authors == ()


PART = {"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": ".paid"}


@pytest.mark.parametrize(
    ("members", "paywall"),
    [
        *(({"isAccessibleForFree": value}, False) for value in (True, "True")),
        *(({"isAccessibleForFree": value}, True) for value in (False, "False", "http://schema.org/False", ["false"])),
        *(({"isAccessibleForFree": value}, None) for value in ("perhaps", None)),
        ({"hasPart": PART}, True),
    ],
)
def test_a_paywall_is_what_is_not_free(members: dict[str, object], paywall: bool | None):
    node = article(headline="Quiet", **members)
    assert described(json_ld(node)).paywall is paywall
    for indent in (None, 2):
        is_free = declared_free([b"{}", json.dumps(node, indent=indent).encode()])
        assert is_free is (None if paywall is None else not paywall)


def test_a_part_for_subscribers_makes_a_page_not_free():
    assert declared_free([json.dumps({"isAccessibleForFree": True, "hasPart": PART}).encode()]) is False
    assert declared_free([]) is None


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
    assert (found.authors, found.site) == (("Ann Lee",), "Lake Post")
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
    assert (found.authors, str(found.published)) == (("Ann Lee",), "2024-05-02")
    assert found.sources["published"] == "rdfa"


def test_dublin_core_in_rdfa():
    found = described(
        top="""<div typeof="sioc:Item foaf:Document"><h1>Quiet days</h1>
        <span property="dc:date dc:created" content="2019-03-01T10:00:00+01:00">1 March</span></div>"""
    )
    assert str(found.published) == "2019-03-01T10:00:00+01:00"


@given(st.lists(st.binary(max_size=60)))
def test_any_bytes_are_read(scripts: list[bytes]):
    declared_free([b"isAccessibleForFree".join(scripts), *scripts])
