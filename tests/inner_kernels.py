"""Kernels that only other kernels call, made callable from Python."""

import numba


def from_python(kernel):
    """The kernel behind a wrapper that Python can call."""

    @numba.njit(nogil=True)
    def call(*arguments):
        return kernel(*arguments)

    return call
