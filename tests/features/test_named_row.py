"""A row of a matrix by names."""

import pickle

import numpy as np
import pytest

from blockfeat.features.schema import NamedRow

MATRIX = np.array([[1.0, 2.0], [0.5, -3.0]], dtype=np.float32)
ROW = NamedRow(MATRIX, {"words": 0, "links": 1}, 1)


def test_it_is_a_mapping_of_plain_numbers() -> None:
    assert ROW == {"words": 0.5, "links": -3.0} == dict(ROW)
    assert list(ROW) == ["words", "links"]
    assert len(ROW) == 2
    assert type(ROW["links"]) is float
    assert repr(ROW) == "{'words': 0.5, 'links': -3.0}"


def test_an_unknown_name_is_a_key_error() -> None:
    assert "tags" not in ROW
    with pytest.raises(KeyError):
        ROW["tags"]


def test_rows_share_their_matrix_when_they_are_sent_to_another_process() -> None:
    matrix = np.zeros((1_000, 50), dtype=np.float32)
    rows = NamedRow.rows(matrix, [str(place) for place in range(50)])
    assert len(pickle.dumps(rows)) < matrix.nbytes + 100_000
    assert pickle.loads(pickle.dumps(rows))[3] == rows[3]
