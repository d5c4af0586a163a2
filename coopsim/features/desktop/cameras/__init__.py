"""Images of the cameras of robots, drawn by a process of its own, or in this one."""

from coopsim.features.desktop.cameras.local import LocalImages

__all__ = ["LocalImages"]
