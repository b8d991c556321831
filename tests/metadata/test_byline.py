from __future__ import annotations

import pytest

from metadata.described import described


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("By Ann Lee", ("Ann Lee",)),
        ("By Ann Lee and Bo Ek, senior editor", ("Ann Lee", "Bo Ek")),
        ("Von Anna Groß, Köln-Korrespondentin", ("Anna Groß",)),
        ("von Anna Groß und Jörg Weiß", ("Anna Groß", "Jörg Weiß")),
        ("Par Élodie Martin", ("Élodie Martin",)),
        ("Por Lucía Gómez", ("Lucía Gómez",)),
        ("di Giulia Rossi", ("Giulia Rossi",)),
        ("Door Sanne de Vries", ("Sanne de Vries",)),
        ("Автор: Ирина Смирнова", ("Ирина Смирнова",)),
        ("Text: Nils Ek", ("Nils Ek",)),
        ("文/張小明", ("張小明",)),
        ("記者 王大同／台北報導", ("王大同",)),
        ("김민수 기자", ("김민수",)),
        ("Posted on May 2, 2024 by Ann Lee", ("Ann Lee",)),
        ("02.05.2024 | 13:10 Uhr | Anna Groß", ("Anna Groß",)),
        ("Ann Lee, 2 May 2024", ("Ann Lee",)),
    ],
)
def test_lines_near_the_headline(line: str, names: tuple[str, ...]):
    found = described(top=f"<h1>Quiet days at the harbour</h1><p>{line}</p>")
    assert found.authors == names
    assert found.sources["authors"] == "byline"


@pytest.mark.parametrize(
    "element",
    [
        "<figure><img src=x.jpg><figcaption>By Ann Lee</figcaption></figure>",
        '<blockquote class="tweet">So quiet here<p>By Ann Lee</p><time datetime="2011-01-02">then</time></blockquote>',
        '<nav><a rel="author" href="/x">Ann Lee</a></nav>',
    ],
)
def test_pictures_quotes_and_menus_name_others(element: str):
    found = described(top=f"<h1>Quiet days at the harbour</h1>{element}")
    assert (found.authors, found.published) == ((), None)


def test_the_date_of_an_embedded_post_does_not_displace_the_declared_one():
    head = '<meta property="article:published_time" content="2024-05-02T08:15:00Z">'
    head += '<meta property="article:modified_time" content="2024-05-02T08:15:00Z">'
    top = '<h1>Quiet days</h1><blockquote class="tweet">So quiet<time datetime="2011-01-02">then</time></blockquote>'
    assert str(described(head, top=top).published) == "2024-05-02T08:15:00+00:00"


@pytest.mark.parametrize(
    "element",
    [
        '<a rel="author" href="/x">Ann Lee</a>',
        '<div class="byline"><span>By</span> <span>Ann Lee</span></div>',
        '<span class="by-author">von <span class="author vcard">Ann Lee</span></span>',
        '<p><a href="https://lake.example/authors/ann-lee">Ann Lee</a></p>',
        "<p>Written by</p><p>Ann Lee</p>",
    ],
)
def test_elements_near_the_headline(element: str):
    assert described(top=f"<h1>Quiet days at the harbour</h1>{element}").authors == ("Ann Lee",)


def test_a_person_in_the_byline_goes_before_the_site_as_author():
    head = '<meta property="og:site_name" content="Lake Post"><meta name="author" content="Lake Post">'
    assert described(head, top="<h1>Quiet days</h1><p>By Ann Lee</p>").authors == ("Ann Lee",)
    assert described(head).authors == ("Lake Post",)


def test_the_authors_of_comments_and_sentences_are_none():
    bottom = '<div class="comments"><span class="comment-author">Troll</span></div>'
    assert described(top="<h1>Quiet days</h1><p>by the lake it is quiet</p>", bottom=bottom).authors == ()


@pytest.mark.parametrize(
    ("element", "published"),
    [
        ('<time datetime="2024-05-02T08:15:00+02:00">2 May</time>', "2024-05-02T08:15:00+02:00"),
        ("<p>Published on 2 May 2024</p>", "2024-05-02"),
        ('<span class="date">2. Mai 2024, 8:15 Uhr</span>', "2024-05-02T08:15:00"),
        ("<p>Публикация: 2 мая 2024</p>", "2024-05-02"),
        ("<p>2024年5月2日 8時15分</p>", "2024-05-02T08:15:00"),
        ("<p>Updated May 2, 2024</p>", "2024-05-02"),
    ],
)
def test_dates_near_the_headline(element: str, published: str):
    found = described(top=f"<h1>Quiet days at the harbour</h1>{element}")
    assert str(found.published) == published
    assert found.sources["published"] == "time"


def test_the_date_of_an_update_is_not_that_of_publication():
    found = described(top="<h1>Quiet days</h1><p>Published: 2 May 2024</p><p>Updated: 3 May 2024</p>")
    assert (str(found.published), str(found.modified)) == ("2024-05-02", "2024-05-03")


def test_the_address_may_hold_the_day():
    found = described(url="https://lake.example/2024/05/02/harbour")
    assert (str(found.published), found.sources["published"]) == ("2024-05-02", "url")


def test_no_date_is_invented():
    assert described(top="<h1>Quiet days</h1>").published is None
