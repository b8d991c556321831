from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blockfeat.blocks.tagtable import load_table
from blockfeat.errors import ModelError
from blockfeat.features.measuring import PageFeatures
from blockfeat.models.model import Model
from blockfeat.models.store import model_from_bytes, model_to_bytes
from blockfeat.page.page import Page
from blockfeat.papers.web2text.features import page_features
from blockfeat.papers.web2text.model import KERNELS, Layer, LeafLabeller, Network, Web2TextModel, log_softmax
from leaves_of import labeller_of_long_leaves, leaf_measurer, leaves_of, network
from pages import article_page

MODEL = Web2TextModel(labeller_of_long_leaves())


def measure(html):
    measurer = Web2TextModel(labeller_of_long_leaves()).measurer(leaf_measurer().identifier)
    return measurer.measure(Page.parse(html), lang="en")


def kept_texts(model, html):
    measured = measure(html)
    return measured.blocks.texts(np.flatnonzero(model.predict(measured).kept).tolist())


def test_a_page_is_predicted():
    assert isinstance(MODEL, Model)
    measured = measure(article_page())
    prediction = MODEL.predict(measured)
    assert prediction.kept.tolist() == [len(text.split()) > 8 for text in measured.blocks.texts()]
    assert ((prediction.scores > 0) == prediction.kept).all()


def test_a_block_is_kept_by_the_leaves_that_hold_half_of_it():
    long = "These are more than eight words in one leaf of text"
    html = f"<p>{long} <a>and a link</a></p><p>A short text <b>with bold words</b> in it</p><p>{long}</p>"
    assert kept_texts(MODEL, html) == [f"{long} and a link", long]


@pytest.mark.parametrize("html", ["", "<html></html>", "<p>&nbsp;</p>"])
def test_a_page_without_text(html):
    measured = measure(html)
    prediction = MODEL.predict(measured)
    assert prediction.scores.shape == prediction.kept.shape == (0,)
    assert MODEL.explain(measured, prediction) == ()


def test_blocks_without_leaves_are_dropped():
    measured = measure("<p>Some words that stand on this page for a test of leaves</p>")
    columns = measured.blocks.columns.copy()
    columns[2:4] = measured.blocks.end_byte + 9
    far = replace(measured.blocks, columns=columns)
    elsewhere = replace(measured, blocks=far)
    prediction = MODEL.predict(elsewhere)
    assert not prediction.kept.any()
    assert (prediction.scores < -10).all()
    assert "by 0 pieces of text" in MODEL.explain(elsewhere, prediction)[0].reason


def test_reasons():
    measured = measure(article_page())
    prediction = MODEL.predict(measured)
    reasons = MODEL.explain(measured, prediction)
    assert len(reasons) == len(measured.blocks)
    for reason, kept in zip(reasons, prediction.kept.tolist(), strict=True):
        assert reason.reason.startswith("kept: content" if kept else "dropped: content")
        assert (reason.features["content_probability"] > 0.5) == kept


def test_favouring_a_side():
    measured = measure(article_page())
    plain = MODEL.predict(measured).scores
    for side, shift in (("recall", 1.5), ("precision", -1.5)):
        moved = MODEL.favouring(side).predict(measured)
        np.testing.assert_allclose(moved.scores, plain + shift)
        assert moved.kept.tolist() == (plain + shift > 0).tolist()


def test_a_file_gives_the_same_model():
    table = replace(load_table("html5"), name="mine", other="boundary")
    for one in (MODEL, replace(MODEL, name="other", shift=0.5, languages=("en",), record={"seed": 7}, table=table)):
        again = model_from_bytes(model_to_bytes(one), where="here", read=lambda name: b"")
        for name in ("name", "shift", "languages", "record", "table"):
            assert getattr(again, name) == getattr(one, name)
        assert kept_texts(again, article_page()) == kept_texts(one, article_page())


def test_bad_files_are_refused():
    document, good = MODEL.to_document()
    still = {"unary_scale": np.zeros_like(good["unary_scale"])}
    cut = {"unary_weights_0": good["unary_weights_0"][:, :5]}
    deep = {name: good[name][None] for name in ("unary_mean", "unary_scale")}
    wrong_values = ({"schema": 99}, {"features": []}, {"interpolation": "much"})
    for wrong, arrays in (*((wrong, {}) for wrong in wrong_values), ({}, still), ({}, cut), ({}, deep)):
        with pytest.raises(ModelError):
            Web2TextModel.from_document({**document, **wrong}, {**good, **arrays}, where="here")


def test_a_page_without_leaves_is_refused():
    measured = measure(article_page())
    plain = PageFeatures(measured.blocks, measured.matrix, measured.lang, measured.stop_words)
    with pytest.raises(ModelError, match="leaves"):
        MODEL.predict(plain)


def random_labeller():
    return LeafLabeller(network(128, 2, seed=1), network(25, 4, seed=2), 0.3)


@pytest.mark.parametrize(("html", "count"), [("<p></p>", 0), ("<p>alone</p>", 1)])
def test_a_page_of_no_leaf_and_of_one(html, count):
    found = random_labeller().predict(page_features(leaves_of(html)))
    assert (found.kept.shape, found.kept.tolist()) == ((count,), (found.scores > 0).tolist())


def test_pairs_can_overrule_a_leaf():
    labeller = labeller_of_long_leaves()
    # Every change of label is all but impossible.
    labeller.pairwise.layers[-1].bias[:] = (50, -50, -50, 50)
    features = page_features(leaves_of(article_page()))
    assert len(set(replace(labeller, interpolation=1.0).predict(features).kept.tolist())) == 1
    assert len(set(replace(labeller, interpolation=0.0).predict(features).kept.tolist())) == 2


def test_arrays_give_the_same_labeller():
    labeller = random_labeller()
    again = LeafLabeller.from_arrays(labeller.to_arrays(), 0.3)
    features = page_features(leaves_of(article_page()))
    np.testing.assert_array_equal(again.predict(features).scores, labeller.predict(features).scores)
    arrays = labeller.to_arrays()
    del arrays["unary_bias_2"]
    with pytest.raises(KeyError):
        LeafLabeller.from_arrays(arrays, 1.0)


def test_networks_of_other_sizes_are_refused():
    for unary, pairwise, reason in (((127, 2), (25, 4), "128 features"), ((128, 2), (25, 2), "25 features")):
        with pytest.raises(ModelError, match=reason):
            LeafLabeller(network(*unary), network(*pairwise))


FROZEN = Path(__file__).with_name("web2text_network.npz")


def test_answers_equal_those_of_torch_of_long_ago():
    """Those of PyTorch 2.13 (Conv1d, padding "same")."""
    with np.load(FROZEN, allow_pickle=False) as file:
        layers = tuple(Layer(file[f"weights_{number}"], file[f"bias_{number}"]) for number in range(len(KERNELS)))
        network = Network(file["mean"], file["scale"], layers)
        np.testing.assert_allclose(network.logits(file["inputs"]), file["outputs"], atol=1e-5)


def test_sizes_are_those_of_the_paper():
    for inputs, answers, wanted in ((128, 2, 17_960), (25, 4, 12_870)):
        assert sum(layer.weights.size for layer in network(inputs, answers).layers) == wanted


def test_a_convolution_looks_at_its_neighbours():
    weights = np.array([[[1.0]], [[10.0]], [[100.0]]], dtype=np.float32)
    layer = Layer(weights, np.array([0.5], dtype=np.float32))
    found = layer(np.array([[1], [2], [3]], dtype=np.float32))
    assert found[:, 0].tolist() == [210.5, 321.5, 32.5]
    assert layer(np.array([[7]], dtype=np.float32)).tolist() == [[70.5]]


def test_missing_values_become_the_mean():
    network = Network(np.float32([1, 2]), np.float32([2, 4]), ())
    assert network.standardise(np.float32([[3, 2], [np.nan, 10]])).tolist() == [[1, 0], [0, 2]]


def test_logarithms_of_probabilities():
    found = log_softmax(np.array([[0, 0], [1000, -1000], [1, 2]], dtype=np.float32))
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1)
    assert np.exp(found[0]).tolist() == [0.5, 0.5]
    assert np.isfinite(found).all()
    assert log_softmax(np.zeros((0, 2), dtype=np.float32)).shape == (0, 2)


def test_layers_that_do_not_fit_are_refused():
    def ones(*shape):
        return np.ones(shape, np.float32)

    for shape, answers in (((2, 3, 4), 4), ((3, 3, 4), 3)):
        with pytest.raises(ModelError, match="convolution"):
            Layer(ones(*shape), ones(answers))
    layer = Layer(ones(1, 3, 4), ones(4))
    for inputs, layers in ((2, (layer,)), (3, (layer, layer))):
        with pytest.raises(ModelError, match="fit"):
            Network(ones(inputs), ones(inputs), layers)
