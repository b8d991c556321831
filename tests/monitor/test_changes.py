"""Changes: what makes no version, and which sentences are one."""

from __future__ import annotations

import time

import pytest

from blockfeat.monitor.changes import is_similar, steady


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Updated 5 minutes ago", "Updated 1 hour ago"),
        ("By Ada Quill, updated a minute ago", "By Ada Quill, updated 17 minutes ago"),
        ("Aktualisiert vor 3 Minuten", "Aktualisiert vor einer Stunde"),
        ("Publié il y a 2 heures", "Publié il y a 3 jours"),
        ("hace 5 minutos", "hace 2 horas"),
        ("há 5 minutos", "há uma hora"),
        ("Aggiornato 5 minuti fa", "Aggiornato 2 ore fa"),
        ("5 minuten geleden", "2 uur geleden"),
        ("För 5 minuter sedan", "För 2 timmar sedan"),
        ("5 min. temu", "2 godziny temu"),
        ("před 5 minutami", "před 2 hodinami"),
        ("5 минут назад", "2 часа назад"),
        ("5 dakika önce", "2 saat önce"),
        ("πριν από 5 λεπτά", "πριν από 2 ώρες"),
        ("5分前", "2時間前"),
        ("5分钟前", "2小时前"),
        ("5분 전", "2시간 전"),
        ("قبل 5 دقائق", "قبل 20 دقيقة"),
        ("לפני 5 דקות", "לפני 7 שעות"),
        ("1,204 views · 12 comments", "1,377 views · 14 comments"),
        ("Aufrufe: 1.204", "Aufrufe: 1.377"),
        ("12 тыс. просмотров", "13 тыс. просмотров"),
        ("阅读 1204", "阅读 1377"),
    ],
)
def test_what_passes_by_itself_is_no_change(one: str, other: str) -> None:
    text = "The ferry leaves at nine.\n\n{}\n\nIt returns before dark."
    assert steady(text.format(one)) == steady(text.format(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12 shops", "13 shops"),
        ("Norvik 3, Brelan 1", "Norvik 3, Brelan 2"),
        (
            "The company said in its report that it had opened its first shop in the town 5 years ago",
            "The company said in its report that it had opened its first shop in the town 6 years ago",
        ),
    ],
)
def test_other_numbers_are_news(one: str, other: str) -> None:
    assert steady(one) != steady(other)


def test_a_corrected_sentence_is_the_same_one() -> None:
    sentence = "Norvik opened twelve shops in the old town."
    assert is_similar(sentence, "Norvik opened thirteen shops in the old town.")
    assert not is_similar(sentence, "Shares of Norvik fell on Monday.")


@pytest.mark.parametrize("piece", ["1 ", "12,", "vor 1", "5 minutes ", "ago ", "\u00a0", "1 a"])
def test_time_is_linear(piece: str) -> None:
    def seconds(size: int) -> float:
        start = time.thread_time()
        steady(piece.replace(" ", "\u00a0") * size)
        return time.thread_time() - start

    seconds(10)
    assert seconds(4_000) < 0.5 + 40 * seconds(400)
