"""Pages of one site, written for the tests: most have a promotion in their footer, one has it amid its text."""

from pages import SENTENCES

PROMOTION = (
    "Zephyrona brings you the news of the harbour every morning, and whoever signs up this week reads the first month "
    "for nothing at all."
)
STORIES = (
    ("the bridge", "the mayor", "the river"),
    ("the school", "the teacher", "the park"),
    ("the ferry", "the captain", "the island"),
    ("the theatre", "the singer", "the square"),
    ("the bakery", "the baker", "the market"),
)


def story_page(number: int, *, promoted: bool = False, site: str | None = None) -> str:
    """Return a page with its own story; the promotion stands in its footer, or amid its text."""
    what, who, where = STORIES[number % len(STORIES)]
    told = [
        f"On day {number} {who} said that {what} near {where} would be open again before the end of the week.",
        f"Many people had waited for {number + 2} months, and {who} thanked all of them for their patience.",
        f"Until now nobody could get to {where} without a long walk, which was hard for the old and the ill.",
        f"The work on {what} had cost more than planned, but {who} did not want to say how much it was.",
    ]
    told.insert(2, PROMOTION if promoted else SENTENCES[number % 4])
    body = "".join(f"<p>{text}</p>" for text in told)
    canonical = f'<link rel="canonical" href="https://{site}/{number}">' if site else ""
    footer = "" if promoted else f"<p>{PROMOTION}</p>"
    links = "".join(f'<li><a href="/{place}">Section {place}</a></li>' for place in range(12))
    return (
        f'<!doctype html><html lang="en"><head><title>News of {what}</title>{canonical}</head><body>'
        f"<nav><ul>{links}</ul></nav><main><article><h1>News of {what}</h1>{body}</article></main>"
        f'<footer class="newsletter promo">{footer}<a href="/imprint">Imprint</a></footer></body></html>'
    )
