import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.text_scores import Edges, edges_of, parts_of, structure_gold, structure_scores

GOLD = (
    "The mill in Ashford will close in May, its owner said on Monday evening.\n\n"
    "Forty people work there.\n\n"
    "Most of them will be offered work in the other mill, which stands at Wye."
)


def test_a_text_like_its_gold_has_nothing_to_count() -> None:
    found = edges_of(GOLD, GOLD)
    assert (found.boundary_f1, (found.boundaries, found.given, found.gold)) == (1, (2, 2, 2))
    assert (found.glued, found.broken, found.repeated, found.first_lost, found.last_lost) == (0, 0, 0, 0, 0)


def test_paragraphs_that_run_into_one_another_are_missed_boundaries() -> None:
    found = edges_of(GOLD.replace("there.\n\n", "there. "), GOLD)
    assert ((found.boundaries, found.given, found.gold), found.boundary_f1) == ((1, 1, 2), pytest.approx(2 / 3))


def test_a_paragraph_that_is_cut_has_boundaries_too_many() -> None:
    found = edges_of(GOLD.replace("May, its", "May,\nits"), GOLD)
    assert (found.boundaries, found.given, found.gold) == (2, 3, 2)


def test_places_that_only_one_text_has_are_not_compared() -> None:
    assert edges_of("A text of quite other words.\n\nAnd of more than one line.", GOLD).boundary_f1 == 1


@pytest.mark.parametrize(
    ("text", "glued", "broken"),
    [
        (GOLD.replace("Monday evening", "Mondayevening"), 1, 0),
        (GOLD.replace("Monday", "Mon day"), 0, 1),
        # Words that the gold has elsewhere are words.
        (GOLD + "\nanother", 0, 0),
    ],
)
def test_glued_and_broken_words(text: str, glued: int, broken: int) -> None:
    found = edges_of(text, GOLD)
    assert (found.glued, found.broken) == (glued, broken)


def test_lines_beyond_those_of_the_gold_are_repeated() -> None:
    line = "Forty people work there."
    assert edges_of(f"{GOLD}\n{line}\n{line}", GOLD).repeated == 2
    assert edges_of(f"{GOLD}\n{line}", f"{GOLD}\n{line}").repeated == 0


def test_the_first_and_the_last_long_line_may_be_lost() -> None:
    first, short, last = GOLD.split("\n\n")
    assert (edges_of(f"{short}\n{last}", GOLD).first_lost, edges_of(f"{short}\n{last}", GOLD).last_lost) == (1, 0)
    assert (edges_of(first, GOLD).first_lost, edges_of(first, GOLD).last_lost) == (0, 1)


def test_counts_add_up() -> None:
    assert edges_of(GOLD, GOLD) + Edges() == edges_of(GOLD, GOLD)
    assert (edges_of("", GOLD) + edges_of("", GOLD)).first_lost == 2


MARKDOWN = """# Saws

A saw cuts 10<sup>3</sup> boards, or H₂O.

- *Rip* saws
  - with [few teeth](/teeth)
1. Hand saws

| Saw | Teeth |
| --- | ---: |
| Rip | 4 |

```python
def cut():
    return 1
```
"""
NONE: dict[str, Any] = {"code": [], "tables": [], "headings": [], "list_items": [], "sup": [], "sub": []}


def test_parts_of_markdown() -> None:
    parts = parts_of(MARKDOWN)
    assert (parts.headings, parts.items) == (["saws"], ["ripsaws", "withfewteeth", "handsaws"])
    assert (parts.rows, parts.code) == ([["saw", "teeth"], ["rip", "4"]], ["def cut():", "    return 1"])


@pytest.mark.parametrize(
    ("gold", "score", "share"),
    [
        ({"headings": [[2, "Saws"], [2, "Files"]]}, "headings", 0.5),
        ({"list_items": ["Rip saws", "Hand", "Jig saws", "A saw cuts"]}, "items", 0.5),
        ({"tables": [[["Saw", "Teeth"], ["Rip", "4"], ["Hand", "9"], ["4", "Rip"]]]}, "rows", 0.5),
        ({"code": ["def cut():\n  return 1", "return 2"]}, "code found", 2 / 3),
        ({"code": ["def cut():"]}, "code right", 0.5),
        ({"sup": [["10", "3"], ["7", "th"]], "sub": [["H", "2"], ["x", "1"]]}, "raised", 2 / 3),
    ],
)
def test_shares_of_the_gold_that_are_found(gold: dict[str, Any], score: str, share: float) -> None:
    assert structure_scores(MARKDOWN, NONE | gold)[score] == pytest.approx(share)


def test_what_the_gold_has_none_of_is_left_out() -> None:
    assert set(structure_scores("A line.", NONE | {"headings": [[1, "Saws"]]})) == {"headings"}


def test_gold_is_read_of_the_pages_that_have_any(tmp_path: Path) -> None:
    lines = [{"id": "a", "headings": [[1, "Saws"]]}, {"id": "b", "text": "A line."}]
    path = tmp_path / "saws.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert structure_gold([str(path)]) == {"a": NONE | {"headings": [[1, "Saws"]]}}
