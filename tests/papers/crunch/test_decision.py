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
        *("ads.example.com", "second.example.net", "plain.example.org", "star.example", "xn--bcher-kva.example")
    }


_LISTED = (
    *("https://ads.example.com/x", "//deep.ads.example.com", "HTTP://ADS.EXAMPLE.COM./x?y"),
    *("https:\\\\ads.example.com", "https://user@ads.example.com:8080/"),
)
_NOT_LISTED = (
    *("https://example.com/", "https://myads.example.com.evil.org/", "https://notads.example.com/", "/ads.example.com"),
    *("https://site.co.uk/", "ads.example.com", "mailto:a@ads.example.com", "https://[broken", ""),
)


def test_a_host_stands_for_those_below_it_up_to_its_registered_domain() -> None:
    hosts = HostList(frozenset({"ads.example.com", "co.uk", "com"}))  # a suffix alone lists nothing
    assert [address for address in (*_LISTED, *_NOT_LISTED) if hosts.lists(address)] == list(_LISTED)


def test_lists_of_the_settings_are_added(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("own.example\n", encoding="utf-8")
    lists = (HostListFile(str(tmp_path / "own.txt")),)
    hosts = host_list(Advertisements(lists=lists)).hosts
    assert {"own.example", "doubleclick.net"} <= hosts
    assert host_list(Advertisements(bundled_list=False, lists=lists)).hosts == {"own.example"}
    with pytest.raises(InputError, match=r"none\.txt: the list of hosts cannot be read"):
        host_list(Advertisements(lists=(HostListFile(str(tmp_path / "none.txt")),)))


def test_lists_with_an_address_are_updated_unless_what_comes_names_no_host(tmp_path: Path) -> None:
    path = tmp_path / "fetched.txt"
    entries = (HostListFile(str(path), "https://lists.example/a"), HostListFile(str(tmp_path / "own.txt")))
    assert updated(entries, lambda url: "a.example\nb.example\n") == [(str(path), 2)]
    with pytest.raises(InputError, match="names no host"):
        updated(entries, lambda url: "<html>Not found</html>")
    assert (path.read_text(encoding="utf-8"), list(tmp_path.iterdir())) == ("a.example\nb.example\n", [path])
