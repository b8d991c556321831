from __future__ import annotations

from pathlib import Path

import pytest

from blockfeat.errors import InputError
from blockfeat.papers.crunch.decision import HostList, host_list, hosts_in, updated
from blockfeat.papers.crunch.settings import Advertisements, HostListFile

_LIST = """\ufeff# a comment
127.0.0.1 localhost localhost.localdomain
0.0.0.0 Ads.Example.com second.example.net # two
::1 ip6-localhost

plain.example.org
*.star.example
bücher.example
! another comment
no host here
"""


def test_hosts_files_and_lists_of_domains_are_read() -> None:
    assert hosts_in(_LIST.removeprefix("\ufeff")) == {
        *("ads.example.com", "second.example.net", "plain.example.org", "star.example", "xn--bcher-kva.example"),
    }


@pytest.mark.parametrize(
    ("address", "listed"),
    [
        ("https://ads.example.com/x", True),
        ("//deep.ads.example.com", True),
        ("HTTP://ADS.EXAMPLE.COM./x?y", True),
        ("https:\\\\ads.example.com", True),
        ("https://user@ads.example.com:8080/", True),
        ("https://example.com/", False),
        ("https://myads.example.com.evil.org/", False),
        ("https://notads.example.com/", False),
        ("https://site.co.uk/", False),
        ("/ads.example.com", False),
        ("ads.example.com", False),
        ("mailto:a@ads.example.com", False),
        ("https://[broken", False),
        ("", False),
    ],
)
def test_a_host_stands_for_those_below_it_up_to_its_registered_domain(address: str, listed: bool) -> None:
    # A suffix alone lists nothing.
    assert HostList(frozenset({"ads.example.com", "co.uk", "com"})).lists(address) == listed


def test_lists_of_the_settings_are_added(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("own.example\n", encoding="utf-8")
    lists = (HostListFile(str(tmp_path / "own.txt")),)
    hosts = host_list(Advertisements(lists=lists)).hosts
    assert {"own.example", "doubleclick.net"} <= hosts
    assert host_list(Advertisements(bundled_list=False, lists=lists)).hosts == {"own.example"}


def test_a_missing_list_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: the list of hosts cannot be read"):
        host_list(Advertisements(lists=(HostListFile(str(tmp_path / "none.txt")),)))


def test_lists_with_an_address_are_updated(tmp_path: Path) -> None:
    path = tmp_path / "fetched.txt"
    entries = (HostListFile(str(path), "https://lists.example/a"), HostListFile(str(tmp_path / "own.txt")))
    assert updated(entries, lambda url: "a.example\nb.example\n") == [(str(path), 2)]
    assert [entry.name for entry in tmp_path.iterdir()] == ["fetched.txt"]


def test_a_list_without_hosts_replaces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fetched.txt"
    path.write_text("a.example\n", encoding="utf-8")
    with pytest.raises(InputError, match="names no host"):
        updated([HostListFile(str(path), "https://lists.example/a")], lambda url: "<html>Not found</html>")
    assert path.read_text(encoding="utf-8") == "a.example\n"
