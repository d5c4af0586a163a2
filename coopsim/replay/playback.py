"""The playback process: a source of records like the physics process, but out of a file.

Source: CoopDynSim, section III-A (play back; a global module receives the desired time over the network).
"""

import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from coopsim.errors import CoopsimError, NotInThisMode
from coopsim.geometry import heading
from coopsim.replay.net import reading
from coopsim.replay.places import FOLDER
from coopsim.replay.playable import PlayableRecording, RecordingLibrary
from coopsim.replay.playback_session import PlaybackSession
from coopsim.replay.player import Player
from coopsim.replay.projector import Projector
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
    PlaybackPause,
    PlaybackPlay,
    PlaybackSeek,
    PlaybackSpeed,
    PlaybackStatus,
    PlaybackStep,
    PlaybackUnloop,
    SceneEdit,
    SetMode,
    SetSpeed,
    Step,
    UnknownEdit,
)
from coopsim.transport import Channel, Notifier, Ring
from coopsim.transport.control import (
    Answer,
    Configure,
    EditRequest,
    HostToSource,
    LauncherToSource,
    PlanarPose,
    ProcessFailed,
    Ready,
    RecordFrom,
    RecordNoMore,
    SourceSummary,
    SourceToHost,
    SourceToLauncher,
    Start,
    Stop,
)

_INSTEAD: dict[type[Edit], type[PlaybackCommand]] = {
    Pause: PlaybackPause,
    Continue: PlaybackPlay,
    Step: PlaybackStep,
    SetSpeed: PlaybackSpeed,
    ClockReset: PlaybackSeek,
}
_SOON_MS, _LONGEST_MS = 2, 60_000
_FAR = 1e12
"""No recording reaches so far [s]."""


@dataclass(frozen=True, slots=True)
class PlaybackOptions:
    """What is shown, and how it begins.

    Attributes:
        file: The recording.
        speed: Recorded seconds per real second.
        loop: What is repeated, begin and end [s], None = as far as the recording goes; None = nothing is.
        paused: Whether it stands still until somebody says `play`.
    """

    file: str
    speed: float = 1.0
    loop: tuple[float | None, float | None] | None = None
    paused: bool = False


def run_playback(
    options: PlaybackOptions,
    ring: Ring,
    host: Channel[SourceToHost, HostToSource],
    woken: Notifier,
    launcher: Channel[SourceToLauncher, LauncherToSource],
) -> int:
    """Show a recording until the launcher says stop; return the exit code.

    Args:
        options: What to show.
        ring: Where records go.
        host: Control channel: edits in, answers and layouts out.
        woken: Rung after each record.
        launcher: Start and stop in; ready, summary and problems out.
    """
    try:
        playback = Playback(options, ring, host, woken, launcher)
        launcher.send(Ready())
        playback.run()
    except CoopsimError as problem:
        launcher.send(ProcessFailed(problem.code, str(problem)))
        return 1
    return 0


class Playback:
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
        host: Channel[SourceToHost, HostToSource],
        woken: Notifier,
        launcher: Channel[SourceToLauncher, LauncherToSource],
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._host, self._launcher, self._clock = host, launcher, clock
        self._stopped = self._started = False
        file = Path(options.file).resolve()
        self._library = RecordingLibrary(file.parent, Path(FOLDER))
        with reading(file):
            reel = PlayableRecording(file)
        player = _player(reel, options, clock())
        self._screening = PlaybackSession(reel, player, Projector(ring, host, woken, clock))
        self._doorbell = select.poll()
        for channel in (host, launcher):
            self._doorbell.register(channel, select.POLLIN)

    def run(self) -> None:
        """Run until the launcher says stop or is gone."""
        while not self._started and not self._stopped:
            self._doorbell.poll()
            self.serve()
        began = self._clock()
        while not self._stopped:
            self._doorbell.poll(self._patience_ms())
            self.serve()
        self._screening.end()
        self._launcher.send(self._summary((self._clock() - began) * 1e-9))
        self._host.close()
        while self._launcher.pending and not self._launcher.closed:
            self._launcher.flush()
        self._screening.reel.close()

    def serve(self) -> None:
        """Obey the launcher, carry out and answer what the host asks for, show what is due."""
        for message in self._launcher.receive():
            self._obey(message)
        for request in self._host.receive():
            self._edit(request)
        for channel in (self._launcher, self._host):
            channel.flush()
            self._stopped |= channel.closed
        if self._started:
            self._screening.turn(self._clock())

    @property
    def due_ns(self) -> int | None:
        """When the next record is due [real ns]; None while it stands still."""
        return self._screening.due_ns

    def _patience_ms(self) -> int | None:
        """Return for how long nothing is due, rounded up: to be early would be to ask again."""
        due = self.due_ns
        wait = None if due is None else min(max(0, -((self._clock() - due) // 1_000_000)), _LONGEST_MS)
        if self._host.pending or self._launcher.pending:
            return _SOON_MS if wait is None else min(wait, _SOON_MS)
        return wait

    def _obey(self, message: LauncherToSource) -> None:
        match message:
            case Start():
                self._started = True
                self._screening.start(self._clock())
            case Stop():
                self._stopped = True
            case Configure() | RecordFrom() | RecordNoMore():
                pass  # what is a recording already is not recorded
            case _:
                assert_never(message)

    # edits

    def _edit(self, request: EditRequest) -> None:
        result, refusal = EditResult(), None
        try:
            result = self._carry_out(request.edit)
        except CoopsimError as problem:
            refusal = problem
        self._host.send(Answer.of(request.id, self._screening.now[1].tick, result, refusal))

    def _carry_out(self, edit: AnyEdit) -> EditResult:
        match edit:
            case PlaybackCommand():
                return self._play_back(edit)
            case GetParameter():
                return EditResult((self._screening.parameter(edit.robot, edit.module, edit.name),))
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
        reel, player = screening.reel, screening.player
        loop, recording = player.loop, reel.recording
        flags = (int(player.is_playing), int(loop is not None), int(recording.complete))
        ends = (player.begin_ns, player.end_ns, *((loop.begin_ns, loop.end_ns) if loop else (0, 0)))
        begin, end, loop_begin, loop_end = (each / 1e9 for each in ends)
        times = (screening.time, begin, end, player.speed, loop_begin, loop_end)
        counts = (float(screening.number), float(len(reel)), float(recording.gaps))
        return EditResult((str(reel.path), *flags, screening.problem), (*times, *counts))

    def _summary(self, wall_time: float) -> SourceSummary:
        layout, record = self._screening.now
        header, poses = record.header, record.poses.tolist()
        robots = {
            place.name: PlanarPose(x, y, heading(*turn))
            for place in layout.robots
            for x, y, _, *turn in (poses[place.body],)
        }
        return SourceSummary(
            ticks=header.tick,
            sim_time=record.time,
            wall_time=wall_time,
            overruns=header.overruns,
            max_lateness=header.max_lateness_ns / 1e9,
            slipped=header.slipped_ns / 1e9,
            state_hash=header.state_hash.hex(),
            robots=robots,
        )


def _player(reel: PlayableRecording, options: PlaybackOptions, now_ns: int) -> Player:
    """Return what moves along a recording; a loop begins with its first record, backward with its last."""
    player = Player(reel.begin_ns, reel.end_ns, now_ns, speed=options.speed, is_playing=not options.paused)
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
