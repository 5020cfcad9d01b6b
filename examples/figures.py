"""The four figures, written as PNG into the folder given as argument (default: here)."""

import sys
from pathlib import Path

from sklearn.datasets import load_iris

from optimargin import OptimalMarginClassifier
from optimargin.plots import (
    ConvergenceDisplay,
    ProjectionDisplay,
    SeparatorDisplay,
    WeightsDisplay,
)

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
two_features = X[["petal length (cm)", "petal width (cm)"]]
two_classes = y != "setosa"

classifier = OptimalMarginClassifier(start="random", random_state=0).fit(X, y)
flat = OptimalMarginClassifier(random_state=0).fit(two_features[two_classes], y[two_classes])
regions = OptimalMarginClassifier(random_state=0).fit(two_features, y)

displays = {
    "projection": ProjectionDisplay.from_estimator(classifier, X, y),
    "weights": WeightsDisplay.from_estimator(classifier, X),
    "convergence": ConvergenceDisplay.from_estimator(classifier),
    "separator": SeparatorDisplay.from_estimator(flat, two_features[two_classes], y[two_classes]),
    "regions": SeparatorDisplay.from_estimator(regions, two_features, y),
}
for name, display in displays.items():
    path = folder / f"{name}.png"
    display.figure_.savefig(path, dpi=120)
    print(path.name)
