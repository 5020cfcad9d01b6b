"""Sample weights that reach the fit and the score through a search and a pipeline."""

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score, get_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from optimargin import OptimalMarginClassifier

X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)
# A quarter of the labels is wrong, and the annotators said how sure they were.
wrong = rng.random(len(y)) < 0.25
noisy = np.where(wrong, 1 - y, y)
confidence = np.where(wrong, rng.uniform(0.0, 0.4, len(y)), rng.uniform(0.4, 1.0, len(y)))

with sklearn.config_context(enable_metadata_routing=True):
    classifier = OptimalMarginClassifier(random_state=0)
    scorer = get_scorer("balanced_accuracy").set_score_request(sample_weight=True)
    for name, weighted in (("ignored", False), ("used", True)):
        search = GridSearchCV(
            make_pipeline(
                StandardScaler().set_fit_request(sample_weight=weighted),
                classifier.set_fit_request(sample_weight=weighted),
            ),
            {"optimalmarginclassifier__l1": [0.0, 0.01]},
            scoring=scorer,
            cv=3,
        ).fit(X, noisy, sample_weight=confidence)
        truth = balanced_accuracy_score(y, search.predict(X))
        print(f"confidence {name}: {truth:.3f} of the true labels")
