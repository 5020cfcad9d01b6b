"""Model files: what comes back, and what is refused."""

import functools
import json
import operator
import os
import pickle
import shutil
import subprocess
import zipfile

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import LinearSVC

from optimargin import OptimalMarginClassifier, baselines
from optimargin.files import FileError, load_model, models, save_model, sort_columns, table_pipeline
from optimargin.files.trusted import CLASSES, LOADERS, trusted_types

X, CODES = load_iris(return_X_y=True)
NAMES = load_iris().target_names[CODES]


def small(**parameters):
    return OptimalMarginClassifier(random_state=0, max_generations=5, **parameters)


def mixed_pipeline():
    frame = pd.DataFrame({"x": X[:, 0], "c": pd.Series(["a", None, "b"] * 50, dtype=object)})
    frame.loc[3, "x"] = np.nan
    columns = sort_columns(frame, "t")
    values = columns.select(frame, "t")
    return table_pipeline(columns, small()).fit(values, NAMES), values


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "a.model"
    save_model(path, small().fit(X, CODES), {"target": "kind"})
    return path


def rewritten(path, **parts):
    """The same archive with some parts replaced."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content |= {name.replace("_json", ".json"): part for name, part in parts.items()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in content.items():
            archive.writestr(name, part)
    return path


def page_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read(models.ABOUT))


def schema_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read(models.SCHEMA))


CONFIGURATIONS = [
    {},
    {"optimizer": "cma_es", "start": "random"},
    {"optimizer": "evolution_strategy"},
    {"optimizer": "separable_cma_es"},
    {"optimizer": "coordinate"},
    {"separator": "average", "n_separators": 3},
    {"optimizer": "particle_swarm", "l1": 0.1},
    {"scaling": "whiten", "class_weight": None},
    {"scaling": None, "restarts": 2, "decision_function_shape": "ovo"},
]


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("parameters", CONFIGURATIONS, ids=str)
@pytest.mark.parametrize(
    "y",
    [CODES, NAMES, NAMES.astype(object), CODES > 0, CODES.astype(np.float32)],
    ids=["int", "str", "object", "bool", "float32"],
)
def test_every_configuration_is_stored_with_trusted_types_only(tmp_path, parameters, y):
    fitted = small(**parameters).fit(X, y)
    save_model(tmp_path / "a.model", fitted, {})
    again = load_model(tmp_path / "a.model").estimator
    assert type(again) is OptimalMarginClassifier
    np.testing.assert_array_equal(again.classes_, fitted.classes_)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    assert again.get_params() == fitted.get_params()
    assert vars(again).keys() == vars(fitted).keys()
    if fitted.separator == "average":
        np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("class_weight", [{0: 1, 1: 2.5, 2: 1}, {"a": 2, "b": 1}], ids=str)
def test_costs_are_stored(tmp_path, class_weight):
    y = CODES if 0 in class_weight else np.where(CODES > 0, "a", "b")
    save_model(tmp_path / "a.model", small(class_weight=class_weight).fit(X, y), {})
    assert load_model(tmp_path / "a.model").estimator.class_weight == class_weight


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
def test_pipelines_come_back(tmp_path):
    pipeline, values = mixed_pipeline()
    scaled = make_pipeline(StandardScaler(), small()).fit(X, CODES)
    for fitted, features in ((pipeline, values), (scaled, X)):
        save_model(tmp_path / "a.model", fitted, {"note": ["é", 1, None]})
        model = load_model(tmp_path / "a.model")
        assert isinstance(model.estimator, Pipeline)
        assert model.about == {"note": ["é", 1, None]}
        assert set(model.versions) == {"optimargin", "scikit-learn"}
        np.testing.assert_array_equal(
            model.estimator.decision_function(features), fitted.decision_function(features)
        )


def baseline(kind, inner=LogisticRegression):
    made = getattr(baselines, kind)
    return made(inner()) if kind == "ThresholdRefitClassifier" else made()


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", baselines.__all__)
@pytest.mark.parametrize("y", [NAMES[::3], CODES[::3] > 0], ids=["three classes", "two"])
def test_every_baseline_comes_back(tmp_path, kind, y):
    fitted = baseline(kind).fit(X[::3, 1:], y)
    save_model(tmp_path / "a.model", fitted, {})
    again = load_model(tmp_path / "a.model").estimator
    assert type(again) is type(fitted)
    np.testing.assert_array_equal(again.predict(X[:, 1:]), fitted.predict(X[:, 1:]))
    np.testing.assert_array_equal(
        again.decision_function(X[:, 1:]), fitted.decision_function(X[:, 1:])
    )


def test_a_refitted_svm_comes_back(tmp_path):
    fitted = baseline("ThresholdRefitClassifier", LinearSVC).fit(X, CODES > 0)
    save_model(tmp_path / "a.model", fitted, {})
    again = load_model(tmp_path / "a.model").estimator
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))


def test_the_list_is_fixed_and_names_nothing_that_runs_code():
    assert "FunctionNode" not in LOADERS
    for kind in CLASSES:
        types = trusted_types(kind)
        assert types == trusted_types(kind)
        strange = {
            name
            for name in types
            if name.split(".")[0] not in ("builtins", "numpy", "optimargin", "sklearn")
        }
        assert not strange
    with pytest.raises(FileError, match="'LogisticRegression' are not supported"):
        trusted_types("LogisticRegression")


@pytest.mark.filterwarnings("ignore:.*:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "harmful",
    [
        FunctionTransformer(os.system),
        FunctionTransformer(functools.partial(os.system, "true")),
        FunctionTransformer(operator.methodcaller("fit")),
        FunctionTransformer(np.random.RandomState(0)),
        FunctionTransformer(np.random.default_rng(0)),
        StandardScaler(with_mean=subprocess.Popen),
    ],
    ids=["function", "partial", "methodcaller", "state", "generator", "class"],
)
def test_a_file_with_anything_else_is_refused_before_it_is_rebuilt(tmp_path, stored, harmful):
    page = page_of(stored)
    fitted = small().fit(X, CODES)
    skops.io.dump(Pipeline([("first", harmful), ("last", fitted)]), tmp_path / "b.model")
    rewritten(tmp_path / "b.model", optimargin_json=json.dumps(page))
    with pytest.raises(FileError, match=r"is refused: it holds .*no part of an optimargin model"):
        load_model(tmp_path / "b.model")
    with pytest.raises(FileError, match="is refused"):
        save_model(tmp_path / "c.model", Pipeline([("first", harmful), ("last", fitted)]), {})
    assert not (tmp_path / "c.model").exists()


@pytest.mark.parametrize(
    "node",
    [
        {"__module__": "os", "__class__": "system", "__loader__": "FunctionNode"},
        {"__module__": "builtins", "__class__": "dict", "__loader__": "FunctionNode"},
        {"__module__": "builtins", "__class__": "eval", "__loader__": "TypeNode"},
        {"__module__": "posix", "__class__": "system", "__loader__": "ObjectNode"},
        {"__loader__": "ReduceNode"},
    ],
    ids=str,
)
def test_a_forged_description_is_refused_before_skops_sees_it(stored, node, monkeypatch):
    monkeypatch.setattr(skops.io, "loads", lambda *args, **options: pytest.fail("skops was asked"))
    schema = schema_of(stored)
    schema["content"]["content"]["l1"] = node
    rewritten(stored, schema_json=json.dumps(schema))
    with pytest.raises(FileError, match="is refused"):
        load_model(stored)


class Harmful:
    def __reduce__(self):
        return os.system, ("exit 1",)


def test_pickles_and_other_files_are_no_models(tmp_path):
    path = tmp_path / "a.model"
    for content in (b"", b"not a model", pickle.dumps(Harmful()), b"PK\x03\x04" + b"\0" * 100):
        path.write_bytes(content)
        with pytest.raises(FileError, match="is not a model file, or a damaged one"):
            load_model(path)
    skops.io.dump({"a": 1}, path)
    with pytest.raises(FileError, match="is not a model that optimargin wrote"):
        load_model(path)
    with pytest.raises(FileError, match=r"cannot read .*: No such file"):
        load_model(tmp_path / "none.model")


def test_damage_is_noticed_wherever_it_is(stored):
    content = stored.read_bytes()
    for length in np.linspace(0, len(content) - 1, 12).astype(int):
        stored.write_bytes(content[:length])
        with pytest.raises(FileError, match="damaged"):
            load_model(stored)
    rng = np.random.default_rng(0)
    expected = None
    for _ in range(60):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= 1 << rng.integers(8)
        stored.write_bytes(bytes(damaged))
        # A bit of a date or of another field that nobody reads may change nothing.
        try:
            model = load_model(stored)
        except FileError:
            continue
        scores = model.estimator.decision_function(X)
        expected = scores if expected is None else expected
        np.testing.assert_array_equal(scores, expected)


def test_a_newer_format_asks_for_a_newer_version(stored):
    page = page_of(stored)
    assert page["format_version"] == models.FORMAT_VERSION == 1
    for version, message in (
        (2, "model format 2 and this optimargin reads up to 1: install a newer"),
        ("1", "no format version"),
        (None, "no format version"),
    ):
        rewritten(stored, optimargin_json=json.dumps(page | {"format_version": version}))
        with pytest.raises(FileError, match=message):
            load_model(stored)


def test_a_page_that_does_not_fit_its_model_is_refused(stored, tmp_path):
    page = page_of(stored)
    other = tmp_path / "other.model"
    shutil.copy(stored, other)
    rewritten(other, optimargin_json=json.dumps(page | {"kind": "SomethingElse"}))
    with pytest.raises(FileError, match="'SomethingElse' are not supported"):
        load_model(other)
    rewritten(other, optimargin_json=json.dumps(page | {"about": None}))
    with pytest.raises(FileError, match="description is incomplete"):
        load_model(other)
    scaler = tmp_path / "scaler.model"
    skops.io.dump(StandardScaler().fit(X), scaler)
    rewritten(scaler, optimargin_json=json.dumps(page))
    with pytest.raises(FileError, match="does not hold what it says"):
        load_model(scaler)
