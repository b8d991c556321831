import numpy as np
import pytest

from blockfeat.data.corpus import LabelledPage
from blockfeat.errors import CorpusError
from experiments.web2text.leaf_pages import BTE, block_scores, label_pages, mixed_split, original_split, pooled_scores
from leaves_of import leaf_measurer
from pages import GOLD, article_page

WHOLE = f"Lighthouse to be repaired\n{GOLD}"


def everything(html, lang=None, url=None):
    return f"{html}\nSection 1 Section 2"


def nothing(html, lang=None, url=None):
    raise ValueError("no")


def page(number, text=WHOLE):
    return LabelledPage(id=str(number), html=article_page(4), text=text, lang="en", corpus="demo")


def labelled(count):
    (one,) = label_pages([page(0)], leaf_measurer())
    return [type(one)("demo", str(number), one.features, one.gold, one.kept) for number in range(count)]


def test_scores_of_a_table():
    found = block_scores(np.array([True, True, True, False, False]), np.array([True, True, False, True, False]))
    assert (found.accuracy, found.blocks) == (0.6, 5)
    assert found.precision == found.recall == found.f1 == pytest.approx(2 / 3)
    none = np.zeros(3, dtype=bool)
    assert block_scores(none, none).accuracy == 1
    assert block_scores(none, none).f1 == block_scores(none, ~none).f1 == 0
    assert block_scores(none[:0], none[:0]).blocks == 0


@pytest.mark.parametrize("aligner", ["words", "characters"])
def test_pages_are_labelled_by_gold_and_by_extractors(aligner):
    given = {"all": everything, "none": nothing, "gold": lambda html, lang=None, url=None: WHOLE}
    (found,) = label_pages([page(1)], leaf_measurer(), given, aligner=aligner)
    assert found.gold.sum() == 5
    assert found.kept["all"][found.gold].all()
    assert not found.kept["none"].any()
    assert (found.kept["gold"] == found.gold).all()
    assert found.kept[BTE][found.gold].sum() >= 4
    assert (pooled_scores([found], "gold").f1, pooled_scores([found], "none").recall) == (1, 0)


def test_extractors_get_pages_with_a_body():
    seen = []

    def extract(html, lang=None, url=None):
        seen.append(html)
        return ""

    whole = '<html><BODY class="k"><p>some text</p></BODY></html>'
    pages = [LabelledPage(id="1", html=html, text="some text") for html in ("<p>some text</p>", whole)]
    list(label_pages(pages, leaf_measurer(), {"one": extract}))
    assert seen == ["<html><body><p>some text</p></body></html>", whole]


def test_pages_without_leaves_or_gold_are_left_out():
    empty = LabelledPage(id="x", html="<p></p>", text="", corpus="demo")
    assert list(label_pages([empty, page(1, text=None)], leaf_measurer())) == []


def test_no_page_is_in_two_parts_of_a_split():
    original, mixed = original_split(labelled(57), labelled(30)), mixed_split(labelled(300))
    assert original_split(labelled(57)[::-1], labelled(30)).ids() == original.ids()
    assert not {one.id for one in original.training} & {one.id for one in original.validation}
    for split, sizes in ((original, [52, 5, 30]), (mixed, [94, 58, 148])):
        assert [len(part) for part in (split.training, split.validation, split.test)] == sizes
    ids = [one.id for part in (mixed.training, mixed.validation, mixed.test) for one in part]
    assert sorted(ids, key=int) == [str(number) for number in range(300)]


def test_too_few_pages():
    for split, parts, least in ((original_split, (5, 3), "five"), (mixed_split, (206,), "206")):
        with pytest.raises(CorpusError, match=least):
            split(*map(labelled, parts))
