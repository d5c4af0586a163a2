"""Recordings of a run as its launcher sees them: begun, watched and ended while the run goes on.

`phases` is the table of states, without processes; `recorders` follows it, by what clients, the source and the recorder
say; `process` is the recorder that was started; `foxglove_watch` looks after the file beside a recording.
"""

from coopsim.launch.recording.info import RecordingInfo
from coopsim.launch.recording.recorders import Recorders

__all__ = ["Recorders", "RecordingInfo"]
