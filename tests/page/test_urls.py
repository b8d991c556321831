"""Sites: of an address, and as a page names its own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blockfeat.page.urls import guess_host, registered_domain


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.org/a?b#c", "example.org"),
        ("http://news.example.org:8080/", "example.org"),
        ("http://user:pass@a.b.example.co.uk/x", "example.co.uk"),
        ("https://a.example.com.au", "example.com.au"),
        ("https://www.example.com", "example.com"),
        ("https://co.uk/", "co.uk"),
        ("https://www.city.kawasaki.jp/x", "city.kawasaki.jp"),
        ("https://a.b.gov.br/", "b.gov.br"),
        ("https://shop.example.gob.mx", "example.gob.mx"),
        ("https://x.wordpress.com/", "wordpress.com"),
        ("https://www.xn--bcher-kva.example/", "xn--bcher-kva.example"),
        ("example.org/path", "example.org"),
        ("//cdn.example.org/path", "example.org"),
        ("http://localhost:8000/", "localhost"),
        ("http://192.168.10.1/a", "192.168.10.1"),
        ("http://[2001:db8::1]:80/", "2001:db8::1"),
        ("https://www.example.org./", "example.org"),
        ("https://bücher.example/", "bücher.example"),
        ("", None),
        ("http://", None),
        ("http://[broken/", None),
        ("a title, no address", None),
    ],
)
def test_registered_domain(url: str, host: str | None) -> None:
    assert registered_domain(url) == host


@given(st.text(max_size=60))
def test_registered_domain_takes_any_text(url: str) -> None:
    host = registered_domain(url)
    assert host is None or (host and host == host.lower())


@pytest.mark.parametrize(
    ("html", "host"),
    [
        ('<link rel="canonical" href="https://www.a.example/x">', "a.example"),
        ("<LINK HREF='https://b.example/x' REL=Canonical />", "b.example"),
        ("<link rel=canonical href=https://c.example/x>", "c.example"),
        ('<meta property="og:url" content="http://d.example/">', "d.example"),
        ('<meta name="og:url" content="http://d.example/">', "d.example"),
        ('<base href="http://e.example/">', "e.example"),
        ('<base href="http://e.example/"><link rel=canonical href="http://f.example/">', "f.example"),
        ('<link rel="canonical" href="/only/a/path"><base href="http://g.example/">', "g.example"),
        ('<link rel="stylesheet" href="http://h.example/s.css">', None),
        ('<link rel="canonical" href="http://localhost/">', None),
        ("<p>no head at all", None),
        ("", None),
    ],
)
def test_guess_host(html: str, host: str | None) -> None:
    assert guess_host(html) == host


def test_guess_host_looks_at_the_beginning_only() -> None:
    assert guess_host(" " * 100_000 + "<base href='http://a.example/'>") is None


@pytest.mark.parametrize("unit", ["<meta ", "<link rel=", "<base href='", "<meta a=b ", "<", " ", "<link a "])
def test_guess_host_is_fast_on_hostile_pages(unit: str) -> None:
    start = time.process_time()
    guess_host(unit * (1_000_000 // len(unit)))
    assert time.process_time() - start < 1.0
