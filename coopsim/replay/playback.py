"""The playback process: a source of records like the physics process, but out of a file.

Source: CoopDynSim, section III-A (play back; a global module receives the desired time over the network).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from coopsim.errors import CoopsimError, NotInThisMode
from coopsim.replay.marks import marks_from
from coopsim.replay.net import reading
from coopsim.replay.places import FOLDER
from coopsim.replay.playable import PlayableRecording, RecordingLibrary
from coopsim.replay.playback_publisher import PlaybackPublisher
from coopsim.replay.playback_session import PlaybackSession
from coopsim.replay.player import Player
from coopsim.state import Layout, Record
from coopsim.state.edits import (
    AnyEdit,
    ClockReset,
    Continue,
    Describe,
    Edit,
    EditResult,
    GetParameter,
    Note,
    Pause,
    PlaybackCommand,
    PlaybackEdit,
    PlaybackLoad,
    PlaybackLoop,
    PlaybackMarks,
    PlaybackPause,
    PlaybackPlay,
    PlaybackSeek,
    PlaybackSpeed,
    PlaybackStatus,
    PlaybackStep,
    PlaybackUnloop,
    ReadModule,
    SceneEdit,
    SetMode,
    SetSpeed,
    Step,
    UnknownEdit,
)
from coopsim.transport import Notifier, Ring
from coopsim.transport.source_process import HostChannel, LauncherChannel, SourceProcess, run_source
from coopsim.transport.waiter import ChannelWaiter

_INSTEAD: dict[type[Edit], type[PlaybackCommand]] = {
    Pause: PlaybackPause,
    Continue: PlaybackPlay,
    Step: PlaybackStep,
    SetSpeed: PlaybackSpeed,
    ClockReset: PlaybackSeek,
}
_MS, _LONGEST_MS = 1_000_000, 60_000  # ns; a paused playback wakes once a minute
# times come from clients: an infinite one could not be rounded to nanoseconds
_FAR = 1e12
"""No recording reaches so far [s]."""


@dataclass(frozen=True, slots=True)
class PlaybackOptions:
    """Options of a playback: what is shown, and how it begins.

    Attributes:
        file: The recording.
        speed: Recorded seconds per real second.
        loop: What is repeated, begin and end [s], None = as far as the recording goes; None = nothing is.
        paused: Whether it stands still until a `play`.
    """

    file: str
    speed: float = 1.0
    loop: tuple[float | None, float | None] | None = None
    paused: bool = False


def run_playback(
    options: PlaybackOptions,
    ring: Ring,
    host: HostChannel,
    woken: Notifier,
    launcher: LauncherChannel,
) -> int:
    """Show a recording until the launcher says stop; return the exit code.

    Args:
        options: What to show.
        ring: Where records go.
        host: Control channel: edits in, answers and facts out.
        woken: Rung after each record.
        launcher: Start and stop in; ready, summary and problems out.
    """
    return run_source(lambda: Playback(options, ring, host, woken, launcher), launcher)


class Playback(SourceProcess):
    """The loop around a screening: messages and pace.

    Args:
        options: What to show.
        ring: Where records go.
        host: Control channel to the host.
        woken: Rung after each record.
        launcher: Channel to the launcher.
        clock: Monotonic real time [ns]; tests pass their own.

    Raises:
        NotARecording: The file is none.
        DamagedRecording: Its first record cannot be read.
        BadArgument: Speed or loop do not fit.
    """

    def __init__(
        self,
        options: PlaybackOptions,
        ring: Ring,
        host: HostChannel,
        woken: Notifier,
        launcher: LauncherChannel,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        super().__init__(host, launcher, clock)
        file = Path(options.file).resolve()
        self._library = RecordingLibrary(file.parent, Path(FOLDER))
        with reading(file):
            playable = PlayableRecording(file)
        player = _player(playable, options, clock())
        self._screening = PlaybackSession(playable, player, PlaybackPublisher(ring, host, woken, clock))
        self._waiter = ChannelWaiter(host, launcher)

    def serve(self) -> None:
        """Obey the launcher, carry out and answer what the host asks for, show what is due."""
        super().serve()
        if self._started:
            self._screening.turn(self._clock())

    @property
    def due_ns(self) -> int | None:
        """When the next record is due [real ns]; None while it stands still."""
        return self._screening.due_ns

    @property
    def now(self) -> tuple[Layout, Record]:
        """The record that is shown, and its layout."""
        return self._screening.now

    def _begin(self) -> None:
        super()._begin()
        self._screening.start(self._clock())

    def _record(self, *, is_wanted: bool) -> None:
        """Do nothing: what is a recording already is not recorded."""

    def _halt(self) -> None:
        """Do nothing: a replay has no end."""

    def _work(self) -> None:
        while not self._stopped:
            self._wait()
            self.serve()
        self._screening.end()
        self._screening.playable.close()

    def _wait(self) -> None:
        """Wait for a message as long as nothing is due, rounded up: to be early would be to ask again."""
        due = self.due_ns if self._started else None
        left = None if due is None else min(max(0, -((self._clock() - due) // _MS)), _LONGEST_MS)
        self._waiter.wait(None if left is None else left * _MS)

    # edits

    def _carry_out(self, edit: AnyEdit) -> EditResult:
        match edit:
            case PlaybackCommand():
                return self._play_back(edit)
            case GetParameter():
                return EditResult((self._screening.parameter(edit.robot, edit.module, edit.name),))
            case ReadModule():
                return self._screening.read_offered(edit.module, edit.command, edit.name)
            case Note():
                return EditResult()
            case Describe():  # what a `save` of /sim/world asks for
                raise _not_here("a run that goes on from it, `coopsim run --from FILE@SECONDS`, can be saved")
            case SceneEdit() | Pause() | Continue() | Step() | SetMode() | SetSpeed() | UnknownEdit():
                instead = _INSTEAD.get(type(edit))
                if instead is not None:
                    raise _not_here(f"call `/sim/playback {instead.command()}` instead")
                raise _not_here(f"{edit.kind!r} would change what happened in it")
            case _:
                assert_never(edit)

    def _load(self, file: str, now: int) -> None:
        try:
            self._screening.load(self._library.find(file), now)
        except CoopsimError as problem:
            problem.bring(*(problem.params or (file,)))
            raise

    def _play_back(self, edit: PlaybackEdit) -> EditResult:
        screening, now = self._screening, self._clock()
        match edit:
            case PlaybackStatus():
                return self._status()
            case PlaybackMarks():
                with reading(screening.playable.path):
                    return EditResult(marks_from(screening.playable.recording, edit.first))
            case PlaybackLoad():
                self._load(edit.file, now)
                return EditResult((), (screening.player.begin_ns / 1e9, screening.player.end_ns / 1e9))
            case PlaybackLoop():
                loop = screening.repeat(*_ends(screening.player, edit.begin or None, edit.end or None), now)
                return EditResult((), (loop.begin_ns / 1e9, loop.end_ns / 1e9))
            case PlaybackSeek():
                screening.seek(_ns(edit.time), now)
            case PlaybackStep():
                screening.step(edit.count, now)
            case PlaybackSpeed():
                screening.set_speed(edit.speed, now)
            case PlaybackPlay():
                screening.play(now)
            case PlaybackPause():
                screening.pause(now)
            case PlaybackUnloop():
                screening.repeat_nothing(now)
            case _:
                assert_never(edit)
        return EditResult((), (screening.time,))

    def _status(self) -> EditResult:
        screening = self._screening
        playable, player = screening.playable, screening.player
        loop, recording = player.loop, playable.recording
        flags = (int(player.is_playing), int(loop is not None), int(recording.complete))
        ends = (player.begin_ns, player.end_ns, *((loop.begin_ns, loop.end_ns) if loop else (0, 0)))
        begin, end, loop_begin, loop_end = (time_ns / 1e9 for time_ns in ends)
        times = (screening.time, begin, end, player.speed, loop_begin, loop_end)
        counts = float(screening.number), float(len(playable)), float(recording.gaps)
        simulated = screening.now[1].header.time_ns / 1e9
        return EditResult((str(playable.path), *flags, screening.problem), (*times, *counts, simulated))


def _player(playable: PlayableRecording, options: PlaybackOptions, now_ns: int) -> Player:
    """Return what moves along a recording; a loop begins with its first record, backward with its last."""
    player = Player(playable.begin_ns, playable.end_ns, now_ns, speed=options.speed, is_playing=not options.paused)
    if options.loop is not None:
        loop = player.repeat(*_ends(player, *options.loop), now_ns)
        player.seek(loop.begin_ns if options.speed >= 0.0 else loop.end_ns, now_ns)
    return player


def _ends(player: Player, begin: float | None, end: float | None) -> tuple[int, int]:
    """Return begin and end in ns; None = as far as the recording goes."""
    return player.begin_ns if begin is None else _ns(begin), player.end_ns if end is None else _ns(end)


def _ns(seconds: float) -> int:
    return round(max(-_FAR, min(seconds, _FAR)) * 1e9)


def _not_here(text: str) -> NotInThisMode:
    return NotInThisMode(f"this is a recording; {text}").bring("recording")
