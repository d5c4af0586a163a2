"""Runs that go on from an instant of a recording, beside what is shown."""

from collections.abc import Callable
from pathlib import Path


def continue_beside(file: str, seconds: float, begin: Callable[[Path, float], None] | None) -> str:
    """Begin a run at an instant of a recording; return what came of it, for people.

    Args:
        file: The recording, "" = there is none.
        seconds: The instant [s].
        begin: Starts the run, None = nobody can.
    """
    if begin is None:
        return "this window cannot start other runs: coopsim run --from FILE@SECONDS does"
    if not file:
        return "a run goes on from recordings alone: record this one first"
    if not Path(file).is_file():
        return f"{file} is on another machine or in another folder: coopsim run --from {file}@{seconds:.3f} there"
    begin(Path(file), seconds)
    return f"a run that goes on from {seconds:.3f} s begins in another window"
