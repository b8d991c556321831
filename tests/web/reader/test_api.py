"""The JSON API."""

from functools import partial
from typing import Any

import httpx2
import jsonschema
import pytest

from blockfeat.extraction.extractor import extract
from blockfeat.io.outputs import FORMATS, record_schema, to_json_line
from blockfeat.web.guard import ServeSettings
from blockfeat.web.problems import PROBLEM_TYPE
from cases import CASES
from script_vectors import page_with
from served import Served, serving_reader
from small_site import Site

_PAGE = page_with("<p>The harbour master reads the letter <a href='/letter'>aloud</a> to all who came.</p>")
_HTML = {"Content-Type": "text/html; charset=utf-8"}


def _sent(client: httpx2.Client, path: str, **body: Any) -> Any:
    answer = client.post(f"/api/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _problem(answer: httpx2.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == PROBLEM_TYPE
    body = answer.json()
    assert body["status"] == answer.status_code
    return answer.status_code, body["detail"]


def test_extraction_is_that_of_the_library(client: httpx2.Client) -> None:
    found = _sent(client, "extract", html=_PAGE, url="https://news.example/a", formats=list(FORMATS), evidence=True)
    expected = extract(_PAGE, url="https://news.example/a")
    written = {"text": expected.to_text(), "markdown": expected.to_markdown()}
    assert found["outputs"] | written | {"json": to_json_line(expected, evidence=True)} == found["outputs"]
    assert (found["record"]["text"], list(found["outputs"])) == (expected.text, list(FORMATS))
    jsonschema.validate(found["record"], record_schema())


def test_options_reach_the_extraction(client: httpx2.Client) -> None:
    given = {"model": "thresholds", "decoder": "conjunction", "headline": False, "lang": "en", "favour": "recall"}
    found = _sent(client, "extract", html=_PAGE, **given)
    assert found["record"]["text"] == extract(_PAGE, **given).text
    with_links = _sent(client, "extract", html=_PAGE, url="https://a.example/", formats=["markdown"], links=True)
    assert "[aloud](https://a.example/letter)" in with_links["outputs"]["markdown"]


def test_blocks_are_explained(client: httpx2.Client) -> None:
    found = _sent(client, "explain", html=_PAGE, model="thresholds")
    assert [block["index"] for block in found["blocks"]] == list(range(len(found["blocks"])))
    features = {each["feature"] for each in found["blocks"][0]["features"]}
    assert {each["feature"] for each in found["thresholds"]} == features
    dropped = next(block for block in found["blocks"] if block["failed"])
    failed = [each for each in dropped["features"] if each["failed"]]
    assert [each["feature"] for each in failed] == dropped["failed"]
    assert all(each["threshold"].startswith("at ") and each["says"] for each in failed)
    one = _sent(client, "explain", html=_PAGE, blocks=[1, 10_000])
    assert [block["index"] for block in one["blocks"]] == [1]
    assert any(each["contribution"] for each in one["blocks"][0]["features"])
    assert all(block["features"] == [] for block in _sent(client, "explain", html=_PAGE, features=False)["blocks"])


def test_two_ways_are_compared(client: httpx2.Client) -> None:
    same = _sent(client, "compare", html=_PAGE, second={})
    assert same["agreement"] == 1
    assert same["first"]["differing"] == same["second"]["differing"] == []
    without = _sent(client, "compare", html=_PAGE, first={"headline": True}, second={"headline": False})
    assert without["first"]["differing"] == without["second"]["differing"] == [1]
    assert without["first"]["kept"] == without["second"]["kept"] + 1


def test_pages_are_cleaned(client: httpx2.Client) -> None:
    html = page_with("<form><p>Subscribe</p></form><img src=/i.png alt=Boat><script>x</script>")

    def cleaned(**chosen: Any) -> list[bool]:
        output = _sent(client, "clean", html=html, **chosen)["output"]
        return [part in output for part in ("Subscribe", "<img", "<script", "Boat")]

    assert cleaned() == [True, False, False, False]
    settings = {"filters": {"forms": True, "images": False}, "link_lists": {"remove": False}}
    assert cleaned(settings=settings) == [False, True, False, True]
    assert cleaned(settings={"filters": {"scripts": False}})[2] is False
    assert cleaned(settings={"filters": {"images_alt": True}}, format="text")[3]


def test_a_page_is_kept_by_html_address_and_file(client: httpx2.Client, site: Site) -> None:
    site.answers["/a"] = 200, _HTML, _PAGE.encode()
    kept = [_sent(client, "pages", html=_PAGE), _sent(client, "pages", url=f"{site.url}/a")]
    sent = client.post("/api/v1/files", files={"file": ("ferry.html", _PAGE.encode(), "text/html")})
    kept.append(sent.json())
    assert [each["name"] for each in kept] == [None, None, "ferry.html"]
    assert [each["url"] for each in kept] == [None, f"{site.url}/a", None]
    texts = {_sent(client, "extract", page=each["page"])["outputs"]["text"] for each in kept}
    assert texts == {extract(_PAGE).text}


def test_nothing_of_the_client_goes_along_with_a_fetch(client: httpx2.Client, site: Site) -> None:
    site.answers["/a"] = 200, _HTML | {"Set-Cookie": "session=1"}, _PAGE.encode()
    headers = {"Cookie": "secret=1", "Authorization": "Basic c2VjcmV0", "Referer": "https://intern.example/"}
    for _ in range(2):
        assert client.post("/api/v1/extract", json={"url": f"{site.url}/a"}, headers=headers).status_code == 200
    for seen in site.headers:
        assert not {"cookie", "authorization", "referer", "x-forwarded-for", "origin"} & {name.lower() for name in seen}


@pytest.mark.parametrize(("body", "reason"), CASES["wrong_requests_are_answered_by_reason"])
def test_wrong_requests_are_answered_by_reason(client: httpx2.Client, body: dict[str, Any], reason: str) -> None:
    status, detail = _problem(client.post("/api/v1/extract", json=body))
    assert (status, reason in detail, "Value error" in detail) == (422, True, False)


def test_other_problems_have_a_status_of_their_own(client: httpx2.Client, site: Site) -> None:
    def told(**body: str) -> tuple[int, str]:
        return _problem(client.post("/api/v1/extract", json=body))

    assert told(page="gone") == (404, "page 'gone' is not kept any more; send it again")
    pdf = client.post("/api/v1/files", files={"file": ("a.pdf", b"%PDF-1.4 ...")}).json()["page"]
    assert told(page=pdf)[0] == 415
    site.answers["/gone"] = 410, _HTML, b""
    assert told(url=f"{site.url}/gone") == (422, f"{site.url}/gone: the server answered 410 Gone")
    assert (_problem(client.get("/api/v1/extract"))[0], _problem(client.get("/api/v2/x"))[0]) == (405, 404)


def test_settings_from_clients_name_no_files(client: httpx2.Client) -> None:
    for wrong in (
        {"advertisements": {"lists": [{"file": "/etc/passwd"}]}},
        *({"link_lists": {"ratio": -1}}, {"filters": {"image": True}}, {"empty_tables": {"least_characters": -1}}),
    ):
        assert _problem(client.post("/api/v1/clean", json={"html": "x", "settings": wrong}))[0] == 422


def test_what_can_be_chosen(client: httpx2.Client, reader: Served) -> None:
    models = client.get("/api/v1/models").json()
    assert models["models"][0]["name"] == models["default"] == "default"
    assert {each["name"]: each["has_decoders"] for each in models["models"]}["thresholds"]
    options = client.get("/api/v1/options").json()
    assert [each["name"] for each in options["formats"]] == list(FORMATS)
    assert options["clean"]["filters"]["images"] is True
    health = client.get("/api/v1/health").json()
    assert (health["status"], health["pages_kept"]) == ("ok", len(reader.service.kept))


def test_only_public_addresses_unless_told_otherwise(site: Site) -> None:
    site.answers["/a"] = 200, _HTML, _PAGE.encode()
    client_of = partial(httpx2.Client, timeout=600, trust_env=False)
    with serving_reader(ServeSettings(jobs=1, max_bytes=50_000)) as strict, client_of(base_url=strict.url) as client:
        for url in (f"{site.url}/a", site.named("news") + "/a", "http://[::1]/", "http://169.254.169.254/", "10.0.0.1"):
            status, detail = _problem(client.post("/api/v1/extract", json={"url": url}))
            assert (status, "no public address" in detail) == (403, True), url
        assert (site.seen, client.get("/read", params={"url": f"{site.url}/a"}).status_code) == ([], 403)
        assert _problem(client.post("/api/v1/extract", json={"html": "x" * 60_000}))[0] == 413
