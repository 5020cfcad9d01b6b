"""Model files: a skops archive with a page about itself, loaded without running code from it."""

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sklearn
import skops.io
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

import optimargin
from optimargin.files.errors import FileError
from optimargin.files.trusted import check_schema, trusted_types
from optimargin.files.whole import written_whole

FORMAT = "optimargin model"
FORMAT_VERSION = 1
ABOUT = "optimargin.json"
SCHEMA = "schema.json"


@dataclass(frozen=True)
class Model:
    """A fitted estimator and what is known about it.

    Attributes
    ----------
    estimator : estimator
        A fitted classifier, or a pipeline that ends in one.
    about : dict
        Facts for people and programs, as plain JSON.
    versions : dict
        The versions of the packages that wrote the file.
    """

    estimator: BaseEstimator
    about: dict[str, Any]
    versions: dict[str, str]


def save_model(path: str | Path, estimator: BaseEstimator, about: dict[str, Any]) -> None:
    """Write a model file, whole or not at all.

    Parameters
    ----------
    path : str or Path
        The file to write.
    estimator : estimator
        A fitted classifier of this package, or a pipeline of `table_pipeline` that ends in one.
    about : dict
        Facts to store beside it, as plain JSON.

    Raises
    ------
    FileError
        If the file cannot be written or the model holds something that loading would refuse.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from optimargin import OptimalMarginClassifier
    >>> from optimargin.files import load_model, save_model
    >>> X, y = load_iris(return_X_y=True)
    >>> classifier = OptimalMarginClassifier(random_state=0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(Path(folder) / "iris.model", classifier, {"target": "kind"})
    ...     model = load_model(Path(folder) / "iris.model")
    >>> bool((model.estimator.predict(X) == classifier.predict(X)).all())
    True
    """
    kind = type(_classifier(estimator)).__name__
    buffer = io.BytesIO()
    skops.io.dump(estimator, buffer, compression=zipfile.ZIP_DEFLATED)
    page = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "kind": kind,
        "versions": {"optimargin": optimargin.__version__, "scikit-learn": sklearn.__version__},
        "about": about,
    }
    with zipfile.ZipFile(buffer, "a", compression=zipfile.ZIP_DEFLATED) as archive:
        # What cannot be loaded again is not written in the first place.
        check_schema(archive.read(SCHEMA), kind, f"the model for {path}")
        archive.writestr(ABOUT, json.dumps(page, indent=2, allow_nan=False))
    with written_whole(path) as file:
        file.write(buffer.getbuffer())


def load_model(path: str | Path) -> Model:
    """Read a model file without running any code from it.

    Only the types of a fixed list are rebuilt (see `optimargin.files.trusted`).

    Raises
    ------
    FileError
        If the file is damaged, is no model, comes from a newer version, or holds anything that is
        not on the list.

    Examples
    --------
    >>> from optimargin.files import load_model
    >>> load_model("nothing.model")
    Traceback (most recent call last):
    ...
    optimargin.files.errors.FileError: cannot read nothing.model: No such file or directory
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from error
    with _damage_reported(path), zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names) or archive.testzip() is not None:
            raise FileError(f"{path} is damaged: its parts do not match their checksums")
        if ABOUT not in names or SCHEMA not in names:
            raise FileError(f"{path} is not a model that optimargin wrote")
        page = json.loads(archive.read(ABOUT))
        _check_page(page, path)
        check_schema(archive.read(SCHEMA), page["kind"], str(path))
        estimator = skops.io.loads(content, trusted=sorted(trusted_types(page["kind"])))
        if type(_classifier(estimator)).__name__ != page["kind"]:
            raise FileError(f"{path} is damaged: it does not hold what it says")
    return Model(estimator, page["about"], page["versions"])


def _check_page(page: Any, path: str | Path) -> None:
    if not isinstance(page, dict) or page.get("format") != FORMAT:
        raise FileError(f"{path} is not a model that optimargin wrote")
    found = page.get("format_version")
    if not isinstance(found, int) or found < 1:
        raise FileError(f"{path} is damaged: it has no format version")
    if found > FORMAT_VERSION:
        raise FileError(
            f"{path} has model format {found} and this optimargin reads up to {FORMAT_VERSION}: "
            "install a newer optimargin to use it"
        )
    parts = {"kind": str, "versions": dict, "about": dict}
    if not all(isinstance(page.get(part), expected) for part, expected in parts.items()):
        raise FileError(f"{path} is damaged: its description is incomplete")


def _classifier(estimator: BaseEstimator) -> BaseEstimator:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


@contextmanager
def _damage_reported(path: str | Path) -> Iterator[None]:
    """Whatever a damaged archive makes zipfile, json or skops stumble over is one sentence."""
    try:
        yield
    except FileError:
        raise
    except zipfile.BadZipFile:
        raise FileError(f"{path} is not a model file, or a damaged one") from None
    except MemoryError:
        raise FileError(f"{path} does not fit into memory") from None
    except Exception as error:
        reason = str(error).strip().splitlines()
        raise FileError(
            f"{path} is damaged: {reason[0] if reason else type(error).__name__}"
        ) from error
