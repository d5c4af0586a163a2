"""What is done with recordings besides reading them: they are shown through the modules that made them.

Source: CoopDynSim, section III-A (play back).
"""

from coopsim.replay.playback import PlaybackOptions, run_playback
from coopsim.replay.player import Loop, Player
from coopsim.replay.reel import Library, Reel

__all__ = ["Library", "Loop", "PlaybackOptions", "Player", "Reel", "run_playback"]
