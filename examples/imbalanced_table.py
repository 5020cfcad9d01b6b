"""A table as it comes: few positives, gaps, categories, wrong labels. One pipeline, searched."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from optimargin import OptimalMarginClassifier

rng = np.random.default_rng(0)
n = 3000
table = pd.DataFrame(
    {
        "age": rng.normal(45, 12, n),
        "income": rng.lognormal(10, 0.6, n),
        "visits": rng.poisson(3, n).astype(float),
        "region": rng.choice(["north", "south", "west"], n),
    }
)
risk = 0.09 * (table["age"] - 45) + 0.6 * table["visits"] + 1.5 * (table["region"] == "west")
fraud = np.where(risk > np.quantile(risk, 0.94), "fraud", "fine")
fraud[rng.random(n) < 0.02] = "fraud"  # some labels are wrong
table = table.mask(rng.random(table.shape) < 0.05)  # and some cells are empty

numbers, categories = ["age", "income", "visits"], ["region"]
prepare = make_column_transformer(
    (SimpleImputer(strategy="median"), numbers),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), categories),
)
X_train, X_test, y_train, y_test = train_test_split(
    table, fraud, test_size=0.5, stratify=fraud, random_state=0
)
print(f"{np.mean(fraud == 'fraud'):.1%} of {n} rows are fraud")

# Accuracy would be content with "everything is fine": search for balanced accuracy.
search = GridSearchCV(
    make_pipeline(prepare, OptimalMarginClassifier(random_state=0)),
    {"optimalmarginclassifier__l1": [0.0, 0.01, 0.05]},
    scoring="balanced_accuracy",
    cv=3,
).fit(X_train, y_train)
plain = make_pipeline(prepare, LogisticRegression(max_iter=5000)).fit(X_train, y_train)

print("chosen:", search.best_params_)
for name, model in (("logistic regression", plain), ("optimal margin", search)):
    print(f"{name}: {balanced_accuracy_score(y_test, model.predict(X_test)):.3f}")
