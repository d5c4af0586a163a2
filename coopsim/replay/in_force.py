"""Physics engines of a recording over time."""

from coopsim.errors import DamagedRecording
from coopsim.recording import Recording
from coopsim.state.edits import SetEngine
from coopsim.state.plain import unpack


def engines(recording: Recording) -> list[tuple[float, str]]:
    """Return the engines of a recording, each with the position from which it was in force [s].

    Args:
        recording: Complete or cut off.
    """
    periods = _at_first(recording)
    for group in recording.edits():
        for applied in group.edits:
            edit = applied.edit
            if isinstance(edit, SetEngine) and (not periods or periods[-1][1] != edit.engine):
                periods.append((group.position_ns / 1e9, edit.engine))
    return periods


def _at_first(recording: Recording) -> list[tuple[float, str]]:
    """Return what the first key frame says, nothing if it cannot be read."""
    try:
        frame = recording.keyframe(0) if len(recording) else None
        return [] if frame is None else [(frame.position_ns / 1e9, str(unpack(frame.state)["engine"]))]
    except (DamagedRecording, ValueError, KeyError, TypeError):
        return []
