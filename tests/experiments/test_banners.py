"""The pages with banners."""

from experiments.banners import CONTAINERS, made_pages


def test_every_container_stands_before_and_behind_articles_of_three_lengths() -> None:
    pages = list(made_pages("A < B", ("Accept?", "Or not?"), tuple(f"Paragraph {number}" for number in range(9))))
    assert len(pages) == 3 * 2 * len(CONTAINERS) == len({page.html for page in pages})
    assert {len(page.article) for page in pages} == {2, 5, 9}
    for page in pages:
        assert "<h1>A &lt; B</h1>" in page.html
        assert all(page.html.count(f"<p>{text}</p>") == 1 for text in (*page.banner, *page.article))
