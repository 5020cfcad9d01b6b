"""From the columns of a table to numbers: what each column is, and the pipeline that turns it so.

The pipeline is made of scikit-learn's own parts, so that it is stored with the model and behaves
the same wherever it is loaded.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from optimargin.files.errors import FileError

MISSING = "(missing)"
OTHERS = "(others)"
# Rarer categories of a column with more than this many are pooled.
MOST_CATEGORIES = 50
# One classifier for each pair of classes: 100 classes are 4,950 of them.
MOST_CLASSES = 100


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are used for.

    Attributes
    ----------
    numeric, categorical : tuple of str
        The features, in the order in which the pipeline takes them.
    left_out : dict
        Columns that tell nothing, each with the reason.
    missing : dict
        The number of missing values in each feature that has any.
    """

    numeric: tuple[str, ...]
    categorical: tuple[str, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)

    @property
    def features(self) -> list[str]:
        """All features, numeric ones first."""
        return [*self.numeric, *self.categorical]

    def select(self, frame: pd.DataFrame, name: str) -> pd.DataFrame:
        """The features as the pipeline wants them: float64 and text.

        Raises
        ------
        FileError
            If a numeric column holds text or an infinite value.
        """
        data: dict[str, Any] = {
            column: _numbers(frame[column], column, name) for column in self.numeric
        }
        for column in self.categorical:
            values = frame[column].astype(object).map(str, na_action="ignore")
            data[column] = values.where(values.notna(), np.nan)
        return pd.DataFrame(data, index=frame.index)


def sort_columns(frame: pd.DataFrame, name: str, *, categorical: Collection[str] = ()) -> Columns:
    """Decide what each column of a table is.

    Columns of text, and those named in ``categorical``, are categories; the others are numbers. A
    column without values is left out, and so is text that differs in nearly every row (a name, an
    identifier), unless it is named.

    Parameters
    ----------
    frame : DataFrame
        The features, as `read_table` returns them.
    name : str
        What to call the table in messages.
    categorical : collection of str
        Columns to treat as categories whatever they hold.

    Examples
    --------
    >>> import pandas as pd
    >>> from optimargin.files import sort_columns
    >>> frame = pd.DataFrame({"age": [31, 44, 28], "city": ["Bonn", "Bonn", "Rome"]})
    >>> sort_columns(frame, "table").categorical
    ('city',)
    """
    numeric: list[str] = []
    texts: list[str] = []
    left_out: dict[str, str] = {}
    missing: dict[str, int] = {}
    for column in frame.columns:
        values = frame[column]
        n_missing = int(values.isna().sum())
        if n_missing == len(values):
            left_out[column] = "no values"
            continue
        is_text = not is_numeric_dtype(values)
        distinct = int(values.nunique())
        present = len(values) - n_missing
        if is_text and column not in categorical and distinct > max(MOST_CATEGORIES, present / 2):
            left_out[column] = f"{distinct} different texts in {present} rows"
            continue
        (texts if is_text or column in categorical else numeric).append(column)
        if n_missing:
            missing[column] = n_missing
    if not numeric and not texts:
        reasons = "; ".join(f"{column!r}: {reason}" for column, reason in left_out.items())
        raise FileError(f"{name} has no column to learn from ({reasons or 'only the target'})")
    return Columns(tuple(numeric), tuple(texts), left_out, missing)


def table_pipeline(columns: Columns, classifier: BaseEstimator) -> Pipeline:
    """A classifier behind the steps that its table needs.

    Missing numbers become the median of their column. Categories become one column of zeros and
    ones each, missing being a category of its own; a category that was not seen in training counts
    as one of the rare ones, or as none.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from optimargin.files import Columns, table_pipeline
    >>> pipeline = table_pipeline(Columns(("age",), ("city",)), LogisticRegression())
    >>> [step for step, _ in pipeline.steps]
    ['columns', 'classifier']
    """
    steps: list[tuple[str, BaseEstimator, list[str]]] = []
    if columns.numeric:
        steps.append(("numeric", SimpleImputer(strategy="median"), list(columns.numeric)))
    if columns.categorical:
        one_hot = Pipeline(
            [
                ("missing", SimpleImputer(strategy="constant", fill_value=MISSING)),
                (
                    "categories",
                    OneHotEncoder(
                        handle_unknown="infrequent_if_exist",
                        max_categories=MOST_CATEGORIES,
                        sparse_output=False,
                    ),
                ),
            ]
        )
        steps.append(("categorical", one_hot, list(columns.categorical)))
    transformer = ColumnTransformer(steps, sparse_threshold=0.0, verbose_feature_names_out=False)
    return Pipeline([("columns", transformer), ("classifier", classifier)])


def input_names(pipeline: Pipeline) -> list[str]:
    """What each weight of the classifier in a fitted `table_pipeline` belongs to.

    A numeric column has its own name, a category reads ``city = Bonn``.
    """
    transformer = pipeline.named_steps["columns"]
    names: list[str] = []
    for step, _, columns in transformer.transformers_:
        if step == "numeric":
            names += columns
        elif step == "categorical":
            encoder = transformer.named_transformers_[step].named_steps["categories"]
            names += _category_names(encoder, columns)
    return names


def _category_names(encoder: OneHotEncoder, columns: list[str]) -> list[str]:
    names = []
    pooled = encoder.infrequent_categories_
    for column, categories, rare in zip(columns, encoder.categories_, pooled, strict=True):
        rare = set() if rare is None else set(rare)
        names += [f"{column} = {category}" for category in categories if category not in rare]
        if rare:
            names.append(f"{column} = {OTHERS}")
    return names


def labels_of(values: pd.Series, column: str, name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The class labels of a column and which rows have one.

    Raises
    ------
    FileError
        If the column does not hold classes.
    """
    present = values.notna().to_numpy()
    labels = values[present]
    if len(labels) == 0:
        raise FileError(f"column {column!r} of {name} has no values: every label is missing")
    if labels.dtype.kind == "f":
        fractional = labels[labels % 1 != 0]
        if len(fractional):
            raise FileError(
                f"column {column!r} of {name} holds fractional numbers such as "
                f"{fractional.iloc[0]:g}: it is a quantity, not a class"
            )
        labels = labels.astype(np.int64)
    distinct = labels.nunique()
    if distinct == 1:
        raise FileError(
            f"column {column!r} of {name} holds only one class, {labels.iloc[0]!r}: "
            "a classifier needs two"
        )
    if distinct > MOST_CLASSES:
        raise FileError(
            f"column {column!r} of {name} has {distinct:,} different values in {len(labels):,} "
            f"rows: it is not a class label (at most {MOST_CLASSES} classes)"
        )
    return labels.to_numpy(), present


def _numbers(values: pd.Series, column: str, name: str) -> NDArray[np.float64]:
    if not is_numeric_dtype(values):
        numbers = pd.to_numeric(values, errors="coerce")
        bad = np.flatnonzero(numbers.isna() & values.notna())
        if len(bad):
            raise FileError(
                f"column {column!r} of {name} must hold numbers, as in training, but row "
                f"{bad[0] + 1} says {values.iloc[bad[0]]!r}"
            )
        values = numbers
    result: NDArray[np.float64] = values.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = np.flatnonzero(np.isinf(result))
    if len(infinite):
        raise FileError(f"column {column!r} of {name} is infinite in row {infinite[0] + 1}")
    return result
