"""A search of your own: anything that can be asked for directions and told their scores."""

import numpy as np
from sklearn.datasets import load_breast_cancer

from optimargin import OptimalMarginClassifier


class OnePlusLambda:
    """Keep the best direction; try random steps around it, wider after success."""

    def __init__(self, start, population_size, rng):
        self.best, self.best_score = np.asarray(start, dtype=float), -np.inf
        self.population_size = population_size
        self.rng = rng
        self.step = 0.3

    def ask(self):
        steps = self.rng.normal(size=(self.population_size, len(self.best)))
        tried = self.best + self.step * steps / np.sqrt(len(self.best))
        return tried / np.linalg.norm(tried, axis=1, keepdims=True)

    def tell(self, directions, scores):
        leader = scores.best()
        score = scores.objective[leader]
        self.step *= 1.5 if score > self.best_score else 0.97
        if score >= self.best_score:  # equally good ones too: the score is a staircase
            self.best, self.best_score = directions[leader], score


X, y = load_breast_cancer(return_X_y=True)
for name, optimizer in (("CMA-ES", "cma_es"), ("one plus lambda", OnePlusLambda)):
    classifier = OptimalMarginClassifier(optimizer=optimizer, start="random", random_state=0)
    classifier.fit(X, y)
    print(f"{name:16} training score {classifier.score_[0]:.4f}", end=" ")
    print(f"after {classifier.n_evaluations_[0]} evaluations")
