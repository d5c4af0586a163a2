"""OpenGL with arrays: buffers, programs, targets, textures.

To import them raises CannotDraw where OpenGL is missing. Windows have to be wanted before, by `displays.use_windows`;
without, pictures are drawn in memory, and no display is needed.
"""

import importlib

from coopsim.errors import CannotDraw
from coopsim.features.desktop import displays

displays.settle()
try:
    importlib.import_module("pyglet.gl")
except Exception as problem:  # a library that is missing, a display that refuses: each raises something else
    raise CannotDraw(f"OpenGL cannot be used here: {problem or type(problem).__name__}") from problem
