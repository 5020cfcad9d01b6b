"""A fitted classifier as an ONNX model, with the same labels and the same scores.

Needs the extra ``onnx`` (``pip install "optimargin[onnx]"``), imported when it is used. Standard
operators only: the linear classifier among ONNX's own machine-learning operators computes in
single precision and knows no votes of pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.utils.validation import check_is_fitted

import optimargin
from optimargin.classifier import OptimalMarginClassifier
from optimargin.training import class_pairs

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

OPSET = 17
IR_VERSION = 8  # the one that came with this operator set: older runtimes read the model too
INT64 = np.iinfo(np.int64)


def to_onnx(estimator: OptimalMarginClassifier, *, dtype: DTypeLike = np.float64) -> ModelProto:
    """Express a fitted classifier as an ONNX model.

    The model takes one tensor, ``"X"`` of shape (n_samples, n_features), and gives two:
    ``"label"``, what ``predict`` gives, and ``"scores"``, what ``decision_function`` gives.

    Parameters
    ----------
    estimator : fitted OptimalMarginClassifier
        For a pipeline, convert its last step and transform the features before.
    dtype : numpy.float64 or numpy.float32, default=numpy.float64
        The type of the input. Inside, computation is in the precision that NumPy takes for this
        input and the fitted coefficients.

    Returns
    -------
    model : onnx.ModelProto
        Checked, and not written anywhere; ``onnx.save(model, path)`` does that.

    Examples
    --------
    >>> import numpy as np
    >>> import onnxruntime
    >>> from sklearn.datasets import load_iris
    >>> from optimargin import OptimalMarginClassifier
    >>> from optimargin.onnx import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = OptimalMarginClassifier(random_state=0).fit(X, y)
    >>> model = to_onnx(classifier)
    >>> session = onnxruntime.InferenceSession(model.SerializeToString())
    >>> label, scores = session.run(["label", "scores"], {"X": X})
    >>> bool(np.array_equal(label, classifier.predict(X)))
    True
    """
    onnx = _onnx()
    if not isinstance(estimator, OptimalMarginClassifier):
        raise TypeError(
            f"to_onnx converts a fitted OptimalMarginClassifier, not {type(estimator).__name__}. "
            "Of a pipeline convert the last step, and transform the features before."
        )
    check_is_fitted(estimator)
    labels = _label_tensor(onnx, estimator.classes_)
    inputs = np.dtype(dtype)
    if inputs not in (np.float32, np.float64):
        raise ValueError(f"dtype must be numpy.float64 or numpy.float32, not {inputs}.")
    graph = _Graph(onnx, np.result_type(inputs, estimator.coef_.dtype))
    scores, label_index = _decide(graph, estimator)
    graph.add("Identity", scores, output="scores")
    graph.add("Gather", graph.keep(labels), label_index, output="label")
    values = onnx.helper.make_tensor_value_info
    element = onnx.helper.np_dtype_to_tensor_dtype
    n_columns = _n_score_columns(estimator)
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes,
            type(estimator).__name__,
            [values("X", element(inputs), ["n_samples", estimator.coef_.shape[1]])],
            [
                values("label", labels.data_type, ["n_samples"]),
                values("scores", element(graph.dtype), ["n_samples", *n_columns]),
            ],
            graph.constants,
        ),
        producer_name="optimargin",
        producer_version=optimargin.__version__,
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    onnx.checker.check_model(model, full_check=True)
    return model  # type: ignore[no-any-return]


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "to_onnx needs the package onnx, which is not installed. "
            "Install it with: pip install 'optimargin[onnx]'"
        ) from error
    return onnx


class _Graph:
    """Nodes and constants as they are added; every result is known by its name."""

    def __init__(self, onnx: Any, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self._onnx = onnx

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        output = output or f"{operator.lower()}_{len(self.nodes)}"
        node = self._onnx.helper.make_node(operator, inputs, [output], **attributes)
        self.nodes.append(node)
        return output

    def cast(self, value: str, dtype: DTypeLike) -> str:
        element = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self.add("Cast", value, to=element)

    def number(self, value: ArrayLike) -> str:
        """A number or an array in the precision of the computation."""
        return self.keep(self._onnx.numpy_helper.from_array(np.array(value, dtype=self.dtype)))

    def positions(self, value: ArrayLike) -> str:
        return self.keep(self._onnx.numpy_helper.from_array(np.array(value, dtype=np.int64)))

    def keep(self, tensor: TensorProto) -> str:
        tensor.name = f"constant_{len(self.constants)}"
        self.constants.append(tensor)
        return tensor.name


def _decide(graph: _Graph, estimator: OptimalMarginClassifier) -> tuple[str, str]:
    """The names of the scores and of the position of the label among the classes."""
    projected = graph.add("MatMul", graph.cast("X", graph.dtype), graph.number(estimator.coef_.T))
    pair_scores = graph.add("Add", projected, graph.number(estimator.intercept_))
    n_classes = len(estimator.classes_)
    if n_classes == 2:
        scores = graph.add("Squeeze", pair_scores, graph.positions([1]))
        return scores, graph.cast(graph.add("Greater", scores, graph.number(0)), np.int64)
    votes = _vote(graph, pair_scores, n_classes)
    by_pair = estimator.decision_function_shape == "ovo"
    return (pair_scores if by_pair else votes), graph.add("ArgMax", votes, axis=1, keepdims=0)


def _vote(graph: _Graph, pair_scores: str, n_classes: int) -> str:
    """The votes and bounded confidences of :func:`optimargin.one_vs_one.vote`.

    Confidences are added in the same order as there, class by class, so that they round alike and
    ties are broken alike. Votes are whole numbers, for which no order matters.
    """
    pairs = np.array(class_pairs(n_classes))
    pairs_of_class = np.array([np.nonzero(pairs == k)[0] for k in range(n_classes)])
    is_second = pairs[pairs_of_class, 1] == np.arange(n_classes)[:, None]
    confidences = graph.number(np.zeros(n_classes))
    for columns, signs in zip(pairs_of_class.T, np.where(is_second, 1, -1).T, strict=True):
        chosen = graph.add("Gather", pair_scores, graph.positions(columns), axis=1)
        signed = graph.add("Mul", chosen, graph.number(signs))
        confidences = graph.add("Add", confidences, signed)
    above = graph.add("Add", graph.add("Abs", confidences), graph.number(1))
    bounded = graph.add("Div", confidences, graph.add("Mul", above, graph.number(3)))

    first, second = (np.eye(n_classes)[side] for side in pairs.T)
    second_wins = graph.cast(graph.add("Greater", pair_scores, graph.number(0)), graph.dtype)
    moved = graph.add("MatMul", second_wins, graph.number(second - first))
    votes = graph.add("Add", moved, graph.number(first.sum(axis=0)))
    return graph.add("Add", votes, bounded)


def _n_score_columns(estimator: OptimalMarginClassifier) -> list[int]:
    n_classes = len(estimator.classes_)
    if n_classes == 2:
        return []
    if estimator.decision_function_shape == "ovo":
        return [len(class_pairs(n_classes))]
    return [n_classes]


def _label_tensor(onnx: Any, classes: NDArray[Any]) -> TensorProto:
    kinds = onnx.TensorProto
    values = classes.tolist()
    if all(isinstance(value, str) for value in values):
        kind, values = kinds.STRING, [value.encode() for value in values]
    elif classes.dtype.kind == "b":
        kind = kinds.BOOL
    elif classes.dtype.kind in "iu" and INT64.min <= values[0] and values[-1] <= INT64.max:
        kind = kinds.INT64
    elif classes.dtype.kind == "f":
        kind = kinds.DOUBLE
    else:
        raise ValueError(
            "ONNX models give labels that are strings, booleans or numbers of up to 64 bits, but "
            f"this classifier was fitted on labels such as {values[0]!r} and {values[-1]!r}."
        )
    tensor: TensorProto = onnx.helper.make_tensor("labels", kind, [len(values)], values)
    return tensor
