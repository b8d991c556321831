import json
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from blockfeat.blocks.cut import Cutter
from blockfeat.blocks.tagtable import load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import Measurer
from blockfeat.models.model import Model
from blockfeat.models.web2text.model import Web2TextModel
from blockfeat.page.page import Page
from leaves_of import labeller_of_long_leaves, leaf_measurer
from pages import article_page


@pytest.fixture(scope="module")
def model():
    return Web2TextModel(labeller_of_long_leaves())


def html5(html):
    identifier = leaf_measurer().measurer.identifier
    page = Page.parse(html)
    return page, Measurer(Cutter.of(load_table("html5")), (), identifier).measure(page, lang="en")


def kept_texts(model, html):
    page, measured = html5(html)
    return measured.blocks.texts(np.flatnonzero(model.predict(page, measured).kept).tolist())


def read(arrays):
    return Web2TextModel.from_arrays(json.loads(arrays["document"].tobytes()), arrays, where="here")


def test_it_is_a_model_of_pages(model):
    assert isinstance(model, Model)


def test_blocks_are_kept_by_their_leaves(model):
    page, measured = html5(article_page())
    prediction = model.predict(page, measured)
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
    page, measured = html5(html)
    prediction = model.predict(page, measured)
    assert prediction.scores.shape == prediction.kept.shape == (0,)
    assert model.explain(page, measured, prediction) == ()


def test_blocks_without_leaves_are_dropped(model):
    page, measured = html5("<p>Some words that stand on this page for a test of leaves</p>")
    far = replace(measured.blocks, first_byte=measured.blocks.end_byte + 9, end_byte=measured.blocks.end_byte + 9)
    elsewhere = replace(measured, blocks=far)
    prediction = model.predict(page, elsewhere)
    assert not prediction.kept.any()
    assert (prediction.scores < -10).all()
    assert "by 0 text leaves" in model.explain(page, elsewhere, prediction)[0].reason


def test_reasons(model):
    page, measured = html5(article_page())
    prediction = model.predict(page, measured)
    reasons = model.explain(page, measured, prediction)
    assert len(reasons) == len(measured.blocks)
    for reason, kept in zip(reasons, prediction.kept.tolist(), strict=True):
        assert reason.reason.startswith("kept: content" if kept else "dropped: content")
        assert (reason.features["content_probability"] > 0.5) == kept


def test_favouring_a_side(model):
    page, measured = html5(article_page())
    plain = model.predict(page, measured).scores
    np.testing.assert_allclose(model.favouring("recall").predict(page, measured).scores, plain + 1.5)
    np.testing.assert_allclose(model.favouring("precision").predict(page, measured).scores, plain - 1.5)


def test_a_file_gives_the_same_model(model):
    table = replace(load_table("html5"), name="mine", other="boundary")
    for one in (model, replace(model, name="other", shift=0.5, languages=("en",), record={"seed": 7}, table=table)):
        data = BytesIO()
        np.savez_compressed(data, **one.to_arrays())
        with np.load(BytesIO(data.getvalue()), allow_pickle=False) as file:
            again = read({name: file[name] for name in file.files})
        assert (again.name, again.shift, again.languages, again.record, again.table) == (
            one.name,
            one.shift,
            one.languages,
            one.record,
            one.table,
        )
        assert kept_texts(again, article_page()) == kept_texts(one, article_page())


def test_bad_files_are_refused(model):
    good = model.to_arrays()
    document = json.loads(good["document"].tobytes())
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
            Web2TextModel.from_arrays(wrong, arrays, where="here")
