from collections.abc import Iterator

import httpx2
import pytest

from blockfeat.data.corpus import read_corpus
from blockfeat.io.inputs import Document
from blockfeat.models.store import load_model
from cases import CASES
from described_api import answers_as_described
from labelled_site_pages import ferry_pages, site, site_page
from labelling_page import LabellingPage, serving_labels


@pytest.fixture
def labelling(tmp_path) -> Iterator[LabellingPage]:
    odd = Document("odd/page?&#<script>", site_page(3), lang="en")
    with serving_labels([*site(2), odd], tmp_path / "labels.jsonl", model="margin") as served:
        yield served


@pytest.fixture
def api(labelling: LabellingPage) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=f"{labelling.url}/api/v1/label/", timeout=600, trust_env=False) as made:
        yield made


def test_a_page_is_marked_accepted_and_undone(api, labelling):
    start = api.get("session").json()
    assert start["progress"] == {"pages": 3, "done": 0, "skipped": 0, "bad": 0, "left": 3}
    assert {entry["state"] for entry in start["pages"]} == {"open"}
    name = "odd/page?&#<script>"
    found = api.get("page", params={"page": name}).json()
    assert found["title"] == "Story 3 of the harbour"
    content = [block["index"] for block in found["blocks"] if block["role"] == "content"]
    marked = api.post("mark", json={"page": name, "blocks": content[:2], "role": "caption"}).json()
    assert [block["index"] for block in marked["blocks"] if block["marked"]] == content[:2]
    assert marked["can_undo"]
    after = api.post("accept", json={"page": name}).json()
    assert (after["progress"]["done"], after["page"] in ("page-0", "page-1")) == (1, True)
    assert [page.id for page in read_corpus(labelling.session.output)] == [name]
    assert (api.post("undo").json()["page"], list(read_corpus(labelling.session.output))) == (name, [])
    assert api.post("redo").json() == {**after, "page": name}


@pytest.mark.parametrize(("path", "body"), CASES["what_cannot_be_is_a_problem_with_its_reason"])
def test_what_cannot_be_is_a_problem_with_its_reason(api, labelling, path: str, body: dict[str, object]):
    answer = api.post(path, json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert answer.json()["detail"]
    assert not labelling.session.can_undo


def test_from_the_fifth_page_of_a_site_on_its_rules_are_offered_with_the_pages_that_change(tmp_path):
    documents = [Document(page.id, page.html, url=page.url) for page in ferry_pages(7)]
    with (
        serving_labels([*documents, *site(1)], tmp_path / "labels.jsonl", model="default") as served,
        httpx2.Client(base_url=f"{served.url}/api/v1/label/", timeout=600, trust_env=False) as api,
    ):
        offers, kinds = [], []
        for document in documents[:5]:
            last = len(api.get("page", params={"page": document.id}).json()["blocks"]) - 1
            api.post("mark", json={"page": document.id, "blocks": [last - 1, last], "role": "clutter"})
            kinds.append(api.get("session").json()["kinds"][0])
            offers.append(api.post("accept", json={"page": document.id}).json().get("rules_for"))
        assert (offers, {*kinds}) == ([None] * 4 + ["ferries.example"], {"best"})
        assert api.get("session").json()["kinds"][0] == "rules"
        assert api.post("train", json={"kind": "rules"}).json()["kind"] == "rules"
        while (state := api.get("training").json())["phase"] == "running":
            pass
        assert (state["error"], state["is_used"]) == (None, True)
        result = state["result"]
        assert any(rule.startswith("ferries.example: drop .tips (") for rule in result["rules"])
        assert result["changes"].keys() == {document.id for document in documents[5:]}
        assert all(gone > 20 > come for gone, come in result["changes"].values())
        assert result["f1"] > 0.99 > result["others"]["default"]
        model = load_model(state["model_file"])
    assert (model.name, [*model.sites]) == ("labels.site", ["ferries.example"])


def test_another_site_cannot_label(api, labelling):
    body = {"page": "page-0"}
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"host": "evil.example"}):
        assert api.post("accept", json=body, headers=headers).status_code in (403, 421)
    assert api.post("accept", content="page=page-0", headers={"content-type": "text/plain"}).status_code == 422
    assert labelling.session.progress.done == 0


def test_the_frame_runs_nothing_and_shows_roles(labelling):
    hostile = '<p onclick="alert(1)">A paragraph of several words that stays.</p><script>alert(2)</script>'
    output = labelling.session.output.with_name("hostile.jsonl")
    with (
        serving_labels([Document("hostile", hostile)], output, model="margin") as served,
        httpx2.Client(base_url=served.url, timeout=600, trust_env=False) as client,
    ):
        answer = client.get("/label/frame", params={"page": "hostile"})
        for wrong in ({"page": "hostile", "look": "bare"}, {"page": "nobody"}):
            assert client.get("/label/frame", params=wrong).status_code == 422
        assert client.get("/").headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    policy = answer.headers["content-security-policy"]
    assert ("alert" in answer.text, 'data-verdict="content"' in answer.text) == (False, True)
    assert ("script-src" in policy, "sandbox allow-same-origin" in policy) == (False, True)


def test_training_needs_pages_and_says_so(api):
    api.post("accept", json={"page": "page-0"})
    assert api.post("train", json={"kind": "thresholds"}).json()["phase"] in ("running", "failed")
    for _ in range(600):
        state = api.get("training").json()
        if state["phase"] != "running":
            break
    assert state["phase"] == "failed"
    assert "needs 4 labelled pages" in state["error"]


def test_requests_after_the_description_never_break_the_service(labelling):
    assert answers_as_described(labelling.url, requests=5) == 12
    # Whatever was done, session and corpus file are sound.
    assert labelling.session.progress.pages == 3
    list(read_corpus(labelling.session.output))
