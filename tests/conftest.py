"""What every test shares: one thread for each process, and the folder of benchmark data."""

import os

# Before numpy is imported anywhere: the tests run in several processes already.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ.setdefault("MPLBACKEND", "Agg")

from pathlib import Path  # noqa: E402

import pytest  # noqa: E402


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The benchmark data sets, which are not part of the repository."""
    named = os.environ.get("OPTIMARGIN_DATA")
    if not named:
        pytest.skip("set OPTIMARGIN_DATA to the folder of the benchmark data sets to run this")
    folder = Path(named)
    if not folder.is_dir():
        pytest.skip(f"OPTIMARGIN_DATA names {folder}, which is not a folder")
    return folder
