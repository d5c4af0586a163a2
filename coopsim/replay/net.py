"""Guards everything that reads foreign recordings: unforeseen exceptions become errors with a text.

Recordings are checked where their bytes become objects. What slips through those checks is a mistake of ours; it must
end neither a replay that others watch nor a command with a traceback.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from coopsim.errors import CoopsimError, DamagedRecording


@contextmanager
def reading(path: object, *passed: type[BaseException]) -> Iterator[None]:
    """Turn what is raised while a recording is read, and is no error of ours, into one that asks to report it.

    Args:
        path: The recording.
        passed: What is passed on besides errors of ours, of the system, and of too little memory.

    Raises:
        DamagedRecording: Something unforeseen was raised.
    """
    try:
        yield
    except (CoopsimError, OSError, MemoryError):
        raise
    except passed:
        raise
    except Exception as problem:  # reported once, here
        frame = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
        raise DamagedRecording(
            f"{path}: a part of it is damaged in a way that coopsim does not recognise "
            f"({type(problem).__name__} at {place}); please report it, with the file"
        ) from problem
