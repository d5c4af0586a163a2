"""Builds the library; it knows nothing of Python, so one file serves all versions."""

from setuptools import Extension, setup

LANE = Extension(
    "coopsim_lane._lane",
    ["coopsim_lane/lane.c"],
    depends=["coopsim_lane/lane.h"],
    extra_compile_args=["-std=gnu11", "-O2", "-fvisibility=default"],
    py_limited_api=True,
)

setup(ext_modules=[LANE], options={"bdist_wheel": {"py_limited_api": "cp311"}})
