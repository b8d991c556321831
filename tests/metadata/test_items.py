from __future__ import annotations

from metadata.described import described


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
