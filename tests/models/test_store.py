"""Model files and bundled models."""

import io
import json
import random
import re
import subprocess
import sys
import textwrap
import tracemalloc
import zipfile
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfeat import Extractor
from blockfeat.errors import ModelError, OutputError
from blockfeat.models import bundled_models, load_model, save_model, store
from blockfeat.models.model import Model
from blockfeat.models.store import MODEL_KINDS, digest_of, model_class, model_from_bytes
from blockfeat.page.page import Page
from blockfeat.training.config import TRAINERS
from cases import CASES


def test_the_bundled_models_load_and_say_where_they_come_from() -> None:
    baselines = {"crunch2003", "longest-block", "mss-simple"}
    trained = {"crunch", "default", "margin", "mss-supervised", "thresholds", "web2text", "ziegler2007"}
    assert baselines | trained <= set(bundled_models())
    for name in bundled_models():
        assert (model := load_model(name)).name == name
        assert model.record["command"].startswith(("blockfeat train", "python tools/"))
        assert model.record.get("corpora") or name in baselines


def test_ziegler2007_is_the_paper_to_the_letter() -> None:
    model = load_model("ziegler2007")
    assert (model.table.name, model.decoder.name, len(model.features)) == ("ziegler2007", "conjunction", 8)


@pytest.mark.parametrize(("name", "known", "reason"), CASES["an_unknown_model_lists_the_bundled_ones"])
def test_an_unknown_model_lists_the_bundled_ones(name: str, known: str, reason: str) -> None:
    known = known.replace("?", "[?]")
    with pytest.raises(ModelError, match=rf"no bundled model \({known}.*\), and no file that can be read: {reason}$"):
        load_model(name)


@pytest.mark.parametrize("name", [5, None, ["default"], b"default"])
def test_what_is_no_name_is_a_model_error(name: object) -> None:
    with pytest.raises(ModelError, match=r"no bundled model .*, and no file that can be read: .*, not .*"):
        load_model(name)  # type: ignore[arg-type]


FOLDER = Path(store.__file__).with_name("bundled")
BUNDLED = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir())}


def read(data: bytes, name: str) -> Model:
    return model_from_bytes(data, where=name, read=lambda other: (FOLDER / other).read_bytes())


def identity(model: Model) -> str:
    document, arrays = model.to_document()
    return digest_of(json.loads(json.dumps(document)), arrays)


def packed(document: object, arrays: Mapping[str, Any]) -> bytes:
    """An archive as earlier versions wrote it: without a digest."""
    np.savez(buffer := io.BytesIO(), document=np.frombuffer(json.dumps(document).encode(), np.uint8), **arrays)
    return buffer.getvalue()


@pytest.mark.parametrize("flips", [400, pytest.param(10_000, marks=pytest.mark.rest)])
def test_a_flipped_bit_is_an_error_or_changes_nothing(flips: int) -> None:
    chance = random.Random(flips)
    whole, seen = {name: identity(read(data, name)) for name, data in BUNDLED.items()}, set()
    for _ in range(flips):
        data = bytearray(BUNDLED[name := chance.choice(list(BUNDLED))])
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            found = identity(read(bytes(data), name))
        except ModelError as error:
            found = str(error)
        assert found == whole[name] or found.startswith(f"{name}: ")
        seen.add(found == whole[name])
    assert seen == {False, True}


def damaged(values: np.ndarray) -> list[Any]:
    filled = [np.full(values.shape, value) for value in (None, "7", b"7", 7j, np.nan, -np.inf, 1e39)]
    deeper = [values[None], values[..., None], values[None, None]]
    return [None, values[:-1], *deeper, values.astype("i8" if values.dtype.kind == "f" else "f4"), *filled]


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.rest)])
@pytest.mark.parametrize("name", ["default", "mss-supervised", "web2text"])
def test_values_and_arrays_that_do_not_fit_are_refused(name: str, step: int) -> None:
    wrong = {"content": {"weights": [], "bias": 0}, "tags": 7, "shift": np.inf}  # one of them is a value of this kind
    document, arrays = load_model(name).to_document()
    turned = {key: np.asfortranarray(values) for key, values in arrays.items()}
    for same in (arrays, turned):
        assert identity(read(packed(document, same), "old.npz")) == identity(load_model(name))
    made = [(key, values) for key in arrays for values in damaged(arrays[key])][::step]
    files = [(document | wrong, arrays)] + [(document, {**arrays, key: values}) for key, values in made]
    for changed, damage in files:
        with pytest.raises(ModelError, match=r"^made\.npz: "):
            read(packed(changed, {key: values for key, values in damage.items() if values is not None}), "made.npz")


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(buffer := io.BytesIO(), "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def npy(kind: str, shape: str) -> tuple[str, bytes]:
    header = f"{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return "mean.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(4)


def patched(data: bytes, place: int, value: bytes) -> bytes:
    """The archive with other values in the head of its first member and in its directory."""
    changed = bytearray(data)
    for start in (place, data.index(b"PK\x01\x02") + place + 2):
        changed[start : start + len(value)] = value
    return bytes(changed)


def hostile() -> Iterator[bytes]:
    bomb, good = zipped(("mean.npy", bytes(16 << 20))), npy("'<f4'", "(1,)")
    yield from (bomb, patched(bomb, 22, b"\xff\0\0\0"), patched(zipped(good), 22, b"\xff\xff\xff\xfe"))
    yield zipped(*((f"{number}.npy", bytes(1 << 20)) for number in range(16)))
    yield from (patched(zipped(good), 6, b"\1\0"), zipped(good, method=zipfile.ZIP_LZMA), zipped(("a.txt", b"text")))
    document, arrays = load_model("default").to_document()
    yield from (zipped(good), packed(document, {**arrays, "maen": arrays["mean"]}).replace(b"maen", b"mean"))
    for shape in ("(10000000000000,)", "(4294967296, 4294967296)", "(-1,)", "(" * 9_000, "(1.0,)", "(2,)", "1"):
        yield zipped(npy("'<f4'", shape))
    for kind in ("'|O'", "[('a', '<f4')]", "'<c8'", "'<f1'", "'<U1'", "'|V4'", "'<f4', 'descr': '<f4'", "9" * 5_000):
        yield zipped(npy(kind, "(1,)"))
    yield from (BUNDLED["default.npz"][:length] for length in (1, 4, 99, 5_000, 25_000))
    yield from (packed({"kind": "x" * (5 << 20)}, {}), packed([], {}), b'{"kind": "%s"}' % bytes(5 << 20))
    yield from (b'{"kind": %s}' % (b"9" * 5_000), b'{"kind":' * 100_000, b"[" * 100_000, b'{"kind": "\xc4"}')
    yield from (b"", b"{", b"[]", b"7", b'{"kind": "pickle"}')
    yield BUNDLED["mss-simple.json"].replace(b'"digest"', b'"a": 1, "a"')


@pytest.mark.parametrize(("name", "reason"), [("hostile.npz", "a damaged npz file"), ("hostile.json", "")])
@pytest.mark.usefixtures("nothing_to_free")
def test_hostile_files_are_refused_in_little_memory(tmp_path: Path, name: str, reason: str) -> None:
    for data in hostile():
        (tmp_path / name).write_bytes(data)
        tracemalloc.start()
        with pytest.raises(ModelError, match=rf"{name}: {reason}"):
            load_model(tmp_path / name)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < (4 << 20) + 25 * len(data), data[:99]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'{"kind": 7}'.ljust(1 << 22), "kind 7 is unknown"),
        (b'{"kind": 7}'.ljust((1 << 22) + 1), "a document of 4,194,305 bytes, of at most 4,194,304"),
        (
            patched(zipped(("a", bytes(5 << 20)), method=zipfile.ZIP_STORED), 22, b"\1\0\0\x10"),
            "it declares 268,435,457 bytes, of at most 268,435,456",
        ),
        (zipped(("a.npy", bytes(1 << 20))), "'a.npy' is no array of numbers"),
        (zipped(("a.npy", bytes((1 << 20) + 1))), "it declares 1,048,577 bytes, of at most 1,048,576"),
        (zipped(("a.npy", random.Random(1).randbytes(1 << 15)), ("b.npy", bytes(1 << 22))), "of at most {64 times}"),
    ],
)
def test_how_much_a_file_may_hold(data: bytes, reason: str) -> None:
    with pytest.raises(ModelError, match=f"{reason.replace('{64 times}', f'{64 * len(data):,}')}(;|$)"):
        read(data, "made")


def test_how_many_bytes_of_a_file_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(store, "_MOST_BYTES", 12)
    for size, reason in ((12, "neither JSON nor npz"), (13, "it has more than 12 bytes")):
        (tmp_path / "model.json").write_bytes(b"{" * size)
        with pytest.raises(ModelError, match=reason):
            load_model(tmp_path / "model.json")


def test_a_file_beside_a_model_is_read_with_it(tmp_path: Path) -> None:
    path, beside = tmp_path / "mss-supervised-hr.json", tmp_path / "mss-supervised.npz"
    for file in (path, beside):
        file.write_bytes(BUNDLED[file.name])
    assert identity(load_model(path)) == identity(load_model("mss-supervised-hr"))
    beside.unlink()
    with pytest.raises(ModelError, match=r"it refers to mss-supervised\.npz, which cannot be read: .*No such file"):
        load_model(path)


def test_an_archive_may_be_packed_in_both_ways_of_numpy() -> None:
    with zipfile.ZipFile(FOLDER / "default.npz") as old, zipfile.ZipFile(buffer := io.BytesIO(), "w") as new:
        for number, name in enumerate(old.namelist()):
            new.writestr(name, old.read(name), zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED)
    assert identity(read(buffer.getvalue(), "mixed.npz")) == identity(load_model("default"))


WRONG = ("null", "[]", "{}", '"x"', '"nan"', "true", "-1", "0", "1.5", "1e999", "9" * 400, "[[]]", '"/dev/zero"', "NaN")


@pytest.mark.parametrize("files", [12, pytest.param(100, marks=pytest.mark.rest)])
def test_a_wrong_value_is_an_error_of_the_model_or_does_no_harm(files: int) -> None:
    chance, identifier, refused = random.Random(1), Extractor.load("mss-simple").measurer.identifier, 0
    for name in (name for name in BUNDLED if name.endswith(".json")):
        text = BUNDLED[name].decode().replace('"digest"', '"others"')
        places = [found.span(1) for found in re.finditer(r': ("[^"]*"|[-.\d]+|true|false|null|\[\])', text)]
        for (start, end), value in chance.choices([*product(places, WRONG)], k=files):
            try:
                model = read((text[:start] + value + text[end:]).encode(), name)
                measured = model.measurer(identifier).measure(Page.parse("<p>A ferry left the harbour.</p>"))
                assert np.isfinite(model.predict(measured).scores).all()
            except ModelError:
                refused += 1
    assert refused > 2 * files


def test_a_file_that_does_not_fit_its_digest_is_refused() -> None:
    document, arrays = load_model("default").to_document()
    document["digest"] = digest_of(document, arrays)
    assert f'"digest": "{document["digest"]}"}}'.encode() in zipfile.ZipFile(FOLDER / "default.npz").read(
        "document.npy"
    )
    assert identity(read(packed(document, arrays), "own.npz")) == document["digest"]
    for changed in ((document | {"cut": 0.6}, arrays), (document, {**arrays, "mean": arrays["mean"] + 1})):
        with pytest.raises(ModelError, match=r"^own\.npz: damaged or edited: its 'digest' does not fit"):
            read(packed(*changed), "own.npz")
    for name in (name for name in BUNDLED if name.endswith(".json")):
        edited = json.loads(BUNDLED[name]) | {"languages": ["de"]}
        with pytest.raises(ModelError, match="'digest' does not fit, which an edited file leaves out"):
            read(json.dumps(edited).encode(), name)
        del edited["digest"]
        assert read(json.dumps(edited).encode(), name).languages == ("de",)


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        save_model(load_model("thresholds"), tmp_path / "file" / "model.json")
    with pytest.raises(ModelError, match=r"^None is no model that can be saved$"):
        save_model(None, tmp_path / "model.json")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", bundled_models())
def test_every_bundled_model_survives_its_file(name: str, tmp_path: Path) -> None:
    model, path = load_model(name), tmp_path / "folder" / "model.json"
    save_model(model, path)
    again = load_model(path)
    assert [entry.name for entry in path.parent.iterdir()] == ["model.json"]
    assert path.read_bytes().startswith((b'{\n  "', b"PK"))
    assert (identity(again), again.feature_names) == (identity(model), model.feature_names)


_MODULE = """
    from blockfeat.models.threshold import ThresholdModel
    from blockfeat.training.thresholds import ThresholdTrainer

    class KeenModel(ThresholdModel):
        kind = "keen"

    class KeenTrainer(ThresholdTrainer):
        kind = "keen"
"""
_ENTRY_POINTS = """
    [blockfeat.models]
    keen = keen_models:KeenModel
    gone = keen_model:KeenModel
    lost = keen_models:LostModel

    [blockfeat.trainers]
    keen = keen_models:KeenTrainer
"""


def test_every_kind_is_registered_under_its_name() -> None:
    trained = [kind for kind in MODEL_KINDS if kind != "site"]  # rules on top of another kind
    assert [model_class(kind, where="here").kind for kind in trained] == trained
    assert {load_model(name).kind for name in bundled_models()} <= set(trained)
    assert set(TRAINERS) == set(trained) - {"crunch"}  # the experiments of its paper train it
    for kind in ("pickle", None, ["margin"]):
        with pytest.raises(
            ModelError, match=rf"^file.json: kind {re.escape(repr(kind))} is unknown; known are .*margin"
        ):
            model_class(kind, where="file.json")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a small package of somebody else in a folder that Python looks into; return the folder."""
    (tmp_path / "keen_models.py").write_text(textwrap.dedent(_MODULE))
    metadata = tmp_path / "keen_models-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: keen-models\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(textwrap.dedent(_ENTRY_POINTS))
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_another_package_adds_a_kind(installed: Path) -> None:
    document, _ = load_model("thresholds").to_document()
    path = installed / "mine.json"
    path.write_text(json.dumps({**document, "kind": "keen", "name": "mine"}))
    extractor = Extractor.load(path)
    assert (extractor.model.kind, extractor.model.name) == ("keen", "mine")
    assert extractor.extract("<p>The ferry leaves at nine and returns before dark.").error is None
    assert TRAINERS["keen"].kind == "keen"


@pytest.mark.parametrize("kind", ["lost", "gone"])
def test_a_kind_that_cannot_be_imported_is_an_error_that_names_it(installed: Path, kind: str) -> None:
    known = [*MODEL_KINDS]
    assert (kind in known, kind in MODEL_KINDS, len(known)) == (True, True, len(MODEL_KINDS))
    assert (known[:4], known[4:]) == (["thresholds", "margin", "sequence", "site"], sorted(known[4:]))
    with pytest.raises(ModelError, match=rf"'{kind}' of the entry points 'blockfeat.models' cannot be imported"):
        model_class(kind, where="file.json")


def test_the_default_model_needs_no_look_at_what_is_installed() -> None:
    code = "import sys, blockfeat; blockfeat.Extractor.load(); print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
