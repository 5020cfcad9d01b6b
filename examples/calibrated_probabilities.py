"""Probabilities from signed distances."""

from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

from optimargin import OptimalMarginClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

classifier = OptimalMarginClassifier(random_state=0)
calibrated = CalibratedClassifierCV(classifier, method="sigmoid", cv=5).fit(X_train, y_train)

probabilities = calibrated.predict_proba(X_test)[:, 1]
constant = [y_train.mean()] * len(y_test)
print(f"Brier score {brier_score_loss(y_test, probabilities):.4f}", end=" ")
print(f"(of the base rate {brier_score_loss(y_test, constant):.4f})")
for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
    chosen = (probabilities > low) & (probabilities <= high)
    if chosen.any():
        print(f"told {low:.0%} to {high:.0%}: {chosen.sum():3} samples", end=", ")
        print(f"{y_test[chosen].mean():.0%} of them positive")
