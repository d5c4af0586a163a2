"""Triangles as binary STL: a header, how many there are, then 50 bytes for each; every reader of meshes knows it.

Source: StereoLithography Interface Specification, 3D Systems 1989 (binary form).
"""

import numpy as np

from coopsim.geometry import Floats

_HEADER = 84  # bytes before the first facet, its count included
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def stl_of(triangles: Floats) -> bytes:
    """Return triangles as a binary STL file.

    Args:
        triangles: Their corners, shape (n, 3, 3).
    """
    facets = np.zeros(len(triangles), _FACET)
    facets["corners"] = triangles
    return bytes(_HEADER - 4) + len(triangles).to_bytes(4, "little") + facets.tobytes()


def stl_corners(raw: bytes) -> Floats | None:
    """Return the corners of all triangles, shape (n, 3, 3); None where this is no whole binary STL file."""
    if len(raw) < _HEADER:
        return None
    count = int.from_bytes(raw[_HEADER - 4 : _HEADER], "little")
    if len(raw) != _HEADER + count * _FACET.itemsize:
        return None
    return np.frombuffer(raw, _FACET, count, _HEADER)["corners"].astype(float)
