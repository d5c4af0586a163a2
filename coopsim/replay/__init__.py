"""What is done with recordings besides reading them: they are shown through the modules that made them.

Source: CoopDynSim, section III-A (play back).
"""

from coopsim.replay.playable import PlayableRecording, RecordingLibrary
from coopsim.replay.playback import PlaybackOptions, run_playback
from coopsim.replay.player import Loop, Player

__all__ = ["Loop", "PlayableRecording", "PlaybackOptions", "Player", "RecordingLibrary", "run_playback"]
