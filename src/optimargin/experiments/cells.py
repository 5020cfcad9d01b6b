"""A cell: one method on one split of one data set with one noise, and what came of it."""

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from optimargin.datasets.noise import Noise
from optimargin.experiments.measures import Measures
from optimargin.experiments.methods import Method
from optimargin.experiments.splits import SplitRule, seed_of

NOT_A_NUMBER = float("nan")
NO_MEASURES = Measures(*[NOT_A_NUMBER] * 5)

#: What can become of a cell: a result, an error of the method, its time limit, no such class.
STATUSES = ("ok", "failed", "timeout", "unavailable")


@dataclass(frozen=True)
class Cell:
    """The name of one computation; whoever computes it, whenever, gets the same result."""

    data: str
    fingerprint: str
    noise: Noise
    method: Method
    rule: SplitRule
    split: int

    @cached_property
    def key(self) -> str:
        """A digest of everything that the result depends on."""
        identity = [
            self.data,
            self.fingerprint,
            self.noise.name,
            self.method.identity,
            self.rule.name,
            self.split,
        ]
        return hashlib.blake2b(json.dumps(identity).encode(), digest_size=12).hexdigest()

    @property
    def split_seed(self) -> int:
        """Without method and noise: all of them see the same rows."""
        return seed_of("split", self.data, self.rule.seed_name, self.split)

    @property
    def noise_seed(self) -> int:
        """Without the method: all of them see the same noise."""
        return seed_of("noise", self.data, self.rule.seed_name, self.noise.name, self.split)

    @property
    def method_seed(self) -> int:
        """The cell's own."""
        return seed_of(
            "method",
            self.data,
            self.rule.seed_name,
            self.noise.name,
            self.split,
            self.method.identity,
        )


@dataclass(frozen=True)
class Outcome:
    """What came of a cell."""

    status: str
    message: str = ""
    n_train: int = 0
    n_test: int = 0
    positive_class: str = ""
    train: Measures = NO_MEASURES
    test: Measures = NO_MEASURES
    fit_seconds: float = NOT_A_NUMBER
    predict_seconds: float = NOT_A_NUMBER
    time_limit: float | None = None
    stop_reason: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    environment: str = ""
