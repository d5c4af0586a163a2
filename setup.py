"""The one part of the build that setup.cfg cannot say: the C library of lockstep steps, where there is a C compiler.

The library knows nothing of Python, so one file serves all versions (`abi3`). Where it cannot be built, or
`COOPSIM_LANE` is `off`, the wheel is built without it, and everything else is the same.
"""

import os
import sys

from setuptools import Extension, setup

_FOLDER = "coopsim/lane"
_IS_BUILT = sys.platform == "linux" and os.environ.get("COOPSIM_LANE", "").lower() != "off"
_LANE = Extension(
    "coopsim.lane._lane",
    [f"{_FOLDER}/{name}.c" for name in ("bytes", "exchange", "forms", "frames", "lane", "tick")],
    depends=[f"{_FOLDER}/{name}.h" for name in ("exchange", "lane", "parts")],
    # -O3 is no faster: a step waits for the kernel most of its time
    extra_compile_args=["-std=gnu11", "-O2", "-fvisibility=default"],
    extra_link_args=["-s"],  # names for debuggers are two thirds of it
    py_limited_api=True,
    optional=True,
)

if _IS_BUILT:
    setup(ext_modules=[_LANE], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup()
