"""What a model file may hold: a fixed list for each kind of classifier, and nothing beside it.

skops refuses types that it does not know, but trusts several hundred of its own accord, all of
scikit-learn among them. Here every type that a file names, and every way in which skops would
rebuild it, must be on the list before skops is asked at all.
"""

import json
from collections.abc import Iterator
from typing import Any

from optimargin.files.errors import FileError

# How skops may rebuild a value: plain data, arrays, and the attributes of the classes below. Not
# among them: functions, methods, partials, operators, random generators, objects that reduce.
LOADERS = frozenset(
    {
        "DictNode",
        "DTypeNode",
        "JsonNode",
        "ListNode",
        "NdArrayNode",
        "ObjectNode",
        "SetNode",
        "SliceNode",
        "TupleNode",
        "TypeNode",
    }
)

_DATA = frozenset(
    {f"builtins.{name}" for name in ("bool", "dict", "float", "int", "list", "set", "slice")}
    | {f"builtins.{name}" for name in ("str", "tuple")}
    | {f"numpy.{name}" for name in ("bool", "bool_", "dtype", "float32", "float64", "int8")}
    | {f"numpy.{name}" for name in ("int16", "int32", "int64", "ndarray", "str_", "uint8")}
)

_PREPARATION = frozenset(
    {
        "sklearn.compose._column_transformer.ColumnTransformer",
        "sklearn.compose._column_transformer._RemainderColsList",  # until scikit-learn 1.7
        "sklearn.impute._base.SimpleImputer",
        "sklearn.pipeline.Pipeline",
        "sklearn.preprocessing._data.StandardScaler",
        "sklearn.preprocessing._encoders.OneHotEncoder",
    }
)

# The modules of the classifiers that can be stored, and the records that their fits keep.
_BASELINES = {
    "CoordinateZeroOneClassifier": ("coordinate_zero_one", "ScoredHyperplane"),
    "DiscriminativeElasticNetClassifier": ("discriminative_elastic_net", None),
    "ExactZeroOneClassifier": ("exact_zero_one", "ExactHyperplane"),
    "MinimaxProbabilityClassifier": ("minimax_probability", "MinimaxHyperplane"),
    "MultipleBetweenClassLDA": ("multiple_between_class_lda", None),
    "RampSVC": ("ramp_svc", "RampHyperplane"),
    "SmoothZeroOneClassifier": ("smooth_zero_one", "SmoothHyperplane"),
    "StructuralMinimaxClassifier": ("structural_minimax", "StructuralHyperplane"),
    "ThresholdRefitClassifier": ("threshold_refit", "RefittedHyperplane"),
    "TunedLinearSVC": ("tuned_linear_svc", "TunedHyperplane"),
    "TwinSVC": ("twin_svc", None),
    "WeightedLinearTwinSVC": ("weighted_linear_twin_svc", None),
    "ZeroOneADMMClassifier": ("zero_one_admm", "ZeroOneSupport"),
}
_SHARED_RECORDS = frozenset(
    {
        "optimargin.baselines._base.Hyperplane",
        "optimargin.baselines._twin_planes.TwinPlanes",
    }
)
# What ThresholdRefitClassifier may have inside.
_REFITTED = frozenset(
    {
        "sklearn.linear_model._logistic.LogisticRegression",
        "sklearn.svm._classes.LinearSVC",
    }
)

# The classes that a model of each kind is made of, beside plain data and its preparation.
CLASSES: dict[str, frozenset[str]] = {
    "OptimalMarginClassifier": frozenset({"optimargin.classifier.OptimalMarginClassifier"}),
    **{
        kind: _SHARED_RECORDS
        | {f"optimargin.baselines.{module}.{name}" for name in (kind, record) if name is not None}
        | (_REFITTED if kind == "ThresholdRefitClassifier" else frozenset())
        for kind, (module, record) in _BASELINES.items()
    },
}


def trusted_types(kind: str) -> frozenset[str]:
    """The types that a model file of this kind may hold, by their full names."""
    if kind not in CLASSES:
        raise FileError(f"models of the kind {kind!r} are not supported")
    return _DATA | _PREPARATION | CLASSES[kind]


def check_schema(schema: bytes, kind: str, name: str) -> None:
    """Refuse a file whose description names anything that is not on the list.

    Parameters
    ----------
    schema : bytes
        The description that skops would rebuild the model from, as JSON.
    kind : str
        The kind of classifier that the file says it holds.
    name : str
        What to call the file in messages.

    Raises
    ------
    FileError
        If a type or loader is not on the list.
    """
    trusted = trusted_types(kind)
    strange = set()
    for node in _nodes(json.loads(schema)):
        full_name = f"{node.get('__module__')}.{node.get('__class__')}"
        if full_name not in trusted or node.get("__loader__") not in LOADERS | {None}:
            strange.add(full_name)
    if strange:
        listed = ", ".join(sorted(strange)[:3])
        raise FileError(
            f"{name} is refused: it holds {listed}, which is no part of an optimargin model"
        )


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "__class__" in value or "__loader__" in value:
                yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
