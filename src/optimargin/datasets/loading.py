"""From a name to the rows: a folder, the user's cache, scikit-learn's own copies, OpenML."""

import gzip
import hashlib
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optimargin.datasets.registry import Description, describe

#: Environment variable that names the folder of data files.
DATA_VARIABLE = "OPTIMARGIN_DATA"
_FILE_ENDINGS = (".csv.gz", ".csv", ".npz")
_SEIZURE_PIECES = 23
# Only these two of scikit-learn's sets are the paper's; its breast cancer and digits are others.
_BUNDLED = ("IR", "IW")


class DatasetNotFoundError(FileNotFoundError):
    """A benchmark set is in none of the places where it is looked for."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """One data set, read only: ``X`` (rows, features), ``y`` integer labels, and what they are."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    description: Description
    source: str

    @property
    def groups(self) -> NDArray[np.int64]:
        """Rows that belong together: pieces of one recording (SR), else equal rows."""
        if self.name == "SR":
            return np.arange(self.y.size) // _SEIZURE_PIECES
        return duplicate_groups(self.X)


def load(name: str, data: str | os.PathLike[str] | None = None) -> Dataset:
    """Load one of the nineteen benchmark sets by the paper's name.

    Looked for, in this order: the folder ``data`` (or the one named by the environment variable
    ``OPTIMARGIN_DATA``), the user's cache, scikit-learn's bundled sets (IR and IW), and OpenML for
    the sets known to be the same there; what OpenML gives is checked and kept in the cache.

    Examples
    --------
    >>> from optimargin.datasets import load
    >>> iris = load("IR")
    >>> iris.X.shape
    (150, 4)
    """
    description = describe(name)
    sources: list[Callable[[], Dataset | None]] = [
        lambda: _from_named_folder(description, data),
        lambda: _from_folder(description, cache_folder()),
        lambda: _from_scikit_learn(description),
        lambda: _from_openml(description),
    ]
    for source in sources:
        found = source()
        if found is not None:
            return found
    raise DatasetNotFoundError(_how_to_get(description))


def is_at_hand(name: str, data: str | os.PathLike[str] | None = None) -> bool:
    """Whether a set can be loaded without the network."""
    description = describe(name)
    folders = [data if data is not None else os.environ.get(DATA_VARIABLE), cache_folder()]
    return description.name in _BUNDLED or any(
        (Path(folder) / f"{description.name}{ending}").is_file()
        for folder in folders
        if folder
        for ending in _FILE_ENDINGS
    )


def cache_folder() -> Path:
    """The user's cache for data sets (``OPTIMARGIN_CACHE``, else the platform's usual place)."""
    own = os.environ.get("OPTIMARGIN_CACHE")
    if own:
        return Path(own)
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "optimargin" / "datasets"


def duplicate_groups(X: NDArray[np.float64]) -> NDArray[np.int64]:
    """A group number for each row; equal rows share one, numbered in order of appearance."""
    _, first, inverse = np.unique(X, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    groups: NDArray[np.int64] = order[inverse.reshape(-1)]
    return groups


def values_checksum(X: NDArray[np.float64], y: NDArray[np.int64]) -> str:
    """A checksum of the values that does not depend on the order of the rows.

    Values are compared in single precision: decimal numbers read by another parser agree there.
    """
    table = np.column_stack([X, y]).astype(np.float32) + np.float32(0)  # -0.0 becomes 0.0
    rows = np.ascontiguousarray(table).view(np.dtype((np.void, table.shape[1] * 4))).ravel()
    return hashlib.sha256(np.sort(rows).tobytes()).hexdigest()[:16]


def _from_named_folder(
    description: Description, data: str | os.PathLike[str] | None
) -> Dataset | None:
    folder = data if data is not None else os.environ.get(DATA_VARIABLE)
    if not folder:
        return None
    path = Path(folder)
    if not path.is_dir():
        origin = "given as data" if data is not None else f"named by {DATA_VARIABLE}"
        raise FileNotFoundError(f"The folder {path} {origin} does not exist.")
    return _from_folder(description, path)


def _from_folder(description: Description, folder: Path) -> Dataset | None:
    for ending in _FILE_ENDINGS:
        path = folder / f"{description.name}{ending}"
        if path.is_file():
            X, y, names = _read(path)
            return make_record(description, X, y, names, str(path))
    return None


def _from_scikit_learn(description: Description) -> Dataset | None:
    if description.name not in _BUNDLED:
        return None
    from sklearn.datasets import load_iris, load_wine

    bunch = load_iris() if description.name == "IR" else load_wine()
    names = tuple(str(entry) for entry in bunch.feature_names)
    return make_record(description, bunch.data, bunch.target, names, "scikit-learn")


def _from_openml(description: Description) -> Dataset | None:
    if description.openml_id is None:
        return None
    from optimargin.datasets.openml import fetch

    fetched = fetch(description)
    if fetched is None:
        return None
    X, y, names = fetched
    record = make_record(description, X, y, names, f"OpenML {description.openml_id}")
    _keep(record)
    return record


def make_record(
    description: Description,
    X: NDArray[np.generic],
    y: NDArray[np.generic],
    names: tuple[str, ...],
    source: str,
) -> Dataset:
    """Check shape and class sizes, make the arrays read only, and wrap them."""
    features = np.ascontiguousarray(X, dtype=np.float64)
    labels = np.asarray(y).astype(np.int64)
    found, counts = np.unique(labels, return_counts=True)
    if (
        features.shape != (description.n_rows, description.n_features)
        or tuple(found.tolist()) != description.labels
        or tuple(counts.tolist()) != description.counts
    ):
        raise ValueError(
            f"{source} is not the data set {description.name}: expected "
            f"{description.n_rows} rows, {description.n_features} features and classes "
            f"{dict(zip(description.labels, description.counts, strict=True))}, found "
            f"{features.shape[0]} rows, {features.shape[1]} features and classes "
            f"{dict(zip(found.tolist(), counts.tolist(), strict=True))}."
        )
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise ValueError(f"{source} has no number in row {row + 1}, feature {column + 1}.")
    features.setflags(write=False)
    labels.setflags(write=False)
    return Dataset(description.name, features, labels, names, description, source)


def _read(
    path: Path,
) -> tuple[NDArray[np.generic], NDArray[np.generic], tuple[str, ...]]:
    if path.suffix == ".npz":
        with np.load(path) as archive:
            X, y = archive["X"], archive["y"]
            names = archive["names"].tolist() if "names" in archive else []
        return X, y, tuple(names) or tuple(f"x{i + 1}" for i in range(X.shape[1]))
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    header, _, body = text.decode("utf-8").partition("\n")
    try:
        table = np.loadtxt(io.StringIO(body), delimiter=",", ndmin=2)
    except ValueError as error:
        raise ValueError(f"{path} could not be read as a table of numbers: {error}") from error
    return table[:, :-1], table[:, -1], tuple(header.strip().split(",")[:-1])


def _keep(record: Dataset) -> None:
    folder = cache_folder()
    partial = folder / f"{record.name}.{os.getpid()}.partial"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as stream:
            np.savez_compressed(
                stream, X=record.X, y=record.y, names=np.array(record.feature_names)
            )
        partial.replace(folder / f"{record.name}.npz")
    except OSError:
        # The cache is a convenience: without it the next load asks OpenML again.
        partial.unlink(missing_ok=True)


def _how_to_get(description: Description) -> str:
    files = " or ".join(f"{description.name}{ending}" for ending in _FILE_ENDINGS)
    online = (
        f"with a network connection it is fetched from OpenML (id {description.openml_id})"
        if description.openml_id is not None
        else "it is not fetched from OpenML, which has no copy known to be the same"
    )
    return (
        f"The data set {description.name} ({description.title}) was not found. "
        f"Three ways to get it: "
        f"(1) put {files} (columns x1..x{description.n_features}, y) into a folder and name it by "
        f"`data=`, `--data` or the environment variable {DATA_VARIABLE}; "
        f"(2) put the file into the cache, {cache_folder()}; (3) {online}."
    )
