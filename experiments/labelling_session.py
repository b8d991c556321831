"""A labeller simulated on the labelling page in Chromium, by the gold of a corpus: actions, time, the trained model.

Usage::

    python -m experiments.labelling_session --site nytimes.com --corpus dragnet.jsonl.xz --folder /tmp/nytimes

Twenty random pages of the site go to ``new-site.jsonl`` without their gold, the others with it to ``others.jsonl``. The
labeller accepts what is suggested rightly and corrects the rest by clicks: one for a block, two for a run of blocks. A
block is content where at least half of its words stand in the gold text. Then a model is trained from the page and
scored on the others. Needs the extra ``web``, Playwright and a Chromium (``--chromium``).
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from blockfeat.blocks.blockify import Blockifier
from blockfeat.blocks.tagtable import load_table
from blockfeat.data import LabelledPage, load_corpora, write_corpus
from blockfeat.data.align import align
from blockfeat.data.labels import BlockRoles, cut_digest
from blockfeat.extraction.extractor import Extractor
from blockfeat.io.inputs import Document
from blockfeat.monitor.fetching.rendering import find_chromium
from blockfeat.page.page import Page as ParsedPage
from blockfeat.training.evaluation.evaluate import score_model
from blockfeat.web.labelling.background import model_file
from blockfeat.web.labelling.pages import SessionPages, Suggester, text_of_roles
from blockfeat.web.labelling.session import LabelSession
from experiments.needs import check_needs

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["Actions", "main", "runs_of"]

ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
TIMEOUT = 600_000
TABLE = "html5"


def labelled_by_gold(page: LabelledPage) -> LabelledPage:
    """Return a page with the roles that a labeller of the corpus's mind would give its blocks, and their text."""
    blocks = Blockifier.of(load_table(TABLE)).cut(ParsedPage.parse(page.html, url=page.url))
    roles = tuple("content" if share >= 0.5 else "clutter" for share in align(blocks, page.text or "").share.tolist())
    return replace(page, text=text_of_roles(blocks, roles), roles=BlockRoles(TABLE, cut_digest(blocks), roles))


@dataclass
class Actions:
    """What the labeller saw and did."""

    blocks: int = 0
    wrong: int = 0
    clicks: int = 0
    keys: int = 0


def runs_of(have: Sequence[bool], want: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield first and last block of each run of blocks that are wrong in the same way."""
    first = 0
    while first < len(want):
        last = first
        if have[first] != want[first]:
            while last + 1 < len(want) and want[last + 1] == want[first] and have[last + 1] != want[last + 1]:
                last += 1
            yield first, last
        first = last + 1


def label(page: Page, gold: dict[str, list[bool]]) -> Actions:
    """Label all pages of the session that a browser shows."""
    done = Actions()
    for number in range(len(gold)):
        id = page.get_attribute("#title", "data-page") or ""
        roles = page.eval_on_selector_all("#blocks li", "items => items.map(item => item.dataset.role)")
        done.blocks += len(roles)
        for first, last in runs_of([role == "content" for role in roles], gold[id]):
            done.wrong += last - first + 1
            page.locator("#blocks li").nth(first).click()
            if last > first:
                page.locator("#blocks li").nth(last).click(modifiers=["Shift"])
            done.clicks += 1 + (last > first)
        page.keyboard.press("Enter")
        done.keys += 1
        page.wait_for_function(
            "n => document.getElementById('counts').textContent.startsWith(`${n} of`)", arg=number + 1
        )
        if number + 1 < len(gold):
            page.wait_for_function("id => document.getElementById('title').dataset.page !== id", arg=id)
            page.wait_for_timeout(100)
    return done


def train(page: Page) -> str:
    """Train the better of both kinds from the page; return what the page says of the curve."""
    page.keyboard.press("t")
    page.click("#start-training")
    page.wait_for_selector("#train-dialog .scores")
    return page.inner_text("#train-dialog figcaption")


@contextmanager
def served(session: LabelSession) -> Iterator[str]:
    """Serve the labelling page of a session in a thread; yield its address."""
    import uvicorn

    from blockfeat.web.app import bound_socket
    from blockfeat.web.guard import ServeSettings
    from blockfeat.web.labelling.app import create_label_app

    app = create_label_app(session, ServeSettings(requests_per_minute=0))
    with bound_socket("127.0.0.1", 0) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        thread.join()


def at_the_page(address: str, chromium: str, gold: dict[str, list[bool]]) -> tuple[Actions, float, str]:
    """Label and train in a browser; return the actions, the seconds that labelling took, and the curve in words."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.set_default_timeout(TIMEOUT)
        page.goto(address)
        page.wait_for_selector("#blocks li[data-current]")
        start = time.perf_counter()
        done = label(page, gold)
        seconds = time.perf_counter() - start
        curve = train(page)
        browser.close()
    return done, seconds, curve


def content_of(page: LabelledPage) -> list[bool]:
    """Return for each block of a page whether it is content by the gold."""
    roles = labelled_by_gold(page).roles
    return [role == "content" for role in roles.blocks] if roles is not None else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--corpus", action="append", required=True, help="corpus file; repeatable")
    parser.add_argument("--site", required=True, help="host of the pages")
    parser.add_argument("--folder", type=Path, required=True, help="folder for the pages, the labels and the model")
    parser.add_argument("--pages", type=int, default=20, help="pages to label")
    parser.add_argument("--seed", type=int, default=0, help="seed of their choice")
    parser.add_argument("--model", default="thresholds", help="model that suggests")
    parser.add_argument("--chromium", default="", help="path of Chromium; found by default")
    options = parser.parse_args(arguments)
    check_needs(modules=["playwright"], files=options.corpus)
    chromium = options.chromium or find_chromium()
    pages = [page for page in load_corpora(options.corpus) if page.host == options.site and page.text]
    random.Random(options.seed).shuffle(pages)
    chosen, others = pages[: options.pages], pages[options.pages :]
    options.folder.mkdir(parents=True, exist_ok=True)
    write_corpus(others, options.folder / "others.jsonl")
    output = options.folder / "labels.jsonl"
    if output.exists():
        parser.error(f"{output} is there already; a simulation starts anew")
    to_label = SessionPages.of(Document(page.id, page.html, page.url, page.lang) for page in chosen)
    gold = {page.id: content_of(page) for page in chosen}
    with (
        LabelSession(to_label, output, Suggester(Extractor.load(options.model))) as session,
        served(session) as address,
    ):
        done, seconds, curve = at_the_page(address, chromium, gold)
    to_label.close()
    print(f"{options.site}: {len(chosen)} pages, {done.blocks} blocks, {done.wrong} suggested wrongly")
    print(f"{done.clicks} clicks, {done.keys} keys, {seconds:.0f} s in the browser\n{curve}")
    for name in ("thresholds", "default", str(model_file(output))):
        print(f"{score_model(Extractor.load(name), others).mean('f1'):.3f} word F1 on {len(others)} others: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
