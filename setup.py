"""The parts of the build that setup.cfg cannot say: a C library, what wheels leave out, and what they have compressed.

The library does lockstep steps, where there is a C compiler. It knows nothing of Python, so one file serves all
versions (`abi3`). Where it cannot be built, or `COOPSIM_LANE` is `off`, the wheel is built without it, and everything
else is the same. Texts that programs pass on as they are, a third as large so, are read by
`coopsim.features.presentation.packaged`.
"""

import gzip
import os
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

_TEXTS = (
    "templates/**/*.template",
    *("features/web/page/*.*", "features/pictures/page/*.*", "features/**/*.jinja"),
    "features/desktop/shaders/*.glsl",
)
_OF_CHECKOUTS = ("testkit/fuzz/", "testkit/own_bench/", "features/gateways/bench/")
"""Trials of coopsim's own readers, and benchmarks of its own parts: for those who change them."""


class BuildPy(build_py):
    """Copies the package, less what checkouts alone have, and compresses texts of the copy.

    Of an editable installation there is no copy.
    """

    def run(self) -> None:
        """Build."""
        super().run()
        if self.editable_mode:
            return
        package = Path(self.build_lib) / "coopsim"
        for folder in _OF_CHECKOUTS:
            shutil.rmtree(package / folder)
        for file in [file for texts in _TEXTS for file in package.glob(texts) if file.suffix != ".gz"]:
            # the same bytes each time: no time stamp
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
            file.unlink()


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

_COMMANDS = {"build_py": BuildPy}
if _IS_BUILT:
    setup(cmdclass=_COMMANDS, ext_modules=[_LANE], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    setup(cmdclass=_COMMANDS)
