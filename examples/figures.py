"""The figures of docs/plots.md, written as SVG into the folder given (by default this one)."""

import sys
from pathlib import Path

import matplotlib as mpl
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris

from optimargin import OptimalMarginClassifier
from optimargin.plots import (
    ConvergenceDisplay,
    ProjectionDisplay,
    SeparatorDisplay,
    WeightsDisplay,
)

# Text stays text and the same figure is the same file.
mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "optimargin"})
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data, cancer.target_names[cancer.target]
classifier = OptimalMarginClassifier(separator="best", random_state=0).fit(X, y)
searches = {
    name: OptimalMarginClassifier(optimizer=name, start="random", random_state=0).fit(X, y)
    for name in ("cma_es", "evolution_strategy", "particle_swarm")
}
iris = load_iris(as_frame=True)
petals, species = iris.data.iloc[:, 2:], iris.target_names[iris.target]
pair = species != "setosa"
regions = OptimalMarginClassifier(separator="best", random_state=0).fit(petals, species)
line = OptimalMarginClassifier(separator="best", random_state=0).fit(petals[pair], species[pair])
mean = OptimalMarginClassifier(separator="average", random_state=0)
mean_of_petals = mean.fit(petals[pair], species[pair])
flowers = iris.data[pair]
mean_of_flowers = clone(mean).fit(flowers, species[pair])

displays = {
    "projection": ProjectionDisplay.from_estimator(classifier, X, y),
    "projections": ProjectionDisplay.from_estimator(regions, petals, species),
    "weights": WeightsDisplay.from_estimator(classifier, X),
    "convergence": ConvergenceDisplay.from_estimators(searches),
    "separator": SeparatorDisplay.from_estimator(
        line, petals[pair], species[pair], grid_resolution=50
    ),
    "votes": SeparatorDisplay.from_estimator(mean_of_petals, petals[pair], species[pair]),
    "spread": WeightsDisplay.from_estimator(mean_of_flowers, flowers),
    "regions": SeparatorDisplay.from_estimator(regions, petals, species),
}
for name, display in displays.items():
    path = folder / f"{name}.svg"
    display.figure_.savefig(path, metadata={"Date": None})
    print(path.name)
