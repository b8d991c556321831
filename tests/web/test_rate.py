"""How often clients may ask."""

from __future__ import annotations

from blockfeat.web.guard import Rate


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_client_waits_once_its_tokens_are_used() -> None:
    clock = _Clock()
    rate = Rate(60, clock=clock)
    assert [rate.wait("a") for _ in range(60)] == [0.0] * 60
    assert rate.wait("a") == 1.0
    assert rate.wait("b") == 0.0
    clock.now = 1.0
    assert rate.wait("a") == 0.0
    assert rate.wait("a") == 1.0


def test_without_a_limit_nobody_waits() -> None:
    rate = Rate(0)
    assert all(rate.wait("a") == 0 for _ in range(1000))


def test_addresses_of_one_ipv6_site_count_together() -> None:
    rate = Rate(1, clock=_Clock())
    assert rate.wait("2001:db8::1") == 0
    assert rate.wait("2001:db8::2") > 0
    assert rate.wait("2001:db8:0:1::1") == 0


def test_only_the_latest_clients_are_remembered() -> None:
    rate = Rate(1, clock=_Clock())
    for name in ("a", *map(str, range(9_999))):
        rate.wait(name)
    assert rate.wait("a") > 0
    for number in range(10_000):
        rate.wait(str(number))
    assert rate.wait("a") == 0, "10,000 others have asked since"


def test_no_client_saves_up_more_than_a_minute_of_requests() -> None:
    clock = _Clock()
    rate = Rate(3, clock=clock)
    rate.wait("a")
    clock.now = 3600.0
    assert [rate.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 20.0]


def test_clients_of_ipv4_count_apart_where_they_have_addresses_of_ipv6() -> None:
    rate = Rate(1, clock=_Clock())
    assert rate.wait("::ffff:192.0.2.1") == 0
    assert rate.wait("::ffff:192.0.2.2") == 0
    assert rate.wait("::ffff:192.0.2.1") > 0
    assert rate.wait("192.0.2.1") > 0
