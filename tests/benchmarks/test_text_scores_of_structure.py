from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.text_scores import parts_of, structure_gold, structure_scores

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
    assert parts.headings == ["saws"]
    assert parts.items == ["ripsaws", "withfewteeth", "handsaws"]
    assert parts.rows == [["saw", "teeth"], ["rip", "4"]]
    assert parts.code == ["def cut():", "    return 1"]


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
