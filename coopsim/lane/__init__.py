"""The C library of lockstep steps: its sources, where its built file lies, and whether it may be used.

It knows nothing of Python, so one file serves all versions. The host (`server.lane`) and the client that blocks
(`client.compiled`) call it by ctypes; without it both do the same in Python. Explained in docs/lane.md.
"""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
VARIABLE = "COOPSIM_LANE"
"""Environment variable that leaves the library aside where it is `off`."""


def is_wanted(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether nobody has switched the library off."""
    return environment.get(VARIABLE, "").lower() != "off"


def is_possible(platform: str = sys.platform) -> bool:
    """Return whether the library can be built for a system: it waits by epoll, which Linux alone has."""
    return platform == "linux"


def library_file() -> Path | None:
    """Return the library's file, None if it was not built."""
    return next(iter(sorted(Path(__file__).parent.glob("_lane*.so"))), None)


def load(kind: Callable[[Path], _T], environment: Mapping[str, str] = os.environ) -> _T | None:
    """Return what the library can do for its caller, None where it was not built, cannot be used, or is not wanted.

    Args:
        kind: Opens the file, and raises AttributeError, OSError or ValueError where it is not of this version.
        environment: Where `VARIABLE` is looked up.
    """
    path = library_file() if is_wanted(environment) else None
    if path is None:
        return None
    try:
        return kind(path)
    except (AttributeError, OSError, ValueError) as problem:
        _log.warning("lockstep steps take longer than they need: %s; install coopsim anew", problem)
        return None
