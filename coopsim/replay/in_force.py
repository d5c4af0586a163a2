"""Which physics engine was in force when, as far as a recording says it."""

from coopsim.errors import DamagedRecording
from coopsim.recording import Recording
from coopsim.state.edits import SetEngine
from coopsim.state.plain import unpack


def engines(recording: Recording) -> list[tuple[float, str]]:
    """Return the engines of a recording, each with the position from which it was in force [s].

    Args:
        recording: Complete or cut off.
    """
    found = _at_first(recording)
    for group in recording.edits():
        for applied in group.edits:
            edit = applied.edit
            if isinstance(edit, SetEngine) and (not found or found[-1][1] != edit.engine):
                found.append((group.position_ns / 1e9, edit.engine))
    return found


def _at_first(recording: Recording) -> list[tuple[float, str]]:
    """Return what the first key frame says, nothing if it cannot be read."""
    try:
        frame = recording.keyframe(0) if len(recording) else None
        return [] if frame is None else [(frame.position_ns / 1e9, str(unpack(frame.state)["engine"]))]
    except (DamagedRecording, ValueError, KeyError, TypeError):
        return []
