"""Source of the records of episodes, as hosts see it: the training writes, a thread answers."""

import threading
from dataclasses import replace
from typing import Any, TypeAlias

import msgpack

from coopsim.errors import BadArgument, NotInThisMode
from coopsim.features.learning.human.pace import EpisodePace
from coopsim.features.learning.worlds import Worlds
from coopsim.interfaces.simulation import MOST_STEPS
from coopsim.state import MODES, Layout, Record, RecordHeader
from coopsim.state.edits import (
    AnyEdit,
    AppliedEdit,
    Continue,
    Edit,
    EditResult,
    GetParameter,
    Note,
    Pause,
    SetMode,
    SetSpeed,
    Step,
)
from coopsim.transport import Channel, Notifier, Ring, packed_layout
from coopsim.transport.control import (
    BeginControllers,
    ControllersAnswer,
    DismissControllers,
    HostToLauncher,
    LauncherToHost,
    ProcessFailed,
    Ready,
    RecordingAnswer,
    SourceFacts,
    StartController,
    StartRecording,
    StopController,
    StopRecording,
)
from coopsim.transport.source_process import HostChannel, LauncherChannel, SourceProcess
from coopsim.transport.waiter import ChannelWaiter

Reports: TypeAlias = Channel[LauncherToHost, HostToLauncher]
_REFUSAL = "this window shows the episodes of a learner, in which nothing but the pace can be changed"
_SLOWEST, _FASTEST = 1e-3, 1e3


class EpisodeSource(SourceProcess):
    """Records of a world of a batch, episode after episode, for a host of its own.

    Ticks and time go on from one episode to the next, and each begins with a note that says its seed. Whatever else
    changes, such as the places of targets, comes as a new layout.

    Args:
        worlds: The batch.
        world: Number of the world.
        ring: Where records go.
        host: Control channel to the host: edits in, answers out.
        woken: Rung after each record.
        reports: The host's channel to who started it.
        orders: Tells when to start and to stop.

    Attributes:
        pace: How fast steps may be made.
        ready: Set when the host listens, or has failed.
        ports: Where it does.
        problem: Why it does not; None = nothing is known against it.
    """

    def __init__(
        self,
        worlds: Worlds,
        world: int,
        ring: Ring,
        host: HostChannel,
        woken: Notifier,
        reports: Reports,
        orders: LauncherChannel,
    ) -> None:
        super().__init__(host, orders)
        self._worlds, self._world, self._ring, self._woken, self._reports = worlds, world, ring, woken, reports
        self.pace, self.ready = EpisodePace(), threading.Event()
        self.ports: dict[str, int] = {}
        self.problem: ProcessFailed | None = None
        self._waiter = ChannelWaiter(host, orders, reports)
        self._lock = threading.Lock()
        self._layout = Layout(-1, (), (), ())
        self._revision = self._episodes = self._before = self._tick_now = 0
        host.send(SourceFacts({"engine": worlds.spec(world).scenario.settings.physics}))
        self.publish()

    # the training

    def publish(self, *, is_last: bool = False) -> None:
        """Write a record of the world as it is now; at tick 0 it begins an episode."""
        with self._lock:
            worlds, ticks = self._worlds, int(self._worlds.ticks[self._world])
            edits = b""
            if ticks == 0 and not is_last:
                self._before, self._episodes = self._tick_now, self._episodes + 1
                seed = int(worlds.seeds[self._world])
                note = AppliedEdit(Note(f"episode {self._episodes}, seed {seed}"))
                edits = msgpack.packb([note.to_plain()])
            self._tick_now = self._before + ticks
            self._announce(is_new=bool(edits))
            arrays = worlds.record_arrays(self._world)
            self._ring.append(self._header(arrays, edits, is_last=is_last), arrays, edits)
            self._revision += 1
        self._woken.notify()

    def _announce(self, *, is_new: bool) -> None:
        """Begin a generation where an episode begins, or something stands elsewhere."""
        layout = replace(self._worlds.layout_now(self._world), generation=self._layout.generation)
        if is_new or layout != self._layout:
            # with another generation nobody draws bodies on their way from one episode to the next
            self._layout = replace(layout, generation=layout.generation + 1)
            self._ring.announce(self._layout.generation, packed_layout(self._layout))

    def _header(self, arrays: tuple[Any, ...], edits: bytes, *, is_last: bool) -> RecordHeader:
        poses, _, readings, commands = arrays
        step_ns, pace = round(self._worlds.dt * 1e9), self.pace
        return RecordHeader(
            tick=self._tick_now,
            revision=self._revision,
            time_ns=self._tick_now * step_ns,
            step_ns=step_ns,
            generation=self._layout.generation,
            mode=MODES.index(self._mode),
            paused=pace.is_paused,
            ended=is_last,
            bodies=len(poses),
            readings=readings.size,
            commands=commands.size,
            edits_bytes=len(edits),
            wall_ns=self._clock(),
            speed=pace.speed,
            state_hash=self._worlds.state_hash(self._world),
        )

    @property
    def _mode(self) -> str:
        return "free" if self.pace.is_free else "real-time"

    # the thread

    @property
    def now(self) -> tuple[Layout, Record]:
        """The newest record and its layout."""
        with self._lock:
            return self._layout, Record(self._ring.latest())

    def serve(self) -> None:
        """Answer what the host asks for as a source, and as a run that it would be a part of."""
        super().serve()
        for message in self._reports.receive():
            self._hear(message)
        self._reports.flush()
        if self._reports.closed:
            self._stopped = True
            self.ready.set()

    def _hear(self, message: HostToLauncher) -> None:
        match message:
            case Ready():
                self.ports = message.ports
                self.ready.set()
            case ProcessFailed():
                self.problem = message
                self.ready.set()
            case StartRecording() | StopRecording():
                self._reports.send(RecordingAnswer(message.id, error=NotInThisMode.code, text=_REFUSAL))
            case DismissControllers() | BeginControllers() | StartController() | StopController():
                self._reports.send(ControllersAnswer(NotInThisMode.code, _REFUSAL, message.id))
            case _:
                pass  # reports of the end, and wishes for processes that draw what cameras see

    def _wait(self) -> None:
        self._waiter.wait(None)

    def _work(self) -> None:
        while not self._stopped:
            self._wait()
            self.serve()

    def _halt(self) -> None:
        """Do nothing: the training says when it ends."""

    def _record(self, *, is_wanted: bool) -> None:
        """Do nothing: `Worlds.save` records episodes."""

    def _carry_out(self, edit: AnyEdit) -> EditResult:
        if isinstance(edit, Note):
            return EditResult()
        if isinstance(edit, GetParameter):
            return EditResult((self._worlds.parameter_in(self._world, edit.robot, edit.module, edit.name),))
        self._change_pace(edit)
        # everybody sees how time goes from now on
        self._republish()
        return EditResult()

    def _change_pace(self, edit: Edit) -> None:
        """Carry out an edit of the pace.

        Raises:
            NotInThisMode: It is none.
            BadArgument: It asks for what cannot be.
        """
        match edit:
            case Pause():
                self.pace.pause()
            case Continue():
                self.pace.go_on()
            case Step() if self.pace.is_paused and 1 <= edit.count <= MOST_STEPS:
                self.pace.permit(edit.count)
            case Step():
                raise BadArgument(f"expected 1 to {MOST_STEPS} steps of a training that is paused, got {edit.count}")
            case SetSpeed() if _SLOWEST <= edit.speed <= _FASTEST:
                self.pace.set_speed(edit.speed)
            case SetSpeed():
                raise BadArgument(f"speed must lie within {_SLOWEST:g} and {_FASTEST:g}, got {edit.speed:g}")
            case SetMode() if edit.mode != "lockstep":
                self.pace.choose(is_free=edit.mode == "free")
            case _:
                raise NotInThisMode(f"{_REFUSAL}; `{edit.kind}` would change more").bring(self._mode)

    def _republish(self) -> None:
        """Write the newest record once more, with the present pace: the world may be in the middle of a step."""
        with self._lock:
            record = Record(self._ring.latest())
            header = record.header._replace(
                revision=self._revision,
                mode=MODES.index(self._mode),
                paused=self.pace.is_paused,
                speed=self.pace.speed,
                wall_ns=self._clock(),
                edits_bytes=0,
                layout_bytes=0,
            )
            self._ring.append(header, (record.poses, record.twists, record.readings, record.commands))
            self._revision += 1
        self._woken.notify()
