import sys
from pathlib import Path

import pytest

from benchmarks.text import run_text_bench
from blockfeat import Extractor
from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import InputError
from blockfeat.training.evaluation.peers import Peer, PeerExtract, installed_peers

TEXT = " ".join(["The mill in Ashford will close in May, its owner said on Monday evening."] * 4)
HTML = f"<html><body><nav><a href=/>Home</a></nav><article><h1>Mill</h1><p>{TEXT}<ul><li>One saw</li></ul></article>"
PAGE = LabelledPage("a", HTML, TEXT, lang="en")
GOLD = {"a": {"code": [], "tables": [], "headings": [[1, "Mill"]], "list_items": ["One saw"], "sup": [], "sub": []}}


def _failing() -> PeerExtract:
    def extract(html: str, lang: str | None = None, url: str | None = None) -> str:
        raise ValueError("no text")

    return extract


def test_models_and_peers_are_scored_on_the_same_pages(tmp_path: Path) -> None:
    peers = [peer for peer in installed_peers() if peer.name in ("trafilatura", "resiliparse", "justext")]
    steps: list[tuple[str, int, int]] = []
    bench = run_text_bench([Extractor.load("default")], peers, [PAGE], GOLD, on_page=lambda *step: steps.append(step))
    assert len(bench.systems) == 1 + len(peers)
    ours = next(iter(bench.systems.values()))[0]
    assert ours.f1 > 0.9
    assert (ours.edges.first_lost, ours.structure["headings"]) == (0, 1)
    assert [done for _, done, _ in steps] == [1] * (1 + len(peers))
    table, rows = bench.write(tmp_path)
    assert "headings" in table.read_text(encoding="utf-8")
    assert len(rows.read_text(encoding="utf-8").splitlines()) == 2 + len(peers)


def test_without_markdownify_a_peer_is_compared_by_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markdownify", None)
    monkeypatch.setattr("benchmarks.text._has_markdownify", lambda: False)
    peers = [peer for peer in installed_peers() if peer.name == "resiliparse"]
    for scores in run_text_bench([], peers, [PAGE], GOLD).systems.values():
        assert scores[0].error is None
        assert scores[0].f1 > 0.5
        assert not scores[0].structure


def test_a_system_that_fails_has_an_empty_text() -> None:
    bench = run_text_bench([], [Peer("bad", "bad", "1", _failing)], [PAGE], GOLD)
    scores = bench.systems["bad 1"][0]
    assert (scores.f1, scores.error, scores.edges.first_lost) == (0, "ValueError: no text", 1)
    assert not scores.structure
    assert "| bad 1 | 1 | 0.0 |" in bench.to_markdown()


def test_pages_without_gold_texts_cannot_be_compared() -> None:
    with pytest.raises(InputError, match="gold text"):
        run_text_bench([], [], [LabelledPage("a", HTML, present=("mill",))], {})
