"""Three ways to a border that is not straight: a kernel map, bagging, boosting."""

from sklearn.datasets import make_moons
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from optimargin import OptimalMarginClassifier

X, y = make_moons(600, noise=0.25, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
linear = OptimalMarginClassifier(max_generations=60, random_state=0)

models = {
    "one separator": linear,
    "Nystroem kernel map": make_pipeline(
        Nystroem(gamma=1.0, n_components=40, random_state=0), linear
    ),
    "bagging": BaggingClassifier(linear, n_estimators=15, max_samples=0.3, random_state=0),
    "AdaBoost": AdaBoostClassifier(
        OptimalMarginClassifier(class_weight=None, separator="best", random_state=0),
        n_estimators=30,
        random_state=0,
    ),
}
for name, model in models.items():
    model.fit(X_train, y_train)
    print(f"{name:20} training {model.score(X_train, y_train):.3f} test", end=" ")
    print(f"{model.score(X_test, y_test):.3f}")
