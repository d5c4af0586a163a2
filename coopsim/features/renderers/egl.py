"""A context of OpenGL in memory, by EGL: of the compatibility profile, beside contexts of any other profile."""

import ctypes
from ctypes import CFUNCTYPE, byref, c_char_p, c_int, c_uint, c_void_p
from typing import Any

from coopsim.errors import CannotDraw

_LIBRARY = "libEGL.so.1"
# names and numbers of the registry of EGL 1.5 and of EGL_EXT_platform_device
_PLATFORM_DEVICE, _OPENGL_API, _NONE = 0x313F, 0x30A2, 0x3038
_CONFIG = (
    *(0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8),  # bits of red, green, blue, alpha
    *(0x3025, 24, 0x3026, 8),  # of depth and stencil
    *(0x3033, 0x0001, 0x3040, 0x0008),  # surfaces: pbuffers; API: OpenGL
    _NONE,
)
_PBUFFER = (0x3057, 16, 0x3056, 16, _NONE)  # width and height; what is drawn goes to buffers of one's own
_MOST_DEVICES = 16
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "eglGetProcAddress": (c_void_p, c_char_p),
    "eglGetDisplay": (c_void_p, c_void_p),
    "eglInitialize": (c_uint, c_void_p, c_void_p, c_void_p),
    "eglChooseConfig": (c_uint, c_void_p, c_void_p, c_void_p, c_int, c_void_p),
    "eglBindAPI": (c_uint, c_uint),
    "eglCreateContext": (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p),
    "eglCreatePbufferSurface": (c_void_p, c_void_p, c_void_p, c_void_p),
    "eglMakeCurrent": (c_uint, c_void_p, c_void_p, c_void_p, c_void_p),
    "eglDestroySurface": (c_uint, c_void_p, c_void_p),
    "eglDestroyContext": (c_uint, c_void_p, c_void_p),
    "eglReleaseThread": (c_uint,),
    "eglGetError": (c_int,),
}


class EglContext:
    """A context that needs no display; it belongs to the thread that makes it current.

    Raises:
        CannotDraw: EGL is missing, or has no OpenGL.
    """

    def __init__(self) -> None:
        self._egl = _library()
        self._display = self._open_display()
        config, count = c_void_p(), c_int()
        attributes = (c_int * len(_CONFIG))(*_CONFIG)
        self._egl.eglChooseConfig(self._display, attributes, byref(config), 1, byref(count))
        if not count.value:
            raise CannotDraw("EGL draws no OpenGL in memory here")
        self._egl.eglBindAPI(_OPENGL_API)
        size = (c_int * len(_PBUFFER))(*_PBUFFER)
        self._surface = self._egl.eglCreatePbufferSurface(self._display, config, size)
        self._context = self._egl.eglCreateContext(self._display, config, None, (c_int * 1)(_NONE))
        if not self._context or not self._surface:
            raise CannotDraw(f"EGL makes no context of OpenGL here (error {self._egl.eglGetError():#x})")

    def make_current(self) -> None:
        """Let this thread draw in it.

        Raises:
            CannotDraw: Another thread does, or the graphics card is gone.
        """
        self._egl.eglBindAPI(_OPENGL_API)
        if not self._egl.eglMakeCurrent(self._display, self._surface, self._surface, self._context):
            raise CannotDraw(f"the context of EGL cannot be used (error {self._egl.eglGetError():#x})")

    def close(self) -> None:
        """Give it back; the display of EGL stays, since others may use it."""
        self._egl.eglMakeCurrent(self._display, None, None, None)
        self._egl.eglDestroySurface(self._display, self._surface)
        self._egl.eglDestroyContext(self._display, self._context)
        self._egl.eglReleaseThread()

    def _open_display(self) -> Any:
        """Return a display of the first device that works, the usual one where devices are not known."""
        displays = [*self._device_displays(), self._egl.eglGetDisplay(None)]
        for display in displays:
            if display and self._egl.eglInitialize(display, None, None):
                return display
        raise CannotDraw(f"EGL finds nothing to draw with (error {self._egl.eglGetError():#x})")

    def _device_displays(self) -> list[Any]:
        query = self._egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        get = self._egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
        if not query or not get:
            return []
        devices, count = (c_void_p * _MOST_DEVICES)(), c_int()
        CFUNCTYPE(c_uint, c_int, c_void_p, c_void_p)(query)(_MOST_DEVICES, devices, byref(count))
        display_of = CFUNCTYPE(c_void_p, c_uint, c_void_p, c_void_p)(get)
        return [display_of(_PLATFORM_DEVICE, device, None) for device in devices[: count.value]]


def _library() -> Any:
    try:
        library = ctypes.CDLL(_LIBRARY)
    except OSError as problem:
        raise CannotDraw(f"EGL is missing ({problem})") from None
    for name, (result, *arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
