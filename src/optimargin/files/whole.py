"""Files that are written whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from optimargin.files.errors import FileError


@contextmanager
def written_whole(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that appears under its name only when everything has been written.

    The content goes into a temporary file of the same folder, reaches the disk, and then takes the
    place of whatever had the name before. After an error, an interrupt or a power cut the old file
    is still there, whole.

    Parameters
    ----------
    path : str or Path
        The file to write. A symbolic link is followed. Something that is not a regular file, such
        as ``/dev/null``, is written to directly.

    Raises
    ------
    FileError
        If the file cannot be written, for example because the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from optimargin.files import written_whole
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "a.txt") as file:
    ...         _ = file.write(b"all of it")
    ...     print((Path(folder) / "a.txt").read_text())
    all of it
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FileError(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {target.parent}")
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                yield device
            return
        yield from _replacing(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(f"cannot write {path}: {reason}; nothing was changed") from error


def _replacing(target: Path) -> Iterator[BinaryIO]:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        # "x": never somebody else's file; the permissions are those that any new file gets.
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name itself survive a power cut, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
