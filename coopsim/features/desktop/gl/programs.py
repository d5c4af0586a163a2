"""Shader programs out of files."""

from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
from pyglet.graphics.shader import Shader, ShaderProgram

from coopsim.features.presentation.packaged import packaged_text
from coopsim.geometry import Floats

_VERSION = "#version 330 core\n"


class Program:
    """A program; it reads attributes of vertices by name.

    Args:
        vertex: Files in `coopsim/features/desktop/shaders` that make the vertex shader.
        fragment: Files that make the fragment shader.

    Attributes:
        attributes: Location by name.
    """

    def __init__(self, vertex: Sequence[str], fragment: Sequence[str]) -> None:
        self._program = ShaderProgram(Shader(_source(vertex), "vertex"), Shader(_source(fragment), "fragment"))
        self._uniforms = frozenset(self._program.uniforms)
        self.attributes = {name: attribute["location"] for name, attribute in self._program.attributes.items()}

    def use(self) -> None:
        """Draw with it from now on."""
        self._program.use()

    def set(self, **values: float | Floats | Sequence[float]) -> None:
        """Set uniforms; matrices are row by row. Names that the program does not use are passed over."""
        for name, value in values.items():
            if name in self._uniforms:
                is_number = isinstance(value, int | float)
                self._program[name] = value if is_number else tuple(np.asarray(value, float).T.ravel().tolist())


def _source(files: Sequence[str]) -> str:
    return _VERSION + "".join(map(_file, files))


@cache
def _file(name: str) -> str:
    return packaged_text(resources.files("coopsim.features.desktop").joinpath("shaders"), f"{name}.glsl")
