"""Compiled functions on arrays."""

import logging
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import config

from coopsim.kernels.folders import PACKAGE, kernel_cache
from coopsim.kernels.store import KernelStore

Function = TypeVar("Function", bound=Callable[..., Any])
_TOLD = "COOPSIM_KERNELS_UNKEPT"  # inherited, so that of all processes of a run one warns
CACHE = kernel_cache(PACKAGE, os.environ)  # chosen once, before numba compiles anything
setattr(config, "CACHE_DIR", CACHE.folder)  # noqa: B010 - numba makes its settings at run time
if not CACHE.is_kept and _TOLD not in os.environ:
    os.environ[_TOLD] = "1"  # processes that this one starts need not say it again
    logging.getLogger(__name__).warning(
        "no folder may be written in which compiled kernels could be kept, so each run compiles them anew, which takes "
        "half a minute; set NUMBA_CACHE_DIR to one"
    )


def compiled(function: Function) -> Function:
    """Compile `function` at its first call and keep the machine code for later processes.

    It is compiled anew when its code changes, that of a kernel it calls, or a constant that they use, in any file.
    Division by zero follows IEEE 754.
    """
    # Python's own model checks each division, and a check keeps loops from becoming vectors
    return _kept(numba.njit(error_model="numpy")(function), function)


def compiled_for_threads(function: Function) -> Function:
    """Compile `function` as `compiled` does; while it runs other threads of Python may run, too.

    For kernels over many rows that `kernels.threads` shares among cores: giving up the lock costs small ones time.
    """
    return _kept(numba.njit(error_model="numpy", nogil=True)(function), function)


def _kept(kernel: Any, function: Function) -> Function:
    if CACHE.is_kept and hasattr(kernel, "py_func"):  # NUMBA_DISABLE_JIT leaves the function as it is
        kernel._cache = KernelStore(function)  # type: ignore[no-untyped-call]  # noqa: SLF001
    return cast("Function", kernel)


def inlined(function: Function) -> Function:
    """Compile `function` into each kernel that calls it.

    For small helpers of hot kernels: a call hands over each array as seven numbers, which costs more than they do.
    """
    return cast("Function", numba.njit(inline="always", error_model="numpy")(function))
