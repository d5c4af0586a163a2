"""Compiled functions on arrays."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile `function` at its first call and keep the machine code for later processes.

    The cache looks at the file of the function alone, so a kernel, what it calls and its constants share one file.
    Division by zero follows IEEE 754.
    """
    return cast("Function", numba.njit(cache=True, error_model="numpy")(function))
