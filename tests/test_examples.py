"""Every example runs as its reader would run it, and says what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PROMISES = {
    "calibrated_probabilities": "Brier score",
    "costs": "total cost",
    "feature_selection": "weight on the two useful features",
    "figures": "regions.svg",
    "imbalanced_table": "optimal margin:",
    "metadata_routing": "confidence used:",
    "nonlinear": "AdaBoost",
    "onnx_model": "same labels: True",
    "own_optimizer": "one plus lambda",
    "quick_start": "balanced accuracy: training",
}


def test_every_example_is_here():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(PROMISES)


@pytest.mark.parametrize("name", PROMISES)
def test_example(name, tmp_path):
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text().splitlines()) < 60
    result = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert PROMISES[name] in result.stdout
