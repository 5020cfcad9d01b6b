"""Files appear whole or not at all: errors, a full disk, a killed process."""

import errno
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from optimargin.files import FileError, written_whole


def leftovers(folder, *known):
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def test_content_and_permissions(tmp_path):
    target = tmp_path / "a.bin"
    with written_whole(target) as file:
        file.write(b"one")
        assert not target.exists()
    assert target.read_bytes() == b"one"
    if os.name == "posix":
        umask = os.umask(0)
        os.umask(umask)
        assert target.stat().st_mode & 0o777 == 0o666 & ~umask
        target.chmod(0o600)
        with written_whole(target) as file:
            file.write(b"two")
        assert target.stat().st_mode & 0o777 == 0o600
        assert target.read_bytes() == b"two"
    assert leftovers(tmp_path) == ["a.bin"]


def test_an_error_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")

    def fail(error):
        with written_whole(target) as file:
            file.write(b"new")
            raise error

    for error in (RuntimeError("no"), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            fail(error)
        assert target.read_bytes() == b"old"
        assert leftovers(tmp_path) == ["a.bin"]


def test_a_full_disk_is_told_in_one_sentence(tmp_path, monkeypatch):
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(FileError, match=r"cannot write .*a\.bin: No space left .*nothing was ch"),
        written_whole(target) as file,
    ):
        file.write(b"new")
    assert target.read_bytes() == b"old"
    assert leftovers(tmp_path) == ["a.bin"]


def test_the_content_is_on_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    target = tmp_path / "a.bin"
    events = []
    fsync, replace = os.fsync, os.replace

    def sync(descriptor):
        events.append("sync")
        fsync(descriptor)

    def rename(source, destination):
        events.append("rename")
        replace(source, destination)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", rename)
    with written_whole(target) as file:
        file.write(b"x")
    assert events[:2] == ["sync", "rename"]


@pytest.mark.skipif(os.name != "posix", reason="kills a process the POSIX way")
def test_a_process_killed_half_way_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.bin"
    target.write_bytes(b"old")
    program = textwrap.dedent(
        f"""
        import time
        from optimargin.files.whole import written_whole
        with written_whole({str(target)!r}) as file:
            file.write(b"half")
            file.flush()
            print("half written", flush=True)
            time.sleep(60)
        """
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "half written\n"
        process.send_signal(signal.SIGKILL)
    assert target.read_bytes() == b"old"


def test_links_are_followed_and_devices_written_to(tmp_path):
    target = tmp_path / "real"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("no symbolic links here")
    with written_whole(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    with written_whole(os.devnull) as file:
        file.write(b"gone")
    assert not os.path.isfile(os.devnull)


def test_where_nothing_can_be_written(tmp_path):
    def write(target):
        with written_whole(target):
            pass

    with pytest.raises(FileError, match="it is a folder"):
        write(tmp_path)
    with pytest.raises(FileError, match="there is no folder"):
        write(tmp_path / "none" / "a.bin")
