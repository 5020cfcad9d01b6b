"""Kernels that only other kernels call, made callable from Python."""

import inspect

import numba


def from_python(kernel):
    """The kernel behind a wrapper that Python can call."""
    # with its arguments by name: numba 0.60 mistakes the types of *arguments
    names = ", ".join(inspect.signature(kernel.py_func).parameters)
    return numba.njit(nogil=True)(eval(f"lambda {names}: kernel({names})", {"kernel": kernel}))
