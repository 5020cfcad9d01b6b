"""The command line as people start it: a process, its exit code, its start-up time."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

COMMAND = [sys.executable, "-m", "optimargin"]


def start(*words, cwd, **options):
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*COMMAND, *words], cwd=cwd, env=environment, **pipes, **options)


def outcome(*words, cwd):
    with start(*words, cwd=cwd) as process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out.decode(), err.decode()


def names_of(n):
    return "\n".join(f"{number},name {number}" for number in range(n))


BAD_TABLES = {
    "empty": (b"", "is empty"),
    "binary": (bytes(range(256)) * 20, "neither CSV in UTF-8 nor Parquet"),
    "ragged": (b"x,y\n1,a\n2\n", "Row #3: Expected 2 columns, got 1"),
    "wrong column": (b"x,z\n1,a\n2,b\n", "has no column 'y'"),
    "one class": (b"x,y\n1,a\n2,a\n", "only one class, 'a'"),
    "all missing": (b"x,y\n,a\n?,b\nNA,a\n", "no column to learn from ('x': no values)"),
    "names as target": (("x,y\n" + names_of(10_000)).encode(), "10,000 different values"),
    "truncated": (b"\x1f\x8b\x08\x00\x00\x00", "damaged gzip file"),
}


@pytest.mark.parametrize("kind", [*BAD_TABLES, "absent", "unreadable"])
def test_a_bad_table_is_one_line_and_an_exit_code(tmp_path, kind):
    content, message = BAD_TABLES.get(kind, (None, "cannot read"))
    table = tmp_path / "table.csv"
    if content is not None:
        table.write_bytes(content)
    elif kind == "unreadable":
        table = "/proc/self/mem"
        if not os.path.exists(table):
            pytest.skip("needs a file that nobody can read from its beginning")
    before = sorted(tmp_path.iterdir())
    code, out, err = outcome("fit", str(table), "-t", "y", "-o", "a.model", cwd=tmp_path)
    assert code == 1, err
    assert out == ""
    assert message in err
    assert err.startswith("optimargin: ")
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopping_a_fit_leaves_nothing_behind(tmp_path, sent, code):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(9000, 2))
    rows = [f"{u:.6f},{v:.6f},{'ab'[number % 2]}" for number, (u, v) in enumerate(values)]
    content = ("u,v,y\n" + "\n".join(rows)).encode()
    options = ("--restarts", "1000000")
    # More than a pipe holds: when all is written, the command is reading or further on.
    assert len(content) > 2 * 65536
    with start("fit", "-", "-t", "y", "-o", "a.model", *options, cwd=tmp_path) as process:
        process.stdin.write(content)
        process.stdin.close()
        time.sleep(4)
        assert process.poll() is None, "the fit has ended before it could be stopped"
        process.send_signal(sent)
        process.wait(timeout=60)
        out, err = process.stdout.read(), process.stderr.read().decode()
    assert process.returncode == code, err
    assert out == b""
    assert err == ("optimargin: stopped; no file was left half-written\n" if code == 130 else "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize(
    "then",
    [
        "time.sleep(30)",
        "raise RuntimeError('no compiled object')",
        "complain(); time.sleep(30)",
    ],
)
def test_a_stop_that_python_drops_is_not_lost(sent, code, then):
    """Exceptions that are raised in a callback from C, or in a finalizer, end in the void."""
    program = (
        "import ctypes, signal, time\n"
        "import optimargin.cli.app\n"
        "from optimargin.cli.main import run\n"
        "class HalfMade:\n"
        "    def __del__(self):\n"
        "        raise AttributeError('not there yet')\n"
        "def complain():\n"
        "    HalfMade()\n"
        "def app(**options):\n"
        f"    ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.{sent}))()\n"
        f"    {then}\n"
        "optimargin.cli.app.app = app\n"
        "run()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20)
    assert done.returncode == code, done.stderr
    assert done.stderr == (
        b"optimargin: stopped; no file was left half-written\n" if code == 130 else b""
    )


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_stop_waits_for_the_compiler(sent, code):
    program = (
        "import signal, sys, time\n"
        "import optimargin.cli.app\n"
        "from optimargin.cli.main import run\n"
        "compiler = {'__name__': 'numba.core.compiler', 'signal': signal, 'time': time}\n"
        f"exec('def compile(): signal.raise_signal(signal.{sent}); time.sleep(0.3)', compiler)\n"
        "def app(**options):\n"
        "    compiler['compile']()\n"
        "    print('compiled', flush=True)\n"
        "    time.sleep(30)\n"
        "optimargin.cli.app.app = app\n"
        "run()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=20)
    assert done.returncode == code, done.stderr
    assert done.stdout == b"compiled\n"


def test_a_reader_that_leaves_early_is_no_error_message(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    (tmp_path / "long.csv").write_text("x\n" + "1\n2\n" * 20_000)
    assert outcome("fit", "t.csv", "-t", "y", "-o", "a.model", cwd=tmp_path)[0] == 0
    with start("predict", "a.model", "long.csv", "-o", "-", cwd=tmp_path) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_help_loads_nothing_heavy():
    program = (
        "import sys; sys.argv[1:] = ['--help']\n"
        "from optimargin.cli.main import exit_code\n"
        "code = exit_code()\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'numba'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else code)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for command in ("demo", "fit", "predict", "evaluate", "inspect"):
        assert f"  {command} " in done.stdout


def test_without_its_dependencies_the_command_says_what_to_install():
    program = (
        "import sys; sys.modules['typer'] = None\nfrom optimargin.cli.main import run\nrun()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == 'optimargin: typer is missing: pip install "optimargin[cli]"\n'


@pytest.mark.skipif(os.name != "posix", reason="measures the processor time of child processes")
def test_help_starts_as_quickly_as_its_toolkit():
    import resource

    def processor_seconds(*command):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    toolkit, ours = [], []
    for _ in range(9):
        toolkit.append(processor_seconds("-c", "import typer, rich"))
        ours.append(processor_seconds("-m", "optimargin", "--help"))
    assert min(ours) <= 1.5 * min(toolkit)
