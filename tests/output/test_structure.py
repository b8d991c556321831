"""Grouping of kept blocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blockfeat.blocks.block import Block
from blockfeat.output.structure import BlockList, Quote, structured
from extraction_stand_in import block


def _item(text: str, level: int, *, ordered: bool = False) -> Block:
    return block(text, kind="list_item", level=level, ordered=ordered)


def _shape(block_list: BlockList) -> list[object]:
    return [
        entry.block.text if not entry.lists else [entry.block.text, *map(_shape, entry.lists)]
        for entry in block_list.entries
    ]


def _lists(*items: Block) -> list[BlockList]:
    return [part for part in structured(items) if isinstance(part, BlockList)]


def test_only_kept_blocks_with_text_are_there() -> None:
    assert structured([block("a"), block("b", kept=False), block("  ")]) == [block("a")]


def test_lists_nest_by_level() -> None:
    (top,) = _lists(_item("a", 1), _item("b", 2), _item("c", 3), _item("d", 2), _item("e", 1))
    assert _shape(top) == [["a", [["b", ["c"]], "d"]], "e"]


def test_a_skipped_level_is_one_step() -> None:
    (top,) = _lists(_item("a", 2), _item("b", 5), _item("c", 1))
    assert _shape(top) == [["a", ["b"]], "c"]


def test_numbered_and_other_items_make_two_lists() -> None:
    first, second = _lists(_item("a", 1), _item("b", 1, ordered=True))
    assert (first.ordered, second.ordered) == (False, True)


def test_a_paragraph_ends_a_list_and_quotes_stay_together() -> None:
    quotes = (block("q", kind="quote"), block("r", kind="quote"))
    parts = structured([_item("a", 1), block("p"), _item("b", 1), *quotes])
    assert [type(part) for part in parts] == [BlockList, Block, BlockList, Quote]
    assert parts[-1] == Quote(list(quotes))


@given(st.lists(st.tuples(st.integers(-1, 2000), st.booleans())))
def test_every_item_is_there_once_in_order(items: list[tuple[int, bool]]) -> None:
    blocks = [_item(f"t{number}", level, ordered=ordered) for number, (level, ordered) in enumerate(items)]

    def texts(block_list: BlockList, depth: int) -> list[str]:
        assert depth <= 12
        found: list[str] = []
        for entry in block_list.entries:
            found.append(entry.block.text)
            for nested in entry.lists:
                found.extend(texts(nested, depth + 1))
        return found

    found = [text for top in _lists(*blocks) for text in texts(top, 1)]
    assert found == [item.text for item in blocks]
