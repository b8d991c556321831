"""Pages whose text their scripts write, in a real browser that reaches nothing by itself."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs the extra render")
if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))):
    pytest.skip("no Chromium is installed", allow_module_level=True)

from blockfeat.monitor.config import MonitorConfig, PageSettings, Source
from blockfeat.monitor.fetching.options import Fetched
from blockfeat.monitor.fetching.rendering import Browser
from blockfeat.monitor.mentions.brand import Brand
from blockfeat.monitor.run import run_once
from blockfeat.monitor.store.store import Store
from fetching import OPTIONS, Web
from small_site import Site

pytestmark = pytest.mark.slow

_SHELL = b"""<!doctype html><html lang="en"><head><title>The harbour</title><script src="/app.js"></script></head>
<body><div id="root"></div></body></html>"""
_APP = b"""
document.addEventListener("DOMContentLoaded", async () => {
  const story = await (await fetch("/story.json")).json();
  document.getElementById("root").innerHTML = "<h1>" + story.title + "</h1><article>" +
    story.paragraphs.map((text) => "<p>" + text + "</p>").join("") + "</article>";
});
"""
_SENTENCE = "The Corvane ferry left the harbour at nine on day %d, and came back before it was dark with all guests."
_STORY = ('{"title": "Ferries", "paragraphs": [' + ", ".join(f'"{_SENTENCE % n}"' for n in range(9)) + "]}").encode()
_URL = "http://a.example/story"


def _parts(**parts: bytes) -> Web:
    web = Web()
    for name, data in parts.items():
        web.put(f"http://a.example/{name}", data, headers={"content-type": "text/javascript"})
    return web


def _rendered(html: bytes, parts: Web, *, seconds: float = 60.0) -> bytes | None:
    async def run() -> bytes | None:
        async with Browser(parts.fetch, seconds=seconds) as renderer:
            return await renderer.render(Fetched(_URL, _URL, 200, {"content-type": "text/html"}, html, "utf-8"))

    return asyncio.run(run())


def test_scripts_and_their_data_write_the_text() -> None:
    parts = _parts(**{"app.js": _APP, "story.json": _STORY})
    shown = _rendered(_SHELL, parts)
    assert b"on day 8" in shown
    assert parts.asked == ["http://a.example/app.js", "http://a.example/story.json"]


def test_all_but_scripts_and_their_data_is_refused() -> None:
    parts = _parts()
    html = b"""<link rel=stylesheet href=/s.css><img src=/i.png><iframe src=/f.html></iframe><video src=/v.mp4></video>
    <p id=out></p><script>
    new WebSocket("ws://a.example/socket"); navigator.sendBeacon("/beacon"); window.open("/popup");
    navigator.serviceWorker?.register("/worker.js");
    fetch("/post", {method: "POST", body: "x"}).catch(() => {
      document.getElementById("out").textContent = "refused";
    });
    fetch("/data.json").catch(() => 0);
    </script>"""
    shown = _rendered(html, parts)
    assert b"refused" in shown
    assert parts.asked == ["http://a.example/data.json"]


@pytest.mark.parametrize(
    "script",
    [
        "while (true) {}",
        "location = '/elsewhere'",
        "setInterval(() => { fetch('/more.json').catch(() => 0) }, 1)",
        "alert('stop'); document.title = confirm('go?')",
        "document.write('x'.repeat(30000000))",
    ],
)
def test_hostile_scripts_end_within_their_time(script: str) -> None:
    parts = _parts()
    shown = _rendered(b"<p>Text<script>%s</script>" % script.encode(), parts, seconds=8)
    assert shown is None or len(shown) < 20_000_000
    assert len(parts.asked) <= 60


def test_the_monitor_reads_what_a_browser_shows(site: Site, tmp_path: Path) -> None:
    site.answers = {
        "/robots.txt": (404, {}, b""),
        "/story": (200, {"ETag": '"1"'}, _SHELL),
        "/app.js": (200, {"Content-Type": "text/javascript"}, _APP),
        "/story.json": (200, {"Content-Type": "application/json"}, _STORY),
    }
    config = MonitorConfig(
        store=str(tmp_path / "m.db"),
        sources=(Source(f"{site.url}/story", kind="page"),),
        brands=(Brand("Corvane"),),
        fetch=replace(OPTIONS, render="auto", timeout=30),
        pages=PageSettings(jobs=0),
    )
    asyncio.run(run_once(config))
    with Store.open(config.store) as store:
        (page,) = store.rows("pages")
        mentions = list(store.rows("mentions", where="counted = 1"))
    assert page["status"] == "ok"
    assert "browser" in page["warnings"]
    assert (len(mentions), site.seen.count("/story")) == (9, 1)
