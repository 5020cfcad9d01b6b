"""Losses of a sample's margin."""

from typing import Any

import numpy as np

from optimargin.kernels.compilation import compiled


@compiled()
def margin_loss(margins: Any, scale: Any, logistic: bool, slopes: Any, bends: Any) -> float:
    """Total loss; first and second derivative of each sample's loss by its margin."""
    total = 0.0
    for i in range(margins.shape[0]):
        u = margins[i]
        if logistic:
            e = np.exp(-abs(u))
            wrong = e / (1.0 + e) if u > 0.0 else 1.0 / (1.0 + e)
            total += scale[i] * (np.log1p(e) + max(-u, 0.0))
            slopes[i] = -scale[i] * wrong
            bends[i] = scale[i] * wrong * (1.0 - wrong)
        else:
            short = max(1.0 - u, 0.0)
            total += scale[i] * short * short
            slopes[i] = -2.0 * scale[i] * short
            bends[i] = 2.0 * scale[i] if short > 0.0 else 0.0
    return total
