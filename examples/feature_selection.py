"""The l1 penalty prefers separators of few features."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split

from optimargin import OptimalMarginClassifier

# Two features matter, eighteen are noise; shuffle=False puts the useful ones first.
X, y = make_classification(
    n_samples=600,
    n_features=20,
    n_informative=2,
    n_redundant=0,
    n_clusters_per_class=1,
    class_sep=1.2,
    shuffle=False,
    random_state=3,
)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

for l1 in (0.0, 0.01, 0.1):
    classifier = OptimalMarginClassifier(l1=l1, random_state=0).fit(X_train, y_train)
    size = np.abs(classifier.coef_[0] * X_train.std(axis=0))
    share = size[:2].sum() / size.sum()
    test = balanced_accuracy_score(y_test, classifier.predict(X_test))
    print(f"l1={l1:<5} test {test:.3f}, weight on the two useful features {share:.0%}", end=", ")
    print(f"features above 5 % of the largest weight: {np.sum(size > 0.05 * size.max())}")
