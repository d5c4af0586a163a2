"""The other end of the ring, the channel and the wake-ups, without any physics."""

import select
import threading
import time
from typing import Any

import numpy as np

from coopsim.errors import NoSuchName
from coopsim.interfaces import MOTORS, ODOMETRY, SONARS, TARGET, width
from coopsim.message import Message
from coopsim.state import MODES, EntityRow, Layout, ModuleLayout, RecordHeader, RobotPlace, TypeLayout, Visual
from coopsim.state.edits import (
    ClockReset,
    Continue,
    EditResult,
    GetParameter,
    Insert,
    Pause,
    Remove,
    SetMode,
    SetParameter,
    Step,
)
from coopsim.transport import Channel, Notifier, Ring, SourceLink, packed_layout
from coopsim.transport.control import Answer, EditRequest

COLORS = ("red", "blue")


def make_type(name: str, *interfaces: tuple[str, Any, dict[str, int]]) -> TypeLayout:
    """Lay out a robot type from (module name, interface, counts)."""
    modules, command_at, reading_at = [], 0, 0
    for number, (module, interface, counts) in enumerate(interfaces):
        wide = width(interface.readings, counts)
        slot = command_at if interface.setting else -1
        labels = COLORS if interface is TARGET else ()
        modules.append(ModuleLayout(module, interface, counts, labels, slot, reading_at, wide, paces=number == 0))
        command_at += 2 + interface.setting_width if interface.setting else 0
        reading_at += wide
    return TypeLayout(name, tuple(modules), command_at, reading_at)


SINGLE = make_type(
    "single",
    ("motors", MOTORS, {}),
    ("sonars", SONARS, {"count": 3}),
    ("target", TARGET, {"targets": 3 * len(COLORS)}),
)
PLAIN = make_type("plain", ("wheels", MOTORS, {}), ("odometry", ODOMETRY, {}))


def make_layout(generation: int, robots: dict[str, TypeLayout]) -> Layout:
    """Lay out robots: block after block per type, in a block row after row."""
    places, commands, readings, body = [], 0, 0, 0
    types = {kind.name: kind for kind in robots.values()}
    for _, kind in sorted(types.items()):
        for name in [name for name, its in robots.items() if its is kind]:
            places.append(RobotPlace(name, kind, commands, readings, body))
            commands, readings, body = commands + kind.command_width, readings + kind.reading_width, body + 1
    rows = [EntityRow("floor", "floor", "box", -1, (0, 0, 0, 1, 0, 0, 0), (10, 10, 0.1), 0.0, (1, 1, 1), 0.6)]
    rows += [EntityRow("red", "target", "red", -1, (4, 3, 0, 1, 0, 0, 0), (0, 0, 0), 0.0, (1, 0, 0), 0.0)]
    for place in places:
        pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        about = (place.name, "robot", place.type.name, place.body, pose, (1, 1, 1), 20.0, (0, 0, 1), 0.6)
        rows.append(EntityRow(*about, visuals=(Visual("box"),)))
    ordered = tuple(kind for _, kind in sorted(types.items()))
    return Layout(generation, ordered, tuple(places), tuple(rows), tuple(p.name for p in places), commands, readings)


class FakeSource:
    """Publishes records of hand-made robots, takes permissions and edits; inline or in a thread of its own.

    Readings tell what happened: `v` and `w` of motors are the values of the last command, `left` is the tick,
    `right` the command's number; sonars are the tick; in the first robot slot of a target sits the first robot.
    """

    def __init__(self, robots: dict[str, TypeLayout] | None = None, mode: str = "lockstep") -> None:
        self.ring = Ring.create(ring_bytes=1 << 20, command_floats=20_000)
        self.channel, host_end = Channel.pair()
        self.launcher, self.host_launcher = Channel.pair()
        woken, self.wake = Notifier.pair()
        self.permit, permitting = Notifier.pair()
        self.link = SourceLink(self.ring, host_end, woken, permitting)
        self.header = RecordHeader(mode=MODES.index(mode), generation=0)
        self.robots = dict(robots or {"robot1": SINGLE, "robot2": SINGLE})
        self.parameters: dict[tuple[str, str, str], Any] = {}
        self.edits: list[dict[str, Any]] = []
        self.permits = self.taken = 0
        self.ring.sleep(is_asleep=True)  # so that it is woken for each permission
        self.steps_left = 0
        self.silent_edits = False
        self.latched = np.zeros(0)
        self._thread: threading.Thread | None = None
        self._stopping = False
        self.lay_out()
        self.publish()

    # what a source does

    def lay_out(self) -> None:
        """Begin a new generation: the next record brings its layout."""
        self.layout = make_layout(self.header.generation + 1, self.robots)
        self.header = self.header._replace(generation=self.layout.generation)
        self.latched = np.zeros(self.layout.command_size)
        self.ring.announce(self.layout.generation, packed_layout(self.layout))

    def publish(self, **changes: Any) -> None:
        """Publish a record with these changes of the header."""
        layout = self.layout
        sizes = {"bodies": len(layout.robots), "readings": layout.reading_size, "commands": layout.command_size}
        revision = self.header.revision + 1
        self.header = self.header._replace(**changes, **sizes, revision=revision, wall_ns=time.monotonic_ns())
        poses = np.zeros((len(layout.robots), 7))
        poses[:, 0], poses[:, 3] = np.arange(len(layout.robots)), 1.0
        readings = self._readings()
        if changes.keys() == {"tick", "time_ns"} and self.header.mode == MODES.index("lockstep"):
            self.ring.begin(self.header, readings)
        self.ring.append(self.header, (poses, np.zeros((len(layout.robots), 6)), readings, self.latched))
        self.wake.notify()

    def tick(self) -> None:
        """Latch the commands, do a tick, publish it."""
        self.ring.latch(self.layout.generation, self.latched)
        header = self.header
        self.publish(tick=header.tick + 1, time_ns=header.time_ns + header.step_ns)

    def commands(self, robot: str) -> list[float]:
        """Return a robot's command row as the host wrote it."""
        rows = np.zeros(self.layout.command_size)
        self.ring.latch(self.layout.generation, rows)
        place = self.layout.robot[robot]
        return rows[place.command_offset : place.command_offset + place.type.command_width].tolist()

    def serve(self) -> None:
        """Do what was asked: edits first, then a tick if it is permitted."""
        for edit in self.channel.receive():
            self._edit(edit)
        self.channel.flush()
        self.permit.drain()
        if self.ring.permits != self.taken:
            self.taken = self.ring.permits
            self.permits += 1
            self.tick()

    def _edit(self, request: EditRequest) -> None:
        edit = request.edit
        self.edits.append({"id": request.id, **edit.to_plain()})
        result, problem = EditResult(), None
        match edit:
            case SetMode(mode):
                self.publish(mode=MODES.index(mode))
            case Pause() | Continue():
                self.publish(paused=isinstance(edit, Pause))
            case ClockReset():
                self.publish(time_ns=0)
            case Step(count):
                for _ in range(count):
                    self.tick()
            case Insert():
                self.robots["robot9"] = SINGLE
                self.lay_out()
                self.publish()
                result = EditResult(("robot9",))
            case Remove(name) if name in self.robots:
                del self.robots[name]
                self.lay_out()
                self.publish()
            case Remove(name):
                problem = NoSuchName(f"there is no {name}").bring(name)
            case SetParameter(robot, module, name, value):
                self.parameters[robot, module, name] = value
                result = EditResult((value,))
            case GetParameter(robot, module, name):
                result = EditResult((self.parameters.get((robot, module, name), 0.25),))
        if not self.silent_edits:
            self.channel.send(Answer.of(request.id, self.header.tick, result, problem))

    def _readings(self) -> np.ndarray:
        out = np.zeros(self.layout.reading_size)
        for place in self.layout.robots:
            row = out[place.reading_offset : place.reading_offset + place.type.reading_width]
            slot = self.latched[place.command_offset : place.command_offset + 4]
            row[:4] = slot[2], slot[3], self.header.tick, slot[1]
            if place.type is SINGLE:
                row[4:7] = self.header.tick
                row[-8:] = [0.0, *[-1.0] * 7]
        return out

    # a thread of its own, and the end

    def start(self) -> None:
        """Serve in a thread until `close`."""
        self._stopping = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        poller = select.poll()
        for descriptor in (self.channel.fileno(), self.permit.reader):
            poller.register(descriptor, select.POLLIN)
        while not self._stopping and not self.channel.closed:
            poller.poll(50)
            self.serve()

    def stop(self) -> None:
        """End the thread."""
        self._stopping = True
        if self._thread is not None:
            self._thread.join(5.0)

    def close(self) -> None:
        """Let go of everything."""
        self.stop()
        for end in (self.channel, self.launcher, self.host_launcher, self.link.channel, self.wake, self.permit):
            end.close()
        self.link.woken.close()
        self.ring.unlink()


class Mailbox:
    """An outlet that keeps what is sent to each session."""

    def __init__(self) -> None:
        self.replies: dict[str, list[bytes]] = {}

    def post(self, session: Any, raw: bytes) -> None:
        self.replies.setdefault(session.label, []).append(raw)


def ask(target: str, command: int, *params: Any, data: Any = (), tick: int = 0, number: int = 1) -> Message:
    """Return a request."""
    return Message(target, command, params, data, tick=tick, id=number)
