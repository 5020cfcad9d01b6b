"""Compiled loops over arrays: the only folder that imports numba.

Every kernel is a module-level function over arrays and numbers, cached on disk after its first
compilation. Nothing here validates: what reaches a kernel is finite and has the right shape.
"""
