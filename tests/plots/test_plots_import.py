import subprocess
import sys

import pytest

from optimargin import plots


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_importing_the_displays_does_not_import_matplotlib():
    code = "import optimargin.plots, sys; print('matplotlib' in sys.modules)"
    assert run(code).strip() == "False"


CALLS = {
    "ConvergenceDisplay": "ConvergenceDisplay.from_estimators({})",
    "ProjectionDisplay": "ProjectionDisplay([0.0, 1.0], [0, 1], classes=[0, 1]).plot()",
    "SeparatorDisplay": "SeparatorDisplay.from_estimator(None, [[0.0, 1.0]], [0])",
    "WeightsDisplay": "WeightsDisplay([1.0], ['a'], sides=[(0, 1)]).plot()",
}


@pytest.mark.parametrize("name", plots.__all__)
def test_without_matplotlib_the_error_names_the_extra(name):
    code = f"""
import sys
sys.modules["matplotlib"] = None
from optimargin.plots import {name}
try:
    {CALLS[name]}
except ImportError as error:
    print(error)
"""
    assert run(code).strip() == (
        f"{name} draws with matplotlib, which is not installed. "
        "Install it with: pip install 'optimargin[plots]'"
    )
