"""The peers: which are there, what they are called, and that those installed extract a page."""

import json
import pickle
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from blockfeat.data import LabelledPage
from blockfeat.errors import InputError, MissingExtraError
from blockfeat.training.evaluation import peers
from blockfeat.training.evaluation.bench import bench_systems, run_bench
from blockfeat.training.evaluation.peers import PEER_NAMES, Peer, installed_peers, missing_peers, peers_named

SENTENCES = (
    "The ferry to the island leaves at nine, and those who miss it have to wait until the afternoon.",
    "Most of the people who live there have a boat of their own, which is why they never need to hurry.",
    "In the winter of that year the harbour froze, and for eleven days nobody could get in or out.",
    "They walked over the ice in the end, with their bread on a sledge that the teacher had built.",
    "When it was over the council bought a new ferry, and it has been on time on every day since then.",
)
HEAD = "<!DOCTYPE html><html lang=en><head><title>The ferry</title></head><body><ul><li><a href=/>Home</a></li></ul>"
TEXT = "".join(f"<p>{sentence} {sentence.lower()} {sentence.title()}</p>" for sentence in SENTENCES)
PAGE = f"{HEAD}<article><h1>The ferry</h1>{TEXT}<img src=https://island.example/a.png></article></body></html>"


def test_names_are_distinct_and_installed_ones_known() -> None:
    assert len(set(PEER_NAMES)) == len(PEER_NAMES)
    assert {peer.name for peer in installed_peers()} <= set(PEER_NAMES)
    assert all(peer.version for peer in installed_peers())


@pytest.mark.parametrize("name", PEER_NAMES)
def test_installed_peers_extract_without_the_network(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *given, **named: pytest.fail("the network is asked"))
    installed = {peer.name: peer for peer in installed_peers()}
    if name not in installed:
        pytest.skip(f"{name} is not installed (extra 'peers')")
    extract = installed[name].load()
    text = extract(PAGE, "en", "https://island.example/ferry")
    assert isinstance(text, str)
    assert sum(sentence in text for sentence in SENTENCES) >= 3
    assert "<p>" not in text
    assert isinstance(extract("<p>x</p>", None, None), str)


@pytest.mark.parametrize("name", [name for name in PEER_NAMES if name.startswith("boilerpy3")])
def test_boilerpy3_reads_pages_without_a_body_element(name: str) -> None:
    installed = {peer.name: peer for peer in installed_peers()}
    if name not in installed:
        pytest.skip(f"{name} is not installed (extra 'peers')")
    bare = PAGE.replace("<body>", "").replace("</body>", "")
    assert installed[name].load()(bare) == installed[name].load()(PAGE) != ""


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "_version", lambda package: None if package == "boilerpy3" else "1.0")
    assert missing_peers() == ("boilerpy3",)
    assert not [peer for peer in installed_peers() if peer.package == "boilerpy3"]
    with pytest.raises(MissingExtraError, match="boilerpy3-article"):
        peers_named(["boilerpy3-article"])


def test_all_stands_for_those_installed_and_resiliparse_is_always_there() -> None:
    assert SENTENCES[0] in peers_named(["resiliparse"])[0].load()(PAGE)
    assert (peers_named(["all"]), peers_named(["none"])) == (installed_peers(), ())
    assert peers_named(["resiliparse", "resiliparse"]) == peers_named(["resiliparse"])
    with pytest.raises(InputError, match="nobody"):
        peers_named(["nobody"])


def test_a_peer_that_cannot_be_imported_names_the_extra() -> None:
    with pytest.raises(MissingExtraError, match=r"blockfeat\[peers\]"):
        Peer("nobody", "nobody", "1", lambda: import_module("nobody")).load()


def test_peers_travel_between_processes() -> None:
    here, there = installed_peers(), pickle.loads(pickle.dumps(installed_peers()))
    assert [(peer.name, peer.version) for peer in there] == [(peer.name, peer.version) for peer in here]
    assert all(peer.load() for peer in there)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_extractors_of_npm_are_peers_where_they_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingExtraError, match="npm install @mozilla/readability defuddle jsdom"):
        peers_named(["mozilla-readability"])
    dom = "window = {document: this, close() {}}; constructor(html) {if (html == 'bad') throw 'no'; this.html = html}"
    reader = "constructor(page) {this.page = page}; parse() {console.log('x'); return {content: this.page.html}}"
    dom, reader = (
        f"export class VirtualConsole {{}}; export class JSDOM {{{dom}}}",
        f"export class Readability {{{reader}}}",
    )
    for name, code in (("jsdom", dom), ("@mozilla/readability", reader)):
        (folder := tmp_path / "node_modules" / name).mkdir(parents=True)
        about = {"name": name, "version": "0.6", "type": "module", "exports": "./main.js"}
        (folder / "package.json").write_text(json.dumps(about), encoding="utf-8")
        (folder / "main.js").write_text(code, encoding="utf-8")
    pages = [LabelledPage(html, html, "x") for html in ("bad", "<p>x")]
    (found,) = run_bench(bench_systems([], peers_named(["mozilla-readability"])), pages, deadline=None).systems
    read = [(page.score.f1, str(page.seconds)) for page in found.pages]
    assert (found.version, read) == ("0.6", [(0.0, "nan"), (1.0, "nan")])
