"""The recording: a file of every record of a run, its layouts, edits and key frames, and the texts it was made from.

It is an MCAP file with zstd chunks (docs/recording.md). It is written by one process, handed to the system once a
second, and readable up to where it ends however it ended; `Scrubber` finds the state at any time or tick.

Source: CoopDynSim, section III-A (recording and play back).
"""

from coopsim.recording.block import RecordBlock
from coopsim.recording.channels import CHANNELS, HEADS
from coopsim.recording.images import CameraStream, RecordedImage
from coopsim.recording.layouts import layout_from_json
from coopsim.recording.recording import KeyFrame, Recording
from coopsim.recording.recovery import Recovery, examine, recover
from coopsim.recording.scrubber import Scrubber
from coopsim.recording.writer import Writer, versions
from coopsim.state.layout_json import layout_to_json

__all__ = [
    "CHANNELS",
    "HEADS",
    "CameraStream",
    "KeyFrame",
    "RecordBlock",
    "RecordedImage",
    "Recording",
    "Recovery",
    "Scrubber",
    "Writer",
    "examine",
    "layout_from_json",
    "layout_to_json",
    "recover",
    "versions",
]
