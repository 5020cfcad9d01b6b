"""Classifiers that misbehave; a worker process can import this file."""

import os
import time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Nothing(ClassifierMixin, BaseEstimator):
    """Predict the commonest class; ``seconds`` is slept away, ``tag`` only makes it another one."""

    def __init__(self, seconds=0.0, tag="", random_state=None):
        self.seconds = seconds
        self.tag = tag
        self.random_state = random_state

    def fit(self, X, y):
        if X.shape[1] != 3:  # The warm-up has three features, the tests' data have not.
            time.sleep(self.seconds)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.answer_)


class Seeded(Nothing):
    """Predict at random from the seed that it was given."""

    def predict(self, X):
        return np.random.default_rng(self.random_state).choice(self.classes_, X.shape[0])


class Failing(Nothing):
    """Raise an error."""

    def fit(self, X, y):
        raise ValueError("this data cannot be fitted")


class Crashing(Nothing):
    """End the whole process."""

    def fit(self, X, y):
        if X.shape[1] == 3:
            return super().fit(X, y)
        os._exit(3)


class Talking(Nothing):
    """Print where a worker answers."""

    def fit(self, X, y):
        print("this must not disturb the answers")
        os.write(1, b"neither must this")
        return super().fit(X, y)
