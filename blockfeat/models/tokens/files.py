"""Files of token models: JSON for those without counts, npz for those with."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blockfeat.errors import BlockfeatError, ModelError
from blockfeat.models.documents import (
    document_array,
    json_bytes,
    npz_bytes,
    reading_values,
    table_from_value,
    table_value,
)
from blockfeat.models.tokens.classifier import Importance, Scale, TokenClassifier
from blockfeat.models.tokens.model import Constraints, TokenModel
from blockfeat.models.tokens.naive_bayes import FeatureCounts, NaiveBayes
from blockfeat.models.tokens.vocabulary import Vocabulary

__all__ = [
    "TOKEN_KIND",
    "token_model_bytes",
    "token_model_from_arrays",
    "token_model_from_dict",
    "token_model_to_arrays",
    "token_model_to_dict",
]

TOKEN_KIND = "tokens"
"""The ``kind`` of these models in their files."""

_SCHEMA = 1
_COUNTS = ("grams", "unclosed", "around")
_COLUMNS = ("key", "inside", "outside", "sources")
Arrays = dict[str, NDArray[Any]]


def token_model_to_dict(model: TokenModel) -> dict[str, Any]:
    """Return all of a model but its counts as plain values that JSON can hold."""
    document: dict[str, Any] = {
        "kind": TOKEN_KIND,
        "schema": _SCHEMA,
        "name": model.name,
        "system": model.system,
        "table": table_value(model.table),
        "penalty": model.penalty,
        "constraints": {
            "stop_at_rule": model.constraints.stop_at_rule,
            "least_tokens": model.constraints.least_tokens,
            "clean": model.constraints.clean,
        },
        "languages": list(model.languages),
        "record": dict(model.record),
    }
    if model.classifier is not None:
        bayes, scale = model.classifier.bayes, model.classifier.scale
        document["tags"] = list(model.classifier.vocabulary.tags)
        document["scale"] = {"name": scale.name, "bias": scale.bias, "limit": scale.limit}
        document["bayes"] = {
            "inside": bayes.inside,
            "outside": bayes.outside,
            "size": bayes.size,
            "smoothing": bayes.smoothing,
            "neighbours": bayes.neighbours,
            "balanced": bayes.balanced,
        }
        if model.classifier.importance is not None:
            document["importance"] = model.classifier.importance.factor
    return document


def token_model_from_dict(
    document: Mapping[str, Any], *, where: str = "model", read: Callable[[str], bytes] | None = None
) -> TokenModel:
    """Make a model of plain values.

    Parameters
    ----------
    document : mapping
        What `token_model_to_dict` returned, or a document whose ``"counts"`` names the file of another model: then
        that model's classifier is used.
    where : str
        What messages call the document.
    read : callable, optional
        Returns the bytes of such a file.

    Raises
    ------
    ModelError
        Something is missing or wrong; the message names ``where``.
    """
    counts = document.get("counts") if isinstance(document, Mapping) else None
    if not isinstance(counts, str):
        return _model(document, None, where)
    if read is None:
        raise ModelError(f"{where}: its counts are in {counts}, which cannot be read from here")
    if Path(counts).name != counts:
        raise ModelError(f"{where}: its counts must be in a file beside it, not in {counts!r}")
    try:
        data = read(counts)
    except OSError as error:
        raise ModelError(f"{where}: its counts cannot be read: {error}") from error
    base = _model_from_bytes(data, where=f"{where}: {counts}")
    return _model(document, base.classifier, where)


def token_model_to_arrays(model: TokenModel) -> Arrays:
    """Return a model with counts as named arrays, for an npz file; ``document`` holds the rest as JSON.

    Raises
    ------
    ModelError
        The model has no counts: its file is JSON (`token_model_to_dict`).
    """
    if model.classifier is None:
        raise ModelError(f"model {model.name!r} has no counts to write")
    classifier = model.classifier
    arrays: Arrays = {"form": _steps(classifier.vocabulary.form), "stem": classifier.vocabulary.stem}
    for name in _COUNTS:
        counts: FeatureCounts = getattr(classifier.bayes, name)
        for column in _COLUMNS:
            values = getattr(counts, column)
            arrays[f"{name}_{column}"] = _steps(values) if column == "key" else values
    if classifier.importance is not None:
        arrays["weight"] = classifier.importance.weight.astype(np.float16)
    return {"document": document_array(token_model_to_dict(model)), **arrays}


def token_model_from_arrays(
    document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *, where: str = "model"
) -> TokenModel:
    """Make a model of the document and the other arrays of what `token_model_to_arrays` returned.

    Raises
    ------
    ModelError
        Something is missing or wrong; the message names ``where``.
    """
    try:
        classifier = _classifier(document, arrays)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ModelError(f"{where}: missing or wrong value: {error}") from error
    return _model(document, classifier, where)


def token_model_bytes(model: TokenModel) -> bytes:
    """Return the bytes of a model's file: npz where it has counts, else JSON."""
    if model.classifier is None:
        return json_bytes(token_model_to_dict(model))
    return npz_bytes(token_model_to_arrays(model))


def _model_from_bytes(data: bytes, *, where: str = "model") -> TokenModel:
    """Read the bytes of an npz file.

    Raises
    ------
    ModelError
        Something is missing or wrong; the message names ``where``.
    """
    try:
        with np.load(BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
            document = json.loads(arrays.pop("document").tobytes())
    except (ValueError, KeyError, OSError, EOFError, RecursionError, zipfile.BadZipFile) as error:
        raise ModelError(f"{where}: not a file of a token model: {error}") from error
    return token_model_from_arrays(document, arrays, where=where)


def _model(document: Mapping[str, Any], classifier: TokenClassifier | None, where: str) -> TokenModel:
    if not isinstance(document, Mapping) or document.get("kind") != TOKEN_KIND or document.get("schema") != _SCHEMA:
        raise ModelError(f"{where}: not a token model of schema {_SCHEMA}, which this version reads")
    with reading_values(where, prefixed=BlockfeatError):
        table = table_from_value(document["table"], where=where)
        return TokenModel(
            name=str(document["name"]),
            system=document["system"],
            table=table,
            penalty=float(document["penalty"]),
            classifier=classifier,
            constraints=Constraints(**document["constraints"]),
            languages=tuple(document["languages"]),
            record=document.get("record", {}),
        )


def _classifier(document: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> TokenClassifier:
    columns = {
        name: FeatureCounts(
            _sums(arrays[f"{name}_key"]),
            *(arrays[f"{name}_{column}"].astype(np.uint32, casting="safe") for column in _COLUMNS[1:]),
        )
        for name in _COUNTS
    }
    classifier = TokenClassifier(
        vocabulary=Vocabulary(tuple(document["tags"]), _sums(arrays["form"]), arrays["stem"].astype(np.uint32)),
        bayes=NaiveBayes(columns["grams"], columns["unclosed"], columns["around"], **document["bayes"]),
        scale=Scale(**document["scale"]),
    )
    if "importance" not in document:
        return classifier
    weight = arrays["weight"].astype(np.float64)
    return replace(classifier, importance=Importance(weight, float(document["importance"])))


def _steps(ascending: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the steps between ascending numbers, which compress far better."""
    return np.diff(ascending, prepend=np.uint32(0))


def _sums(steps: NDArray[Any]) -> NDArray[np.uint32]:
    return np.cumsum(steps, dtype=np.uint32)
