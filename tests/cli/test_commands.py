"""The commands, run inside this process: what they write and print."""

import gzip
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from optimargin.cli import main
from optimargin.files import load_model, read_table


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)

    def invoke(*words, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["optimargin", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main.exit_code()
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return invoke


@pytest.fixture
def succeed(run):
    def invoke(*words, stdin=b""):
        code, out, err = run(*words, stdin=stdin)
        assert (code, err) == (0, "")
        return out

    return invoke


@pytest.fixture(scope="session")
def cancer():
    data = load_breast_cancer(as_frame=True)
    frame = data.data.iloc[:, :6].copy()
    frame["kind"] = data.target_names[data.target]
    return frame


@pytest.fixture(scope="session")
def visits():
    """Numbers, categories, missing values, an identifier, codes, rows without a label."""
    rng = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame(
        {
            "id": [f"visit {number}" for number in range(n)],
            "age": rng.normal(40, 10, n).round(1),
            "city": rng.choice(np.array(["Bonn", "Rome", None], dtype=object), n),
            "code": rng.integers(0, 3, n),
        }
    )
    frame["ill"] = np.where((frame["age"] > 40) ^ (frame["code"] == 1), 1.0, 0.0)
    frame.loc[::20, "age"] = np.nan
    frame.loc[5:9, "ill"] = np.nan
    return frame


def test_fit_predict_evaluate_inspect(succeed, cancer, tmp_path):
    cancer.to_csv("cancer.csv", index=False)
    out = succeed("fit", "cancer.csv", "--target", "kind", "-o", "cancer.model")
    assert "benign (357), malignant (212)" in out
    assert "Saved cancer.model" in out

    succeed("predict", "cancer.model", "cancer.csv", "-o", "out.csv")
    predicted = read_table("out.csv")
    model = load_model("cancer.model").estimator
    features = cancer.drop(columns="kind")
    assert predicted.columns.tolist() == ["label", "score"]
    np.testing.assert_array_equal(predicted["label"], model.predict(features))
    np.testing.assert_allclose(
        predicted["score"], model.decision_function(features), rtol=1e-12, atol=1e-12
    )

    report = json.loads(succeed("evaluate", "cancer.model", "cancer.csv", "--json"))
    right = predicted["label"].to_numpy() == cancer["kind"].to_numpy()
    assert report["accuracy"] == pytest.approx(right.mean())
    assert report["balanced_accuracy"] == pytest.approx(
        np.mean([right[cancer["kind"] == kind].mean() for kind in ("benign", "malignant")])
    )
    assert np.sum(report["confusion"]) == len(cancer)
    text = succeed("evaluate", "cancer.model", "cancer.csv")
    assert f"balanced accuracy  {100 * report['balanced_accuracy']:6.2f} %" in text

    inspected = json.loads(succeed("inspect", "cancer.model", "--json"))
    (separator,) = inspected["separators"]
    weights = {term["input"]: term["weight"] for term in separator["weights"]}
    by_hand = sum(weights[name] * features[name] for name in features) > separator["threshold"]
    np.testing.assert_array_equal(by_hand, predicted["label"] == separator["above"])
    assert inspected["training"]["rows"] == 569
    text = succeed("inspect", "cancer.model", "--top", "2")
    assert "malignant if" in text
    assert "otherwise benign" in text
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cancer.csv",
        "cancer.model",
        "out.csv",
    ]


def test_tables_of_all_kinds_give_the_same_predictions(succeed, cancer):
    cancer.to_csv("cancer.csv", index=False)
    cancer.to_parquet("cancer.parquet")
    with open("cancer.csv", "rb") as file:
        content = file.read()
    with open("packed", "wb") as file:
        file.write(gzip.compress(content))
    models = []
    for name, stdin in (("cancer.csv", b""), ("cancer.parquet", b""), ("packed", b"")):
        succeed("fit", name, "-t", "kind", "-o", "a.model", stdin=stdin)
        models.append(load_model("a.model").estimator.named_steps["classifier"].coef_)
    out = succeed("fit", "-", "-t", "kind", "-o", "a.model", "--json", stdin=content)
    assert json.loads(out)["training"]["table"] == "standard input"
    models.append(load_model("a.model").estimator.named_steps["classifier"].coef_)
    for weights in models[1:]:
        np.testing.assert_array_equal(weights, models[0])

    direct = succeed("predict", "a.model", "-", "-o", "-", stdin=content)
    for output in ("out.csv", "out.csv.gz", "out.parquet"):
        told = json.loads(succeed("predict", "a.model", "packed", "-o", output, "--json"))
        assert told["rows"] == len(cancer)
        pd.testing.assert_frame_equal(
            read_table(output), read_table(io_file("direct.csv", direct)), rtol=1e-12
        )


def io_file(name, text):
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return name


def test_categories_and_missing_values_are_handled_and_reported(succeed, visits):
    visits.to_csv("visits.csv", index=False)
    out = succeed("fit", "visits.csv", "-t", "ill", "-o", "a.model", "--categorical", "code")
    assert "rows without a label, left out: 5" in out
    assert "left out 'id': 235 different texts in 235 rows" in out
    assert "'age': 12 missing values became the median" in out
    assert "missing values became a category of their own" in out
    about = load_model("a.model").about
    assert about["categorical"] == ["city", "code"]
    assert about["classes"] == [0, 1]
    assert about["inputs"][0] == "age"
    assert "code = 2" in about["inputs"]
    assert "(code = 1)" in succeed("inspect", "a.model")

    out = succeed("evaluate", "a.model", "visits.csv")
    assert "235 rows (5 without a label left out)" in out
    # New places, codes that were never seen, everything missing, other columns in any order.
    io_file("new.csv", "other,code,city,age\n2020-01-01,9,Oslo,\n,1,,50\n")
    succeed("predict", "a.model", "new.csv", "-o", "out.csv")
    assert set(read_table("out.csv")["label"]) <= {0, 1}


def test_more_than_two_classes(succeed):
    frame = load_iris(as_frame=True).frame
    frame["target"] = load_iris().target_names[frame["target"]]
    frame.to_csv("iris.csv", index=False)
    costs = "setosa=1,versicolor=2,virginica=3"
    succeed("fit", "iris.csv", "-t", "target", "-o", "a.model", "--class-weight", costs)
    succeed("predict", "a.model", "iris.csv", "-o", "out.csv")
    out = read_table("out.csv")
    assert out.columns.tolist() == ["label", "score_setosa", "score_versicolor", "score_virginica"]
    winners = out.columns[1:].to_numpy()[out.iloc[:, 1:].to_numpy().argmax(axis=1)]
    assert (winners == ("score_" + out["label"])).all()
    report = json.loads(succeed("evaluate", "a.model", "iris.csv", "--json"))
    assert report["roc_auc"] is None
    assert report["balanced_accuracy"] > 0.95
    assert len(json.loads(succeed("inspect", "a.model", "--json"))["separators"]) == 3


def test_options_reach_the_classifier_and_the_seed_makes_the_model(succeed, cancer):
    cancer.to_csv("cancer.csv", index=False)
    words = ["fit", "cancer.csv", "-t", "kind", "-o", "a.model", "--drop", "mean radius"]
    options = {
        "--optimizer": "particle_swarm",
        "--l1": "0.25",
        "--class-weight": "none",
        "--scaling": "none",
        "--start": "random",
        "--population-size": "7",
        "--max-generations": "9",
        "--max-time": "60",
        "--patience": "8",
        "--restarts": "2",
        "--seed": "3",
        "--jobs": "1",
    }
    flat = [word for pair in options.items() for word in pair]
    succeed(*words, *flat)
    first = load_model("a.model").estimator.named_steps["classifier"]
    succeed(*words, *flat)
    again = load_model("a.model").estimator.named_steps["classifier"]
    np.testing.assert_array_equal(first.coef_, again.coef_)
    assert first.n_features_in_ == 5
    parameters = first.get_params()
    expected = {
        "optimizer": "particle_swarm",
        "l1": 0.25,
        "class_weight": None,
        "scaling": None,
        "start": "random",
        "population_size": 7,
        "max_generations": 9,
        "max_time": 60.0,
        "patience": 8,
        "restarts": 2,
        "random_state": 3,
        "n_jobs": 1,
        "verbose": 0,
    }
    assert {key: parameters[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fit", "t.csv", "-t", "y", "-o", "none/a.model"], "there is no folder"),
        (["fit", "t.csv", "-t", "y", "-o", "a", "--class-weight", "x"], "write balanced, none, or"),
        (["fit", "t.csv", "-t", "y", "-o", "a", "--class-weight", "a=b"], "'b' is not a number"),
        (["fit", "t.csv", "-t", "y", "-o", "a", "--optimizer", "magic"], "optimizer"),
        (["fit", "t.csv", "-t", "y", "-o", "a", "--drop", "z"], "no column 'z'"),
        (["fit", "t.csv", "-t", "y", "-o", "a", "--categorical", "z"], "no column 'z'"),
        (["predict", "t.csv", "t.csv", "-o", "out.csv"], "is not a model file"),
        (["predict", "t.model", "t.csv", "-o", "out.xls"], "end the name in"),
        (["predict", "t.model", "t.csv", "-o", "-", "--json"], "choose one"),
        (["predict", "t.model", "u.csv", "-o", "out.csv"], "no column 'x'"),
        (["predict", "t.model", "v.csv", "-o", "out.csv"], "must hold numbers, as in training"),
        (["evaluate", "t.model", "u.csv"], "no column"),
        (["evaluate", "t.model", "w.csv"], "says 'c' in row 2; the classes of the model are"),
    ],
    ids=lambda value: " ".join(value[:1] + value[2:]) if isinstance(value, list) else "",
)
def test_errors_are_one_line(run, words, message, tmp_path):
    io_file("t.csv", "x,y\n1,a\n2,b\n3,a\n4,b\n")
    io_file("u.csv", "y\na\n")
    io_file("v.csv", "x\n1\ntall\n")
    io_file("w.csv", "x,y\n1,a\n1,c\n")
    assert run("fit", "t.csv", "-t", "y", "-o", "t.model")[0] == 0
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*words)
    assert code == 1
    assert out == ""
    assert err.startswith("optimargin: ")
    assert message in err
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_without_a_command_the_help_is_shown(run):
    asked = run("--help")
    code, out, err = run()
    assert (code, out) == (2, "")
    assert err.strip() == asked[1].strip()
    code, _, err = run("datasets")
    assert code == 2
    assert "\n  list " in err


def test_an_average_from_the_command_line(succeed, cancer):
    cancer.to_csv("cancer.csv", index=False)
    succeed("fit", "cancer.csv", "-t", "kind", "-o", "a.model", "--separator", "average")
    model = load_model("a.model").estimator
    assert model.named_steps["classifier"].separator == "average"
    values = cancer.drop(columns="kind")
    assert model.predict_proba(values).shape == (len(cancer), 2)
    assert "stopped by: budget" in succeed("inspect", "a.model")


def test_misuse_has_its_own_code(run):
    for words, message in (
        (["fit"], "(see optimargin fit --help)"),
        (["fit", "t.csv", "-t", "y", "-o", "m", "--l1", "-1"], "l1"),
        (["fit", "t.csv", "-t", "y", "-o", "m", "--max-time", "-1"], "max-time"),
        (["nonsense"], "nonsense"),
    ):
        code, _, err = run(*words)
        assert code == 2
        assert message in err
        assert err.count("\n") == 1


def test_unexpected_errors_and_interrupts_are_one_line_too(run, monkeypatch):
    io_file("t.csv", "x,y\n1,a\n2,b\n")

    def raising(error):
        def fit(*args, **options):
            raise error

        monkeypatch.setattr("optimargin.OptimalMarginClassifier.fit", fit)
        return run("fit", "t.csv", "-t", "y", "-o", "a.model")

    code, _, err = raising(RuntimeError("first line\nsecond line"))
    assert code == 1
    assert err.startswith("optimargin: unexpected RuntimeError: first line second line")
    assert err.count("\n") == 1
    assert raising(KeyboardInterrupt())[::2] == (
        130,
        "optimargin: stopped; no file was left half-written\n",
    )
    assert raising(MemoryError())[2] == "optimargin: the table does not fit into memory\n"
    monkeypatch.setenv(main.TRACEBACK, "1")
    with pytest.raises(RuntimeError):
        raising(RuntimeError("shown in full"))


def test_a_full_disk_leaves_the_old_predictions(run, monkeypatch, tmp_path):
    import errno
    import os

    io_file("t.csv", "x,y\n1,a\n2,b\n")
    io_file("out.csv", "the old ones")
    assert run("fit", "t.csv", "-t", "y", "-o", "a.model")[0] == 0
    before = sorted(tmp_path.iterdir())

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    code, out, err = run("predict", "a.model", "t.csv", "-o", "out.csv")
    assert (code, out) == (1, "")
    assert err == "optimargin: cannot write out.csv: No space left on device; nothing was changed\n"
    assert (tmp_path / "out.csv").read_text() == "the old ones"
    assert sorted(tmp_path.iterdir()) == before


def test_a_model_that_was_not_made_from_a_table_is_refused(run):
    from optimargin import OptimalMarginClassifier
    from optimargin.files import save_model

    X, y = load_iris(return_X_y=True)
    fitted = OptimalMarginClassifier(max_time=0.05, random_state=0).fit(X, y)
    save_model("a.model", fitted, {})
    code, _, err = run("inspect", "a.model")
    assert code == 1
    assert "not made from a table by optimargin fit" in err
