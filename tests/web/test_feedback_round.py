"""A run over the demo server, verdicts and a lesson in a browser, and what `monitor rematch` makes of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

from blockfeat.monitor.config import example_config
from blockfeat.monitor.demo import DemoServer
from blockfeat.monitor.store.store import Store
from command_line import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_HOST, _PLACE = "docs.quillstack.localhost", "/html/body/div/main/div/pre"
_RULE = f"dropped: a rule of the site, drop {_PLACE}"


def _monitor(folder: Path, *words: str) -> None:
    # In a process of its own: here the loop of the browser runs.
    program = [sys.executable, "-c", "from blockfeat.cli import main; main()", "monitor", *words]
    subprocess.run(program, cwd=folder, check=True, timeout=600)


def _judge_article(page: Page, address: str) -> int:
    """Give each counted mention of an article its verdict: what stands in code is no part of it. Return how many."""
    page.goto(address)
    forms = page.locator("form.verdicts:has([value=right])")
    for number in range(forms.count()):
        form = forms.nth(number)
        marked = form.locator("xpath=preceding-sibling::a[1]").locator("mark").inner_text()
        verdict = "not in the article" if marked == "quillstack" else "right"
        form.locator(f'[value="{verdict}"]').click()
        form.locator(f'[value="{verdict}"][aria-pressed=true]').wait_for()
    return forms.count()


def _in_code(folder: Path) -> list[tuple[bool, str | None]]:
    with Store.open(str(folder / "monitor.db")) as store:
        rows = store.query(
            "SELECT m.counted, m.rule FROM mention m JOIN page p ON p.id = m.page_id "
            "WHERE p.host LIKE :host AND m.xpath LIKE '%/pre%'",
            {"host": f"{_HOST}:%"},
        )
        return [(bool(row["counted"]), row["rule"]) for row in rows]


def test_verdicts_become_a_lesson_that_a_rematch_follows(browser: Browser, tmp_path: Path) -> None:
    with DemoServer() as demo:
        config = example_config().replace("demo.localhost:8750", f"demo.localhost:{demo.port}")
        (tmp_path / "monitor.toml").write_text(config, encoding="utf-8")
        _monitor(tmp_path, "run", "monitor.toml", "--quiet")
    before = _in_code(tmp_path)
    assert len(before) >= 3
    assert set(before) == {(True, None)}
    context = browser.new_context()
    context.set_default_timeout(120_000)
    page = context.new_page()
    with serving("monitor", "serve", "monitor.toml", "--feedback", folder=tmp_path) as (address, *_):
        page.goto(address)
        links = page.locator(".stream a.evidence").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        judged = sum(_judge_article(page, address + link) for link in links)
        assert judged >= 20
        page.goto(f"{address}/lessons")
        proposal = page.locator("section.article", has_text=f"quillstack.localhost: drop {_PLACE}, no part of the")
        proposal.get_by_role("button", name="Accept").click()
        page.get_by_role("button", name="Forget").wait_for()
        assert set(_in_code(tmp_path)) == {(True, None)}
        _monitor(tmp_path, "rematch", "monitor.toml")
        after = _in_code(tmp_path)
        assert [counted for counted, _ in after] == [False] * len(before)
        assert all(rule is not None and rule.startswith(_RULE) for _, rule in after)
        page.goto(f"{address}/?brand=Quillstack&counted=no")
        assert page.get_by_text(_RULE).count() > 0
        page.goto(f"{address}/lessons")
        assert page.locator("section.article", has_text=_PLACE).count() == 0
        page.get_by_role("button", name="Forget").click()
        page.get_by_text("None yet").wait_for()
        _monitor(tmp_path, "rematch", "monitor.toml")
        assert set(_in_code(tmp_path)) == {(True, None)}
    context.close()
