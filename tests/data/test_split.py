"""Splits and folds: whole hosts, near the share, the same for any order."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.data import LabelledPage, folds_by_host, read_page_list, split_by_host, split_pages, without_listed
from blockfeat.errors import CorpusError


def make_pages(sites: list[tuple[int, str]]) -> list[LabelledPage]:
    """Return pages of several hosts, given the number of pages and the language of each."""
    return [
        LabelledPage(f"{host}-{number}", "<p>", "t", lang=lang, url=f"http://host{host}.example/{number}")
        for host, (count, lang) in enumerate(sites)
        for number in range(count)
    ]


def hosts(pages: list[LabelledPage]) -> set[str]:
    return {page.host for page in pages}


sites = st.lists(st.tuples(st.integers(1, 6), st.sampled_from(["de", "en", "fr"])), min_size=3, max_size=20)


@given(sites, st.floats(0.05, 0.95), st.integers(0, 5))
def test_split_keeps_hosts_and_pages(sites: list[tuple[int, str]], share: float, seed: int) -> None:
    pages = make_pages(sites)
    train, test = split_by_host(pages, share, seed)
    assert (len(train) > 0, len(test) > 0, hosts(train) & hosts(test)) == (True, True, set())
    assert Counter(page.id for page in train + test) == Counter(page.id for page in pages)


@given(sites, st.integers(0, 5), st.randoms(use_true_random=False))
def test_split_does_not_depend_on_order(sites: list[tuple[int, str]], seed: int, random: object) -> None:
    pages = make_pages(sites)
    shuffled = pages.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert split_by_host(pages, 0.6, seed) == split_by_host(shuffled, 0.6, seed)
    assert folds_by_host(pages, 3, seed) == folds_by_host(shuffled, 3, seed)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.7, 0.85])
@pytest.mark.parametrize("seed", range(5))
def test_split_comes_near_the_share_in_every_language(share: float, seed: int) -> None:
    pages = make_pages([(1 + host % 4, ("de", "en", "fr")[host % 3]) for host in range(90)])
    train, _ = split_by_host(pages, share, seed)
    assert len(train) == pytest.approx(share * len(pages), abs=1.5)
    whole, part = Counter(page.lang for page in pages), Counter(page.lang for page in train)
    for lang in whole:
        assert part[lang] == pytest.approx(share * whole[lang], abs=3)


def test_seeds_give_different_splits() -> None:
    pages = make_pages([(2, "de")] * 30)
    splits = {frozenset(hosts(split_by_host(pages, 0.5, seed)[0])) for seed in range(5)}
    assert len(splits) == 5


def test_two_hosts_are_enough_for_any_share() -> None:
    pages = make_pages([(50, "de"), (1, "de")])
    for share in (0.001, 0.5, 0.999):
        train, test = split_by_host(pages, share)
        assert {len(train), len(test)} == {1, 50}


def test_split_does_not_depend_on_the_hash_seed() -> None:
    code = (
        "from blockfeat.data import LabelledPage, split_by_host\n"
        "urls = [f'http://h{number % 9}.example/{number}' for number in range(40)]\n"
        "pages = [LabelledPage(url, '<p>', 't', url=url, lang='de') for url in urls]\n"
        "print([page.id for page in split_by_host(pages, 0.6, 3)[0]])"
    )

    def printed(seed: str) -> str:
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        return subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)

    assert printed("1") == printed("2") != ""


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, float("nan")])
def test_a_share_out_of_range_is_an_error(share: float) -> None:
    with pytest.raises(CorpusError, match="share must lie between 0 and 1"):
        split_by_host(make_pages([(1, "de"), (1, "de")]), share)


@pytest.mark.parametrize("pages", [[], make_pages([(5, "de")])])
def test_fewer_than_two_hosts_are_an_error(pages: list[LabelledPage]) -> None:
    with pytest.raises(CorpusError, match="two hosts are needed"):
        split_by_host(pages)


@given(sites, st.floats(0.05, 0.95), st.integers(0, 5))
def test_pages_of_several_hosts_are_parted_by_host(sites: list[tuple[int, str]], share: float, seed: int) -> None:
    pages = make_pages(sites)
    assert split_pages(pages, share, seed) == (*split_by_host(pages, share, seed), "hosts")


@given(st.integers(2, 30), st.floats(0.05, 0.95), st.integers(0, 3), st.randoms())
def test_pages_of_one_host_are_parted_by_page(count: int, share: float, seed: int, order: Random) -> None:
    pages = make_pages([(count, "de")])
    train, test, parted_by = split_pages(pages, share, seed)
    assert (parted_by, len(train) > 0, len(test) > 0) == ("pages", True, True)
    assert sorted(page.id for page in train + test) == sorted(page.id for page in pages)
    assert abs(len(train) - share * count) <= 1
    shuffled = order.sample(pages, count)
    assert split_pages(shuffled, share, seed) == (train, test, parted_by)


@pytest.mark.parametrize("count", [0, 1])
def test_a_page_alone_cannot_be_parted(count: int) -> None:
    with pytest.raises(CorpusError, match=rf"not {count}: .*--split 1"):
        split_pages(make_pages([(count, "de")]))


@given(sites, st.integers(2, 3), st.integers(0, 3))
def test_folds_cover_every_page_once(sites: list[tuple[int, str]], count: int, seed: int) -> None:
    pages = make_pages(sites)
    folds = folds_by_host(pages, count, seed)
    assert len(folds) == count
    for train, test in folds:
        assert test
        assert not hosts(train) & hosts(test)
        assert len(train) + len(test) == len(pages)
    assert Counter(page.id for _, test in folds for page in test) == Counter(page.id for page in pages)


def test_folds_are_about_equal() -> None:
    pages = make_pages([(1 + host % 5, ("de", "en")[host % 2]) for host in range(60)])
    sizes = [Counter(page.lang for page in test) for _, test in folds_by_host(pages, 5)]
    assert max(size.total() for size in sizes) - min(size.total() for size in sizes) <= 2
    assert max(size["de"] for size in sizes) - min(size["de"] for size in sizes) <= 4


def test_impossible_folds_are_errors() -> None:
    pages = make_pages([(5, "de"), (5, "de")])
    with pytest.raises(CorpusError, match="3 hosts are needed"):
        folds_by_host(pages, 3)
    with pytest.raises(CorpusError, match="at least 2 folds"):
        folds_by_host(pages, 1)


def test_listed_pages_are_left_out_by_corpus_and_id(tmp_path: Path) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"corpus": "news", "id": "2", "reason": "the gold ends in the middle"}\n', encoding="utf-8")
    pages = [LabelledPage(name, "<p>Text", corpus=corpus) for corpus in ("news", "blogs") for name in ("1", "2")]
    kept = without_listed(pages, read_page_list(path))
    assert [(page.corpus, page.id) for page in kept] == [("news", "1"), ("blogs", "1"), ("blogs", "2")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [('{"corpus": "a"}', "'id' must be strings"), ("news 2", "not JSON"), ('["news", "2"]', "an array")],
)
def test_a_line_that_names_no_page_is_told(tmp_path: Path, line: str, reason: str) -> None:
    path = tmp_path / "wrong.jsonl"
    path.write_text('{"corpus": "news", "id": "1"}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=f"wrong.jsonl, line 2: .*{reason}"):
        read_page_list(path)
