from blockfeat.data import LabelledPage
from experiments.web2text.retrieval import TeaserQuery, teaser_queries


def page(number, text, host="a.org"):
    return LabelledPage(id=str(number), html="", text=text, url=f"https://{host}/{number}")


PAGES = [
    page(0, "Harbour lights are lit again\nThe first text."),
    page(1, "Quarry closes after ten years\nThe second text."),
    page(2, "Quarry closes after ten years\nThe same headline once more."),
    page(3, "Short one\nThe fourth text."),
    page(4, "Harbour lights are lit again\nOn another site.", host="b.org"),
]


def test_headlines_that_other_pages_carry_outside_of_their_gold():
    texts = [page.text for page in PAGES]
    texts[1] += " More news: HARBOUR LIGHTS are lit again"
    texts[3] += " More: Harbour lights are lit again. Quarry closes after ten years"
    assert teaser_queries(PAGES, texts) == [TeaserQuery("Harbour lights are lit again", 0, 2)]


def test_without_teasers_there_are_no_queries():
    assert teaser_queries(PAGES, [page.text for page in PAGES]) == []
