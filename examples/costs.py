"""Missing a case costs twenty times a false alarm: say so in class_weight."""

from sklearn.datasets import make_classification
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from optimargin import OptimalMarginClassifier

X, y = make_classification(
    n_samples=2000, n_features=8, weights=[0.85], flip_y=0.05, class_sep=0.7, random_state=1
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

COST_OF_FALSE_ALARM, COST_OF_MISS = 1, 20
for name, class_weight in (
    ("errors count alike", None),
    ("classes count alike", "balanced"),
    ("errors count by cost", {0: COST_OF_FALSE_ALARM, 1: COST_OF_MISS}),
):
    classifier = OptimalMarginClassifier(class_weight=class_weight, random_state=0)
    predicted = classifier.fit(X_train, y_train).predict(X_test)
    (_, alarms), (missed, _) = confusion_matrix(y_test, predicted)
    cost = COST_OF_FALSE_ALARM * alarms + COST_OF_MISS * missed
    print(f"{name:20} {missed:3} missed, {alarms:3} false alarms, total cost {cost}")
