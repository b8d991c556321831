from dataclasses import replace

import numpy as np
import pytest

from blockfeat.blocks.tagtable import load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import MeasuredPage
from blockfeat.models.model import Model
from blockfeat.models.store import model_from_bytes, model_to_bytes
from blockfeat.page.page import Page
from blockfeat.papers.web2text.model import Web2TextModel
from leaves_of import labeller_of_long_leaves, leaf_measurer
from pages import article_page


@pytest.fixture(scope="module")
def model():
    return Web2TextModel(labeller_of_long_leaves())


def measure(html):
    measurer = Web2TextModel(labeller_of_long_leaves()).measurer(leaf_measurer().identifier)
    return measurer.measure(Page.parse(html), lang="en")


def kept_texts(model, html):
    measured = measure(html)
    return measured.blocks.texts(np.flatnonzero(model.predict(measured).kept).tolist())


def test_it_is_a_model_of_pages(model):
    assert isinstance(model, Model)


def test_a_page_is_predicted(model):
    measured = measure(article_page())
    prediction = model.predict(measured)
    texts = measured.blocks.texts()
    assert [texts[place] for place in np.flatnonzero(prediction.kept)] == [
        text for text in texts if len(text.split()) > 8
    ]
    assert ((prediction.scores > 0) == prediction.kept).all()


def test_a_block_is_kept_by_the_leaves_that_hold_half_of_it(model):
    long = "These are more than eight words in one leaf of text"
    html = f"<p>{long} <a>and a link</a></p><p>A short text <b>with bold words</b> in it</p><p>{long}</p>"
    assert kept_texts(model, html) == [f"{long} and a link", long]


@pytest.mark.parametrize("html", ["", "<html></html>", "<p>&nbsp;</p>"])
def test_a_page_without_text(model, html):
    measured = measure(html)
    prediction = model.predict(measured)
    assert prediction.scores.shape == prediction.kept.shape == (0,)
    assert model.explain(measured, prediction) == ()


def test_blocks_without_leaves_are_dropped(model):
    measured = measure("<p>Some words that stand on this page for a test of leaves</p>")
    far = replace(measured.blocks, first_byte=measured.blocks.end_byte + 9, end_byte=measured.blocks.end_byte + 9)
    elsewhere = replace(measured, blocks=far)
    prediction = model.predict(elsewhere)
    assert not prediction.kept.any()
    assert (prediction.scores < -10).all()
    assert "by 0 pieces of text" in model.explain(elsewhere, prediction)[0].reason


def test_reasons(model):
    measured = measure(article_page())
    prediction = model.predict(measured)
    reasons = model.explain(measured, prediction)
    assert len(reasons) == len(measured.blocks)
    for reason, kept in zip(reasons, prediction.kept.tolist(), strict=True):
        assert reason.reason.startswith("kept: content" if kept else "dropped: content")
        assert (reason.features["content_probability"] > 0.5) == kept


def test_favouring_a_side(model):
    measured = measure(article_page())
    plain = model.predict(measured).scores
    np.testing.assert_allclose(model.favouring("recall").predict(measured).scores, plain + 1.5)
    np.testing.assert_allclose(model.favouring("precision").predict(measured).scores, plain - 1.5)


def test_a_file_gives_the_same_model(model):
    table = replace(load_table("html5"), name="mine", other="boundary")
    for one in (model, replace(model, name="other", shift=0.5, languages=("en",), record={"seed": 7}, table=table)):
        again = model_from_bytes(model_to_bytes(one), where="here", read=lambda name: b"")
        assert (again.name, again.shift, again.languages, again.record, again.table) == (
            one.name,
            one.shift,
            one.languages,
            one.record,
            one.table,
        )
        assert kept_texts(again, article_page()) == kept_texts(one, article_page())


def test_bad_files_are_refused(model):
    document, good = model.to_document()
    missing = {name: value for name, value in good.items() if name != "unary_mean"}
    cut = {**good, "unary_weights_0": good["unary_weights_0"][:, :5]}
    for wrong, arrays in (
        ({**document, "schema": 99}, good),
        ({**document, "features": []}, good),
        ({**document, "interpolation": "much"}, good),
        (document, missing),
        (document, cut),
    ):
        with pytest.raises(ModelError):
            Web2TextModel.from_document(wrong, arrays, where="here")


def test_a_page_without_leaves_is_refused(model):
    measured = measure(article_page())
    plain = MeasuredPage(measured.blocks, measured.matrix, measured.lang, measured.stop_words)
    with pytest.raises(ModelError, match="leaves"):
        model.predict(plain)
