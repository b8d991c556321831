"""The live page of a monitor: filters, stream, charts, evidence, feeds, file."""

import csv
import io
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra monitor")

import html5lib
from starlette.testclient import TestClient

from blockfeat.errors import how_many
from blockfeat.monitor.config import CopySettings, SavedView, Source
from blockfeat.monitor.mentions.mention import around
from blockfeat.monitor.page import Article, overview, report_page, stream
from blockfeat.monitor.reports import Filters, counts, mention_rows
from blockfeat.monitor.store.mentions import VERDICTS
from blockfeat.monitor.store.schema import MENTION_COLUMNS
from blockfeat.monitor.store.store import Store
from blockfeat.web.guard import ServeSettings
from blockfeat.web.live.app import create_live_app
from blockfeat.web.problems import PROBLEM_TYPE
from live_page import EVIDENCE
from stored_pages import NOW, add, execute, mention, other_story, record, save, save_on_day, story

_EVIL = '<script>alert("x")</script>'
_ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An article, its copy, an article in French of another brand, and a page with a brand in its menu only."""
    found = mention(f"Corvane {_EVIL}")
    article = record(story(0, 60), found, title=_EVIL, kind="article", evidence=EVIDENCE)
    french = record("Un texte.", mention("Le Rex 100% İĞNE ılık", brand="Le Rex"), title="=1+1", lang="fr")
    menu = record("x", mention("Le Rex", brand="Le Rex", counted=False), title=None, lang="fr")
    with Store.open(str(tmp_path / "m.db")) as opened:
        for number, read in enumerate((article, article, french, menu)):
            save_on_day(opened, number, read)
        yield opened


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    views = [SavedView(name="Le français", lang=("fr",)), SavedView(name="Today", days=1, words="Norvik OR texte")]
    app = create_live_app(store, title="Ours & theirs", settings=ServeSettings(requests_per_minute=0), views=views)
    with TestClient(app, base_url="http://localhost") as made:
        yield made


def _text(client: TestClient, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    html5lib.HTMLParser(strict=False).parse(answer.text)
    return str(answer.text)


def test_the_page_shows_what_counts_and_runs_nothing_of_the_pages(client: TestClient) -> None:
    page = _text(client, "/")
    for shown in ("Ours &amp; theirs", "&lt;script&gt;", "<mark>Corvane</mark>", "<mark>Le Rex</mark> 100%"):
        assert shown in page
    assert not [left_out for left_out in (_EVIL, "dropped: a list of links") if left_out in page]
    assert "/?view=Le%20fran%C3%A7ais" in page
    policy = client.get("/").headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


_SHOWING = {
    ("Corvane", "Le Rex"): ("", "brand=Corvane&brand=Le+Rex", "brand=&since=&until=&q="),
    ("Corvane",): ("brand=Corvane", "source=h0.example", "kind=article", "until=2026-01-05"),
    ("Le Rex",): (
        *("lang=fr", "since=2026-01-07", "q=REX+100%25", "q=%25", "view=Le+fran%C3%A7ais", "view=Today&since="),
        *("q=iğne+ILIK", "q=İĞne", "q=ığne"),
    ),
    (): ("view=Le+fran%C3%A7ais&brand=Corvane", "view=Today", "place=headline", "q=_", "brand=%27+OR+1%3D1+--"),
}


@pytest.mark.parametrize(("brands", "query"), [(brands, query) for brands in _SHOWING for query in _SHOWING[brands]])
def test_filters(client: TestClient, query: str, brands: tuple[str, ...]) -> None:
    rows = client.get(f"/api/v1/mentions?{query}").json()
    table = csv.DictReader(io.StringIO(client.get(f"/mentions.csv?{query}").text))
    assert {row["brand"] for row in rows} == {row["brand"] for row in table} == set(brands)


def test_a_name_is_marked_where_it_stands_alone() -> None:
    assert around({"sentence": "Ανθρώπους που", "match": "που"}) == ("Ανθρώπους ", "που", "")
    assert around({"sentence": "Volkswagenkonzern", "match": "Volkswagen"}) == ("", "Volkswagen", "konzern")


def test_each_mention_of_a_sentence_is_marked_at_its_own_place(client: TestClient, store: Store) -> None:
    sentence = "A Corvaneship meets Corvane, and Corvane sails."
    spans = {at: {"start": at + 40, "stop": at + 47, "counted": at != 20} for at in (20, 33)}
    twice = [mention(sentence, place="body", **span) for span in spans.values()]
    save_on_day(store, 8, record(other_story(), *twice, title="Twice"))
    page = _text(client, "/")
    second = "A Corvaneship meets Corvane, and <mark>Corvane</mark> sails."
    assert (second in page, "meets <mark>" in page) == (True, False)
    number = store.query("SELECT id FROM page WHERE title = 'Twice'")[0]["id"]
    evidence = _text(client, f"/article/{number}")
    assert (second in evidence, "meets <mark>Corvane</mark>, and Corvane" in evidence) == (True, True)


def test_what_does_not_count_is_shown_with_its_reason_where_it_is_asked_for(client: TestClient) -> None:
    rows = client.get("/api/v1/mentions?counted=no").json()
    reasons = {row["brand"]: row["not_counted_because"] for row in rows}
    assert reasons == {"Corvane": "copy of https://h0.example/", "Le Rex": "dropped: a list of links"}
    assert "not counted: dropped: a list of links" in _text(client, "/?counted=no")
    assert len(client.get("/api/v1/mentions?counted=all").json()) == 4


def test_sentences_stand_in_the_direction_of_their_language(client: TestClient, store: Store) -> None:
    sentence = "\u0628\u0646\u0643 Corvane \u062b\u0645."
    save_on_day(store, 8, record(other_story(), mention(sentence), title="Right", lang="ar"))
    number = store.query("SELECT id FROM page WHERE title = 'Right'")[0]["id"]
    assert '<bdi lang="ar" dir="rtl">\u0628\u0646\u0643 <mark>' in _text(client, f"/article/{number}")


def test_a_wrong_filter_is_a_problem_that_names_it(client: TestClient) -> None:
    for query in ("counted=maybe", "since=yesterday", "view=Other"):
        answer = client.get(f"/?{query}")
        assert (answer.status_code, query.split("=")[0] in answer.text) == (422, True)
    for query in ("since=0001-01-01", "until=9999-12-31", "until=0001-01-01", "since=9999-12-31"):
        assert (client.get(f"/?{query}").status_code, client.get(f"/api/v1/new?{query}").status_code) == (200, 200)


def test_copies_stand_with_their_story(client: TestClient, store: Store) -> None:
    articles = stream(store, Filters(counted="all")).articles
    story = next(article for article in articles if article.head["brand"] == "Corvane")
    assert (story.head["url"], [row["url"] for row in story.others]) == ("https://h0.example/", ["https://h1.example/"])
    # Also where the mention in the copy was found first.
    rows = [row | {"number": -row["number"]} for row in story.rows]
    assert Article(rows).head["url"] == "https://h0.example/"
    assert "1 more article of this story" in _text(client, "/?counted=all")


def test_the_stream_goes_on_where_it_ended(store: Store) -> None:
    for number in range(10, 40):
        text = f"Quite another text, number {number}, of a page that says nothing else."
        save_on_day(store, number, record(text, mention(f"Orlam {number}", brand="Orlam"), title=None))
    part = stream(store, Filters())
    seen = [row["number"] for article in part.articles for row in article.rows]
    while part.before is not None:
        part = stream(store, Filters(), before=part.before)
        seen += [row["number"] for article in part.articles for row in article.rows]
    assert len(seen) == len(set(seen)) == 32
    assert seen == sorted(seen, reverse=True)


def test_numbers_are_those_of_the_period_and_of_the_one_before(store: Store) -> None:
    found = overview(store, Filters(since="2026-01-07", until="2026-01-08"), today=date(2026, 1, 9))
    assert (found.total(), found.total(is_now=False)) == (1, 1)
    assert found.shares("brand") == [("Le Rex", 1, 1, 0), ("Corvane", 0, 0, 1)]
    assert found.shares("source") == [("h2.example", 1, 1, 0), ("h0.example", 0, 0, 1)]
    step, steps, series, before, read = found.series
    assert read == {"2026-01-07": 1, "2026-01-08": 1}
    assert (step, steps) == ("day", ["2026-01-07", "2026-01-08"])
    assert (series, before) == ({"Le Rex": {"2026-01-07": 1}}, {"2026-01-07": 1})


def test_without_days_the_last_thirty_count_or_else_all(store: Store) -> None:
    assert overview(store, Filters(), today=date(2026, 1, 20)).since == date(2025, 12, 22)
    late = overview(store, Filters(), today=date(2027, 1, 20))
    assert (late.since, late.until, late.total()) == (date(2026, 1, 5), date(2026, 1, 7), 2)


def test_charts_answer_to_the_filters_and_lead_to_their_days(client: TestClient) -> None:
    page = _text(client, "/?brand=Corvane&since=2026-01-04&until=2026-01-06")
    assert 'href="/?brand=Corvane&amp;since=2026-01-05&amp;until=2026-01-05"' in page
    assert "2026-01-05; before" not in page
    assert "2026-01-05: Corvane 1; 1 article read" in page
    assert "2026-01-06: none; before: 1; 0 articles read" in _text(client, "/?since=2026-01-06&until=2026-01-06")


def test_sources_have_the_names_of_their_feeds(client: TestClient, store: Store) -> None:
    store.add_sources([Source(url="https://feeds.example/rss")], [], now=NOW)
    execute(store, "UPDATE feed SET title = 'Harbour & Post'", "UPDATE page SET feed_id = (SELECT id FROM feed)")
    shown = 'title="https://feeds.example/rss">Harbour &amp; Post</a>'
    assert shown in _text(client, "/?since=2026-01-01&until=2026-01-31")
    assert ">Harbour &amp; Post</td>" in report_page(store)
    # A host chooses too what a feed has named.
    assert [row["host"] for row in client.get("/api/v1/mentions?source=h2.example").json()] == ["h2.example"]


def test_the_evidence_of_an_article(client: TestClient, store: Store) -> None:
    numbers = {row["url"]: row["id"] for row in store.query("SELECT id, url FROM page")}
    page = _text(client, f"/article/{numbers['https://h0.example/']}")
    assert 'id="b1" class="kept"' in page
    assert "dropped: links" in page
    assert page.count("<mark>Corvane</mark>") == 2
    assert _EVIL not in page
    assert "Un texte." in _text(client, f"/article/{numbers['https://h2.example/']}")
    assert client.get("/article/999").status_code == 404


def test_feeds_of_a_filter(client: TestClient) -> None:
    atom = client.get("/feed.atom?brand=Corvane")
    assert atom.headers["content-type"].startswith("application/atom+xml")
    tree = ElementTree.fromstring(atom.content)
    (entry,) = tree.findall(f"{_ATOM}entry")
    assert entry.findtext(f"{_ATOM}title") == f"Corvane: {_EVIL}"
    assert entry.findtext(f"{_ATOM}id", "").startswith("urn:blockfeat:mention:")
    assert tree.findtext(f"{_ATOM}title") == "Ours & theirs: Corvane"
    assert [link.get("href") for link in entry.findall(f"{_ATOM}link")] == ["https://h0.example/"]
    assert client.get("/feed.atom?brand=nobody").status_code == 200
    for query in ("", "?brand=Corvane", "?view=Today"):
        links = ElementTree.fromstring(client.get(f"/feed.atom{query}").content).findall(f"{_ATOM}link")
        base = "http://localhost/"
        assert {link.get("rel"): link.get("href") for link in links} == {
            "self": f"{base}feed.atom{query}",
            "alternate": base + query,
        }


def test_feeds_and_answers_are_bounded_and_files_are_not(client: TestClient, store: Store) -> None:
    many = [mention(f"Orlam {number}", brand="Orlam", start=number) for number in range(1_005)]
    save_on_day(store, 9, record("Orlam of another page.", *many))
    assert len(client.get("/api/v1/mentions?brand=Orlam").json()) == 1_000
    assert len(ElementTree.fromstring(client.get("/feed.atom?brand=Orlam").content).findall(f"{_ATOM}entry")) == 50
    assert client.get("/mentions.csv?brand=Orlam").text.count("\n") == 1_006
    assert client.get("/api/v1/new?brand=Orlam").json() == {"new": 1_005}
    # An empty answer would pass for the end.
    assert client.get("/api/v1/mentions?before=purged").status_code == 422


def test_only_the_api_is_described(store: Store) -> None:
    client = TestClient(create_live_app(store, feedback=True), base_url="http://localhost")
    paths = client.get("/openapi.json").json()["paths"]
    kinds = {"200": ["application/json"]} | {str(status): [PROBLEM_TYPE] for status in (401, 403, 421, 422, 429, 503)}
    described = {path: paths[path]["get"]["responses"] for path in paths}
    assert {path: {status: [*answer["content"]] for status, answer in described[path].items()} for path in paths} == {
        f"/api/v1/{name}": kinds for name in ("mentions", "new")
    }


def test_the_file_of_what_is_shown_has_no_formulas(client: TestClient) -> None:
    answer = client.get("/mentions.csv?lang=fr&counted=all")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["brand"], row["counted"]) for row in rows] == [("Le Rex", "1"), ("Le Rex", "0")]
    assert rows[0]["title"] == "'=1+1"
    assert list(rows[0]) == list(client.get("/api/v1/mentions").json()[0]) == list(MENTION_COLUMNS)
    assert "mentions.csv" in answer.headers["content-disposition"]


def test_new_mentions_are_counted(client: TestClient, store: Store) -> None:
    newest = stream(store, Filters()).newest
    assert client.get(f"/api/v1/new?after={newest}").json() == {"new": 0}
    for query in ("?after=0&brand=Corvane", "?brand=Corvane"):
        assert client.get(f"/api/v1/new{query}").json() == {"new": 1}


def test_nothing_can_be_changed_and_other_sites_cannot_ask(client: TestClient) -> None:
    assert client.post("/").status_code in (403, 405)
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421


def test_an_empty_store_says_what_to_do(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "none.db")) as empty:
        client = TestClient(create_live_app(empty), base_url="http://localhost")
        assert "once a run has found some: <code>blockfeat monitor FILE --once</code>" in client.get("/").text
        assert client.get("/mentions.csv").text.count("\n") == 1


def test_without_feedback_nothing_can_be_judged(client: TestClient) -> None:
    assert client.post("/feedback", data={"mention": "x", "verdict": "right"}).status_code in (404, 405)
    assert client.get("/lessons").status_code == 404
    assert 'class="verdicts"' not in client.get("/").text


def test_of_a_name_outside_of_the_article_one_can_say_but_that_it_was_missed(store: Store) -> None:
    inside = mention(counted=False, place="body", rule="unsure: x", because="unsure: x")
    for number, found in enumerate((inside, mention(counted=False, rule="unsure: x")), 8):
        save_on_day(store, number, record(other_story(number), found))
    client = TestClient(create_live_app(store, feedback=True), base_url="http://localhost")
    (asked,) = (row["id"] for row in client.get("/api/v1/mentions?counted=unsure").json())
    rows = client.get("/api/v1/mentions?counted=no&brand=Corvane&since=2026-01-13").json()
    assert len(rows) == 2
    for row in rows:
        page = _text(client, f"/?counted=no&since={row['day']}&until={row['day']}")
        verdicts = [verdict for verdict in VERDICTS if f'value="{verdict}"' in page]
        assert verdicts == (["right", "wrong sense"] if row["id"] == asked else ["missed"])


def test_mentions_are_judged_on_the_page(store: Store) -> None:
    app = create_live_app(store, settings=ServeSettings(allowed_hosts=("testserver",)), feedback=True)
    client = TestClient(app)
    key = store.query("SELECT key FROM mention WHERE counted ORDER BY id DESC LIMIT 1")[0]["key"]
    form = {"mention": key, "verdict": "wrong sense", "back": "/?brand=Corvane"}
    own, foreign = form["back"], ("https://evil.example/", "//evil.example/", "/\\evil.example")
    for back, target in ((own, own), *((back, "/") for back in foreign)):
        answer = client.post("/feedback", data=form | {"back": back}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, target)
    assert 'value="wrong sense" aria-pressed="true"' in client.get("/").text
    for wrong in ({"verdict": "bad"}, {"mention": "nobody"}):
        assert client.post("/feedback", data=form | wrong).status_code == 422
    assert client.post("/feedback", data=form, headers={"origin": "https://evil.example"}).status_code == 403
    assert "1 mention judged" in client.get("/lessons").text
    assert client.post("/lessons", data={"subject": "Corvane"}).status_code == 422


def test_a_lesson_is_accepted_and_forgotten_on_its_page(store: Store) -> None:
    app = create_live_app(store, settings=ServeSettings(allowed_hosts=("testserver",)), feedback=True)
    client = TestClient(app)
    for number in range(20):
        for host, place in (("a.example", "aside"), ("b.example", "section")):
            found = mention(f"Corvane {number}", xpath=f"/html/body/{place}/p")
            save(store, f"{host}/{number}", f"{host}: Corvane {number}", found, copies=CopySettings(find=False))
    for row in store.query("SELECT m.key FROM mention m WHERE m.xpath LIKE '/html/body/%'"):
        store.judge(row["key"], "not in the article", now=NOW)
    subject = "b.example /html/body/section/p"
    for form, kept in (({}, [subject]), ({"forget": "true", "back": "/"}, [])):
        answer = client.post("/lessons", data={"subject": subject, **form}, follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, form.get("back", "/lessons"))
        assert [lesson[1] for lesson in store.lessons()] == kept


_CHOSEN = "brand=|brand=Corvane|brand=Le Rex|brand=Ports|lang=fr|source=h0.example|place=headline|kind=article|q=REX"


@pytest.mark.parametrize("counted", ["yes", "no", "all", "unsure"])
@pytest.mark.parametrize("chosen", [*_CHOSEN.split("|"), "words=ships", "words=texte OR x", "since=2026-01-07"])
def test_figures_are_the_same_wherever_they_stand(client: TestClient, store: Store, chosen: str, counted: str) -> None:
    """On the page, in its file, its feed, the API, the report and the export, whatever the filter is."""
    both = [mention("Corvane", place="headline"), mention("Corvane and Le Rex"), mention("Le Rex", brand="Le Rex")]
    both.append(mention("Corvane ports", brand="Ports", variant="query"))
    doubt = {"counted": False, "rule": "unsure: or", "because": "unsure: or"}
    both += [mention(f"{brand} or not", brand=brand, **doubt) for brand in ("Corvane", "Le Rex")]
    for number, kind in ((4, "article"), (5, "other")):
        save_on_day(store, number, record(other_story(number), *both, kind=kind, title=f"Two {number}"))
    decided = store.query("SELECT key FROM mention WHERE rule = 'unsure: or' ORDER BY id")[0]["key"]
    store.judge(decided, "wrong sense", now=NOW)
    name, value = chosen.split("=")
    filters = Filters.model_validate({name: value if name in ("q", "words", "since") else [value], "counted": counted})
    address, rows = f"/api/v1/mentions?{filters.query()}&limit=2", []
    while address:
        answer = client.get(address)
        rows += answer.json()
        address = answer.links.get("next", {}).get("url", "")
    ids, urls = [row["id"] for row in rows], {row["url"] for row in rows}
    assert decided not in ids or counted in ("no", "all")
    assert len(ids) == {"brand=": 3, "brand=Corvane": 1}.get(chosen, len(ids)) or counted != "unsure"
    assert [answer.headers[f"x-total-{name}"] for name in ("count", "articles")] == [str(len(ids)), str(len(urls))]
    files = csv.DictReader(io.StringIO(client.get(f"/mentions.csv?{filters.query()}").text))
    assert [row["id"] for row in files] == ids[::-1]
    assert [*mention_rows(store, filters)] == [row for row in store.rows("mentions") if row["id"] in ids]
    feed = client.get(f"/feed.atom?{filters.query()}").content
    assert len(ElementTree.fromstring(feed).findall(f"{_ATOM}entry")) == len(ids)
    articles, mentions = how_many(len(urls), "article").split(), how_many(len(ids), "mention")
    said = f"<strong>{articles[0]}</strong> {articles[1]} with {mentions}"
    whole = filters.model_copy(update={"since": filters.since or date(2026, 1, 5), "until": date(2026, 1, 11)})
    assert said in _text(client, f"/?{whole.query()}")
    assert said in report_page(store, whole)
    if counted == "yes":
        (count,) = counts(store, (), filters)
        assert (count.articles, count.mentions) == (len(urls), len(ids))


def test_an_article_counts_once_for_a_brand_and_queries_stand_apart(store: Store) -> None:
    both = [mention(), mention(), mention("Le Rex", brand="Le Rex"), mention(brand="Ports", variant="query")]
    save_on_day(store, 4, record(other_story(), *both))
    found = overview(store, Filters(lang=["en"]), today=date(2026, 1, 9))
    assert (found.total(), found.total("mentions"), found.all_read()) == (2, 5, 2)
    assert found.shares("brand") == [("Corvane", 2, 3, 0), ("Le Rex", 1, 1, 0)]
    assert found.shares("query") == [("Ports", 1, 1, 0)]
    # Of many brands ten have a bar, and the page says that there are more.
    save_on_day(store, 5, record(other_story(5), *(mention(brand=f"Brand {number}") for number in range(12))))
    page = report_page(store)
    assert [said for said in ("and 4 more", "<h2>Articles by day and brand, ") if said not in page] == []
    assert page.count('<td class="bar">') == 10 + 1 + 4 + 2
    # The monitor was not there before: no comparison.
    assert (found.collecting, found.has_before) == (date(2026, 1, 5), False)


def test_a_boolean_query_chooses_articles_however_many_they_are(client: TestClient, store: Store) -> None:
    def brands(words: str) -> set[str]:
        return {row["brand"] for row in client.get("/api/v1/mentions", params={"words": words}).json()}

    assert (brands("ships NOT nonexistentword"), brands("nonexistentword")) == ({"Corvane"}, set())
    assert client.get("/", params={"words": "(open"}).status_code == 422
    for page in add(store, *(f"a.example/{number}" for number in range(510))):
        save(store, page, "The harbour.", mention("The harbour."), copies=CopySettings(find=False))
    assert client.get("/api/v1/mentions?words=harbour&limit=1").headers["x-total-articles"] == "510"
    assert [client.get(f"/api/v1/mentions?limit={limit}").status_code for limit in (0, 1001)] == [422, 422]
