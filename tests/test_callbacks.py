"""Progress: scikit-learn's callbacks, what happens without them, and the library's own bar."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import GridSearchCV

from optimargin import OptimalMarginClassifier
from optimargin._sklearn import HAS_CALLBACKS
from optimargin.progress import ProgressBar

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

with_callbacks = pytest.mark.skipif(not HAS_CALLBACKS, reason="scikit-learn 1.9 has callbacks")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


class Recorder:
    """Keeps what it is told; asks a task of the given name to stop after some generations."""

    max_propagation_depth = None

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.told = []
        self.generations = 0

    def setup(self, estimator, context):
        self.told.append(("setup", context.task_name))

    def teardown(self, estimator, context):
        self.told.append(("teardown", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.told.append(("begin", context.task_name))
        if X is not None:
            self.rows, self.metadata = (len(X), len(y)), metadata

    def on_fit_task_end(self, estimator, context):
        self.told.append(("end", context.task_name))
        if context.task_name == "generation":
            self.generations += 1
            return self.stop_after is not None and self.generations % self.stop_after == 0
        return False


def brief(**settings):
    return OptimalMarginClassifier(
        **{"optimizer": "cma_es", "max_generations": 5, "random_state": 0, **settings}
    )


@with_callbacks
def test_callbacks_hear_of_pairs_and_generations(wine):
    recorder = Recorder()
    weights = np.ones(len(wine[1]))
    model = brief().set_callbacks(recorder).fit(*wine, sample_weight=weights)
    pairs = ["0 against 1", "0 against 2", "1 against 2"]
    fit = recorder.told[1][1]
    expected = [("setup", fit), ("begin", fit)]
    for name in pairs:
        expected += [("begin", name), *([("begin", "generation"), ("end", "generation")] * 5)]
        expected.append(("end", name))
    expected += [("end", fit), ("teardown", fit)]
    assert recorder.told == expected
    assert recorder.rows == (178, 178)
    np.testing.assert_array_equal(recorder.metadata["sample_weight"], weights)
    # and listening changes nothing
    np.testing.assert_array_equal(model.coef_, brief().fit(*wine).coef_)


@with_callbacks
@pytest.mark.parametrize("restarts", [1, 3])
def test_a_callback_may_stop_the_search_of_a_pair(wine, restarts):
    model = brief(restarts=restarts).set_callbacks(Recorder(stop_after=2)).fit(*wine)
    assert model.stop_reason_ == ["callback"] * 3
    assert model.n_iter_.tolist() == [2, 2, 2]
    assert model.score(*wine) > 0.9


@with_callbacks
def test_callbacks_are_torn_down_when_a_fit_fails(wine):
    class Failing(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise KeyboardInterrupt

    recorder = Failing()
    model = brief().set_callbacks(recorder)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*wine)
    assert recorder.told[-1][0] == "teardown"
    assert not hasattr(model, "coef_")


@with_callbacks
def test_averages_have_callbacks_too(wine):
    recorder = Recorder()
    brief(separator="average").set_callbacks(recorder).fit(*wine)
    assert [what for what, name in recorder.told if name == "1 against 2"] == ["begin", "end"]


@with_callbacks
def test_callbacks_of_a_search_around_it(wine):
    recorder = Recorder()
    search = GridSearchCV(brief(max_generations=2), {"l1": [0.0, 0.1]}, cv=2)
    search.set_callbacks(recorder).fit(*wine)
    # two parameters on two splits, and the refit
    assert sum(told == ("end", "0 against 1") for told in recorder.told) == 5


@with_callbacks
def test_scikit_learns_bar(wine, capsys):
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar as SklearnBar

    brief().set_callbacks(SklearnBar()).fit(*wine)
    assert "OptimalMarginClassifier" in capsys.readouterr().out


@with_callbacks
def test_a_clone_keeps_its_callbacks(wine):
    recorder = Recorder()
    clone(brief().set_callbacks(recorder)).fit(*wine)
    assert recorder.told


def test_without_callbacks_everything_else_works():
    # as with scikit-learn before 1.9
    script = """
        import sys, warnings
        sys.modules["sklearn.callback"] = None
        warnings.simplefilter("ignore")
        import numpy as np
        from optimargin import OptimalMarginClassifier, _sklearn
        assert not _sklearn.HAS_CALLBACKS
        assert not hasattr(OptimalMarginClassifier, "set_callbacks")
        del sys.modules["sklearn.callback"]  # which this scikit-learn itself cannot do without
        X = np.random.default_rng(0).standard_normal((60, 3))
        y = (X[:, 0] > 0) + (X[:, 1] > 0)
        model = OptimalMarginClassifier(max_generations=3, random_state=0, verbose=1).fit(X, y)
        assert model.score(X, y) > 0.7, model.score(X, y)
        print("done")
    """
    finished = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False
    )
    assert finished.stdout == "done\n", finished.stderr


# The bar of verbose=1


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only when told to."""

    class Clock:
        now = 0.0

    clock = Clock()
    monkeypatch.setattr("optimargin.progress.time.perf_counter", lambda: clock.now)
    return clock


def test_the_bar_waits_and_then_says_how_far_and_how_long(clock, capsys):
    bar = ProgressBar(4, "fit")
    clock.now = 0.3
    bar.reach(1)
    assert capsys.readouterr().err == ""  # short fits show nothing
    clock.now = 1.0
    bar.reach(2)
    assert capsys.readouterr().err == "\rfit [############............]  50% 1 s, 1 s left   "
    clock.now = 1.1
    bar.reach(3)
    assert capsys.readouterr().err == ""  # not more often than the eye follows
    clock.now = 2.0
    bar.reach(1)  # and never backwards
    assert "75%" in capsys.readouterr().err
    bar.reach(4)
    bar.close()
    assert capsys.readouterr().err.endswith("100% 2 s   \n")


def test_a_bar_that_was_not_seen_leaves_nothing(clock, capsys):
    bar = ProgressBar(1, "fit")
    bar.reach(1)
    bar.close()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_long_fits_show_one_bar(monkeypatch, capsys, wine, n_jobs):
    monkeypatch.setattr("optimargin.progress._PATIENCE", 0.0)
    monkeypatch.setattr("optimargin.progress._EVERY", 0.0)
    with parallel_config("threading"):
        brief(max_generations=20, verbose=1, n_jobs=n_jobs).fit(*wine)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    drawn = [float(part.split("%")[0].split("]")[1]) for part in captured.err.split("\r")[1:]]
    assert drawn == sorted(drawn)
    assert drawn[-1] == 100.0
    assert len(set(drawn)) > 2


def test_silent_by_default(monkeypatch, capsys):
    monkeypatch.setattr("optimargin.progress._PATIENCE", 0.0)
    brief().fit(*load_breast_cancer(return_X_y=True))
    assert capsys.readouterr() == ("", "")
