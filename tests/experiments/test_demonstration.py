"""The demonstration: the same splits for all, a page that needs nothing else."""

import base64
import re
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from optimargin.cli import main
from optimargin.experiments.demonstration import DATA, NOISES, Summary, demonstrate
from optimargin.experiments.demonstration_page import demonstration_page, in_percent, in_seconds
from optimargin.experiments.splits import Stratified, seed_of

SPLITS = 2


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def result(steps):
    return demonstrate(SPLITS, lambda done, total: steps.append((done, total)))


class Page(HTMLParser):
    """The cells of the table, the pictures, and whether all elements are closed."""

    def __init__(self, text):
        super().__init__()
        self.cells, self.pictures, self.open, self.addresses = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.addresses += [values[name] for name in ("src", "href") if name in values]
        if tag == "img":
            self.pictures.append(values)
        if tag not in ("img", "meta", "br"):
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def test_logistic_regression_has_the_scores_that_scikit_learn_gives(result):
    X, y = load_breast_cancer(return_X_y=True)
    y = 1 - y
    row = next(row for row in result.rows if row.method.name == "lr")
    for column, noise in enumerate(NOISES):
        scores = []
        for split in range(SPLITS):
            rule = Stratified()
            seed = seed_of("split", DATA, rule.seed_name, split)
            train, test = rule.rows(y, None, np.random.default_rng(seed))
            noise_seed = seed_of("noise", DATA, rule.seed_name, noise.name, split)
            X_train, y_train = noise.apply(X[train], y[train], noise_seed)
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
            model.fit(X_train, y_train)
            scores.append(balanced_accuracy_score(y[test], model.predict(X[test])))
        assert row.test[column].mean == pytest.approx(np.mean(scores), abs=1e-9)


def test_all_methods_are_compared_and_progress_is_told(result, steps):
    names = [row.method.name for row in result.rows]
    assert names == ["oec-cmaes", "omc", "lr", "svm", "lda"]
    total = SPLITS * len(NOISES) * len(names)
    assert steps == [(done, total) for done in range(1, total + 1)]
    for row in result.rows:
        assert row.seconds.mean > 0
        assert all(0.8 < summary.mean <= 1 for summary in (*row.train, *row.test))
    # The paper's classifier minimises the training error that is reported here.
    paper, logistic = result.rows[0], result.rows[2]
    assert paper.train[0].mean > logistic.train[0].mean


def test_the_page_holds_the_table_and_three_figures_and_nothing_from_elsewhere(result):
    text = demonstration_page(result)
    page = Page(text)
    assert page.open == []
    for row in result.rows:
        start = page.cells.index(row.method.title)
        expected = [row.train[0], row.test[0], row.train[1], row.test[1]]
        assert page.cells[start + 1 : start + 6] == [
            *map(in_percent, expected),
            in_seconds(row.seconds),
        ]
    assert len(page.pictures) == 3
    head = "data:image/svg+xml;base64,"
    for picture in page.pictures:
        assert picture["alt"]
        assert picture["src"].startswith(head)
        drawing = ElementTree.fromstring(base64.b64decode(picture["src"].removeprefix(head)))
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))) > 10
    assert all(address.startswith("data:") for address in page.addresses)
    assert not re.search(r"https?://|url\(|@import|<script", text)


def test_numbers_are_written_with_the_digits_that_matter():
    assert in_percent(Summary.of([0.9, 0.92])) == "91.0 ± 1.0"
    assert in_percent(Summary.of([0.9])) == "90.0"
    assert in_seconds(Summary(0.0123, 0.0)) == "12.3 ms"
    assert in_seconds(Summary(1.234, 0.0)) == "1.23 s"


def test_the_command_prints_the_table_and_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["optimargin", "demo", "--splits", "2"])
    assert main.exit_code() == 0
    out = capsys.readouterr().out
    for title in ("The paper's OEC", "Logistic regression", "Linear SVM", "LDA", "clean train"):
        assert title in out
    assert "Wrote optimargin-demo.html" in out
    assert [path.name for path in tmp_path.iterdir()] == ["optimargin-demo.html"]
    assert (tmp_path / "optimargin-demo.html").read_text("utf-8").startswith("<!DOCTYPE html>")
