"""How kernels are compiled, and what happens where the compiled code cannot be kept.

Compiling is the greater part of the first fit ever, so the kernels of usual fits are written to be
compiled quickly: they are given the arrays they work in (an allocation costs numba two seconds for
the errors that it could raise), and loop where a slice, a reduction or a product of NumPy's would
do. What is needed rarely is a kernel of its own.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

# Reductions and selections may be vectorised; infinities keep their meaning.
VECTORISED = frozenset({"nnan", "nsz", "reassoc", "contract"})

_warned = False


def compiled(
    fastmath: frozenset[str] = frozenset(), inner: bool = False
) -> Callable[[Kernel], Kernel]:
    """Compile a function to machine code, cached on disk where that is possible.

    An `inner` one is called by other kernels only: what would take its arguments from Python is not
    compiled.
    """

    def decorate(function: Kernel) -> Kernel:
        global _warned
        # with numpy's error model a division needs no check for zero, which would keep the loop
        # around it from being vectorised
        options: dict[str, Any] = {
            "nogil": True,
            "no_cfunc_wrapper": True,
            "no_cpython_wrapper": inner,
            "error_model": "numpy",
            "fastmath": set(fastmath) or False,
        }
        try:
            kernel: Kernel = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # numba found no folder that it can write to
            if not _warned:
                _warned = True
                warnings.warn(
                    "optimargin cannot store its compiled code: neither its own folder nor the "
                    "user's cache can be written, so every new process compiles again (some "
                    "seconds). Set NUMBA_CACHE_DIR to a writable folder to avoid that.",
                    RuntimeWarning,
                    stacklevel=2,
                )
            kernel = numba.njit(**options)(function)
        return kernel

    return decorate


@compiled()
def _first() -> int:
    return 0


# numba loads its rules, a tenth of a second, with the first kernel that runs: let that be part of
# the import and not of the user's first fit
_first()
