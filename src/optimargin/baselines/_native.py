"""Methods that have a form of their own for more than two classes, besides one-vs-one votes."""

import numpy as np
from numpy.typing import NDArray

from optimargin.baselines._base import FloatArray, WeightedPairwiseClassifier


class NativeClassifier(WeightedPairwiseClassifier):
    """Base of the methods with a parameter ``multi_class``.

    A method supplies `_fit_native`, which sets ``coef_`` and ``intercept_``, one row a class.
    """

    multi_class: str

    def _check_parameters(self) -> None:
        if self.multi_class not in ("one_vs_one", "native"):
            raise ValueError(
                f'multi_class must be "one_vs_one" or "native"; got {self.multi_class!r}.'
            )

    def _fit_native(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        """Fit all classes at once."""
        raise NotImplementedError

    def _fit_classes(self, X: FloatArray, codes: NDArray[np.intp], weights: FloatArray) -> None:
        if self.multi_class == "one_vs_one" or len(self.classes_) == 2:
            super()._fit_classes(X, codes, weights)
            return
        self.rules_ = []
        self._fit_native(X, codes, weights)

    def _scores(self, X: FloatArray) -> FloatArray:
        if self.rules_:
            return super()._scores(X)
        scores: FloatArray = X @ self.coef_.T + self.intercept_
        return scores
