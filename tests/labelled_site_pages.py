"""A small site for the tests of labelling: pages of one layout, written for them."""

from blockfeat.data.corpus import LabelledPage
from blockfeat.io.inputs import Document

NAMES = ("Anna Voss", "Piet Maas", "Ilse Brandt")
SENTENCES = (
    "The ferry to the islands has been taken out of service for the winter and will be painted blue.",
    "Its captain told the council that the old engine will hold for another ten years at least.",
    "Passengers can take the mail boat on Tuesdays, which carries twelve people and a number of goats.",
    "Nobody on the quay believed that the timetable would be printed before the first snow had melted.",
    "A school class counted the seals on the sandbank and found thirty-one, four more than last year.",
)


def site_page(number: int, paragraphs: int = 4) -> str:
    """Return one page of the site, without a newline in its source."""
    body = "".join(
        f"<p>{SENTENCES[(number + place) % 5]} {SENTENCES[(number + 2 * place + 1) % 5]}</p>"
        for place in range(paragraphs)
    )
    links = "".join(f'<li><a href="/{place}">Section {place}</a></li>' for place in range(6))
    teasers = "".join(
        f'<p><a href="/t{place}">Read more about story number {place} of the week</a></p>' for place in range(4)
    )
    return (
        f'<!doctype html><html lang="en"><head><title>Story {number} of the harbour</title></head><body>'
        f"<nav><ul>{links}</ul></nav><h1>Story {number} of the harbour</h1>"
        f'<p class="byline">By {NAMES[number % 3]}, {number % 27 + 1} May 2024</p>{body}'
        f"<h2>More stories</h2>{teasers}<footer><p>The Harbour Courier, all rights reserved.</p></footer></body></html>"
    )


def site(count: int) -> list[Document]:
    """Return pages of the site as documents."""
    return [
        Document(id=f"page-{number}", data=site_page(number), url=f"https://courier.example/{number}", lang="en")
        for number in range(count)
    ]


def prose(number: int) -> str:
    """Sentences whose nouns no other number has."""
    nouns = [f"{noun}{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}" for noun in ("ferr", "harb", "isl")]
    return " ".join(
        f"The {noun} of the old {nouns[0]}{end} was seen by all of them." for noun in nouns for end in "uvwxyz"
    )


def ferry_pages(count: int, *, host: str = "ferries.example", tips: bool = True) -> list[LabelledPage]:
    """Pages whose tips are prose as their text is, but no part of it."""
    found = []
    for number in range(count):
        text, beside = prose(number), f"<p>{prose(number + 50)}</p><p>{prose(number + 70)}</p>" if tips else ""
        body = f"<main><h1>News {number}</h1><p>{text}</p><div class=tips>{beside}</div></main>"
        url = f"https://{host}/{number}"
        found.append(LabelledPage(id=f"{host}{number}", html=f"<html><body>{body}</body></html>", text=text, url=url))
    return found
