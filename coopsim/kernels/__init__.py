"""Shared parts of all compiled functions: the decorators, where machine code is kept, helpers and constants.

Kernels themselves stand with what they are for, in engines, sensing and devices.
"""

from coopsim.kernels.compiled import CACHE, compiled, compiled_for_threads, inlined
from coopsim.kernels.foreign import call_c, floats_at
from coopsim.kernels.sincos import sincos

__all__ = [
    "CACHE",
    "call_c",
    "compiled",
    "compiled_for_threads",
    "floats_at",
    "inlined",
    "sincos",
]
