"""Run the benchmarks of this folder, all of them or those that are named.

Each is a module with a ``main()`` that prints what it measured. Each runs in a process of its own
and with one thread, so that none warms up or slows down another.
"""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def available() -> list[str]:
    return sorted(
        path.stem
        for path in FOLDER.glob("*.py")
        if path.name != Path(__file__).name and not path.name.startswith("_")
    )


def run(name: str) -> int:
    environment = dict(os.environ)
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[variable] = "1"
    before = environment.get("PYTHONPATH")
    environment["PYTHONPATH"] = os.pathsep.join([str(FOLDER), *([before] if before else [])])
    print(f"== {name}", flush=True)
    command = [sys.executable, "-c", f"import {name}; {name}.main()"]
    return subprocess.run(command, env=environment, check=False).returncode


def main(names: list[str]) -> int:
    known = available()
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"no benchmark called {', '.join(unknown)}; there are: {', '.join(known) or 'none'}")
        return 2
    failed = [name for name in (names or known) if run(name) != 0]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
