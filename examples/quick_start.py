"""Fit, score, and look at what was found."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split

from optimargin import OptimalMarginClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

classifier = OptimalMarginClassifier(random_state=0).fit(X_train, y_train)

train = balanced_accuracy_score(y_train, classifier.predict(X_train))
test = balanced_accuracy_score(y_test, classifier.predict(X_test))
print(f"balanced accuracy: training {train:.3f}, test {test:.3f}")
print(f"margin {classifier.margin_[0]:.4f}, search ended: {classifier.stop_reason_[0]}")

# Multiplied by the spread of its feature, a weight says how much that feature decides.
weights = classifier.coef_[0] * X_train.std().to_numpy()
first, second = classifier.classes_
for index in np.argsort(-np.abs(weights))[:5]:
    side = second if weights[index] > 0 else first
    print(f"{weights[index]:+.3f}  {X.columns[index]} (more of it speaks for {side})")
