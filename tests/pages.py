"""Small pages written for the tests."""

SENTENCES = (
    "The harbour council met on Tuesday and agreed, after a long debate, to repair the old lighthouse.",
    "It was built by the fishermen of the town when there was no other light on that part of the coast.",
    "Nobody knows who paid for it, but the stones came from a quarry that is now under the lake.",
    "The work will begin in spring and should be finished before the first storms of the autumn arrive.",
)
PARAGRAPHS = tuple(f"{SENTENCES[number]} {SENTENCES[(number + 1) % 4]}" for number in range(4))
GOLD = "\n".join(PARAGRAPHS)
BRAND = "Zephyrona"


def article_page(paragraphs: int = 4) -> str:
    """Return a page with an article between a navigation and a list of teasers that name a brand."""
    body = "".join(f"<p>{PARAGRAPHS[number % 4]}</p>" for number in range(paragraphs))
    links = "".join(f'<li><a href="/{number}">Section {number}</a></li>' for number in range(12))
    teasers = "".join(f'<li><a href="/t{number}">{BRAND} opens shop {number}</a></li>' for number in range(6))
    return (
        '<!doctype html><html lang="en"><head><title>Lighthouse to be repaired</title></head><body>'
        f"<nav><ul>{links}</ul></nav><main><h1>Lighthouse to be repaired</h1>{body}</main>"
        f"<aside><h2>Related</h2><ul>{teasers}</ul></aside>"
        "<footer><a href='/imprint'>Imprint</a></footer></body></html>"
    )
