"""A model file of ``fit``, and tables read the way it needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.pipeline import Pipeline

from optimargin.cli.output import warnings_as_notes
from optimargin.files import Columns, FileError, load_model, read_table


@dataclass(frozen=True)
class StoredModel:
    """A pipeline that `fit` has stored, and what it needs to know of its tables."""

    pipeline: Pipeline
    kind: str
    columns: Columns
    about: dict[str, Any]
    versions: dict[str, str]

    @property
    def labels_are_text(self) -> bool:
        """Whether labels are read as text even if they look like numbers."""
        return isinstance(self.about["classes"][0], str)

    def read(self, table: str, *more: str) -> pd.DataFrame:
        """The features of a table and perhaps more of its columns."""
        text = [*self.columns.categorical, *(more if self.labels_are_text else ())]
        return read_table(table, columns=[*self.columns.features, *more], text=text)


def load(path: Path) -> StoredModel:
    """Load a model file that `fit` has written."""
    with warnings_as_notes():
        model = load_model(path)
    about = model.about
    wanted = ("target", "numeric", "categorical", "classes", "inputs", "spread", "training")
    if not isinstance(model.estimator, Pipeline) or not all(key in about for key in wanted):
        raise FileError(f"{path} holds a model that was not made from a table by optimargin fit")
    columns = Columns(tuple(about["numeric"]), tuple(about["categorical"]))
    kind = type(model.estimator.steps[-1][1]).__name__
    return StoredModel(model.estimator, kind, columns, about, model.versions)


def score_columns(classes: Sequence[Any]) -> list[str]:
    """What the columns of the decision function are called in a table."""
    return ["score"] if len(classes) == 2 else [f"score_{label}" for label in classes]
