"""Builds the library; it knows nothing of Python, so one file serves all versions."""

from setuptools import Extension, setup

FOLDER = "coopsim_lane"
LANE = Extension(
    f"{FOLDER}._lane",
    [f"{FOLDER}/{name}.c" for name in ("bytes", "exchange", "forms", "frames", "lane", "tick")],
    depends=[f"{FOLDER}/{name}.h" for name in ("exchange", "lane", "parts")],
    extra_compile_args=["-std=gnu11", "-O2", "-fvisibility=default"],
    py_limited_api=True,
)

setup(ext_modules=[LANE], options={"bdist_wheel": {"py_limited_api": "cp311"}})
