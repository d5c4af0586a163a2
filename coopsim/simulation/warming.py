"""Machine code ready before it is needed: the robots of a run are ticked in small scenes, on its engine.

How a kernel is compiled depends on its arrays: those of one robot lie together in memory, those of several are columns
of wider ones. So each type of robot is ticked alone and in a pair, and each engine with one contact and with several.
"""

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import BinaryIO, Protocol, TypeAlias, cast

from coopsim import plugins
from coopsim.devices import Device
from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import CoopsimError
from coopsim.interfaces import Parameter
from coopsim.kernels import CACHE
from coopsim.kernels.threads import THREADS
from coopsim.processors import usable_cores
from coopsim.robots import DeviceBlueprint, RobotBlueprint, RunSpec, engine_type, load_type
from coopsim.scene import Object, RobotPlacement, Scenario, Settings, TargetSpec, World
from coopsim.simulation.tables import RobotTables

_PLAIN = "kinematic"  # the engine under robots whose own has no kernels
_SEVERAL = 2  # rows of two are columns of a table already, as those of a thousand
_CROWD_OF, _CROWD = "single", 750  # 11 rays each
_CALM = 10  # ticks after which a tick is one compiled call
_STEP, _TICKS = 0.05, 3  # s
_PUSH = 1000.0  # N; makes bodies slide
_AT_REST = (1.0, 0.0, 0.0, 0.0)  # w x y z: not turned

Robots: TypeAlias = tuple[RobotBlueprint, int]
"""A type of robots and how many there are of it."""

_ALL = ("", None)
_ready: set[tuple[str, object]] = set()


class Ticking(Protocol):
    """A simulation, as far as it is ticked here."""

    tables: RobotTables

    def tick(self) -> None:
        """Do one tick."""
        ...


Make: TypeAlias = Callable[[RunSpec], Ticking]


def prepare(make: Make, engine: str, robots: Iterable[Robots], *, engine_first: bool = True) -> None:
    """Compile or load what robots need on an engine, once in a process; no tick waits for it then.

    Foreign devices and engines take part if they have kernels; an error of theirs is left to the run itself.

    Args:
        make: Makes a simulation.
        engine: Name of the engine.
        robots: The types of robots.
        engine_first: Whether to begin with an engine without robots.
    """
    if _ALL in _ready:
        return
    robots = list(robots)
    if THREADS.count > 1 and sum(count for _, count in robots) >= _CROWD:
        prepare_threads(make)
    if engine_first and _is_new(engine, None) and _has_kernels("engines", engine):
        warm_engine(engine)
    for blueprint, count in robots:
        # two are compiled as thousands are: arrays with strides
        few = min(count, _SEVERAL)
        if few and _is_new(engine, (few, blueprint.name, *map(_key, blueprint.devices))):
            devices = tuple(device for device in blueprint.devices if _has_kernels("devices", device.kind))
            with contextlib.suppress(CoopsimError):
                _tick(
                    make,
                    engine if _has_kernels("engines", engine) else _PLAIN,
                    replace(blueprint, devices=devices),
                    few,
                )


def leave_out() -> None:
    """Have this process compile or load what it needs when it needs it: its ticks wait for no clock."""
    _ready.add(_ALL)


def prepare_threads(make: Make) -> None:
    """Compile or load what several threads do together: rays and searches of a crowd that is large enough for them."""
    if not _is_new("threads", None):
        return
    before, several = THREADS.count, load_type(_CROWD_OF)
    eyes = tuple(device for device in several.devices if device.kind in ("sonars", "target"))
    THREADS.use(_SEVERAL)
    try:
        _run(make(RunSpec(_scenario("pymunk", several, _CROWD), {_CROWD_OF: replace(several, devices=eyes)})), _CALM)
    finally:
        THREADS.use(before)


class SecondCompiler:
    """Another process that compiles the same from the other end, where there is a core for it.

    Whoever comes first to a kernel compiles it, and the other one loads it. It ends with this process, however that
    ends.

    Args:
        steps: Names of engines, the types of robots that are ticked on them, and how many there are of each.
    """

    def __init__(self, steps: Iterable[tuple[str, RobotBlueprint, int]]) -> None:
        self._steps = list(steps)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin to compile, unless that was begun before, nothing would be kept, or no feature does it."""
        is_possible = CACHE.is_kept and usable_cores() > 1 and "kernels" in plugins.registered("processes")
        if self._process is not None or not is_possible:
            return
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        command = plugins.process_command("kernels")
        self._process = subprocess.Popen(command, stdin=pipe, stdout=nothing, stderr=nothing)
        with contextlib.suppress(BrokenPipeError):  # it has died: all is compiled here
            cast("BinaryIO", self._process.stdin).write(pickle.dumps(self._steps))
            cast("BinaryIO", self._process.stdin).flush()

    def __enter__(self) -> "SecondCompiler":
        return self

    def __exit__(self, *_: object) -> None:
        """End it: what it would still do is done, or is not needed."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


def _key(device: DeviceBlueprint) -> tuple[object, ...]:
    return device.kind, device.name, *sorted(device.settings.items())


def warm_engine(engine: str, joints: tuple[JointSpec, ...] = ()) -> None:
    """Step an engine with one body, then with several that press and slide."""
    ball, disc = _body("ball", "sphere", 0.0), _body("disc", "cylinder", 0.19)
    box, wall = _body("box", "box", -0.19), replace(_body("wall", "box", -0.39), mass=0.0)
    for bodies in ((ball,), (ball, disc, box, wall)):
        with contextlib.suppress(CoopsimError):
            built = engine_type(engine)(WorldSpec(bodies, joints=joints if len(bodies) > 1 else ()))
            for _ in range(2):
                built.wrench[:, 1] = _PUSH
                built.step(0.01)
                built.poses.copy()  # they are brought up to date when they are read
                built.contacts()


def _is_new(engine: str, what: object) -> bool:
    if (engine, what) in _ready:
        return False
    _ready.add((engine, what))
    return True


def _has_kernels(group: str, name: str) -> bool:
    """Return whether a plugin is ours, or has compiled functions in its file."""
    if not plugins.is_foreign(group, name):
        return True
    module = sys.modules.get(plugins.load(group, name).__module__)
    return module is not None and any(hasattr(value, "py_func") for value in vars(module).values())


def _tick(make: Make, engine: str, blueprint: RobotBlueprint, count: int) -> None:
    """Tick robots, then with each of their parameters changed by itself, then with all of them changed."""
    simulation = make(RunSpec(_scenario(engine, blueprint, count), {blueprint.name: blueprint}))
    _run(simulation)
    devices = [device for block in simulation.tables.blocks for device in block.devices.values()]
    knobs = [
        (device, knob) for device in devices for knob in device.interface.parameters if knob.name in device.parameters
    ]
    for device, knob in knobs:
        before = device.parameters[knob.name].copy()
        if _turn(device, knob):
            _run(simulation)
            device.parameters[knob.name][:] = before
            device.changed(0, knob.name)
    for device, knob in knobs:
        _turn(device, knob)
    _run(simulation)


def _run(simulation: Ticking, ticks: int = _TICKS) -> None:
    for _ in range(ticks):
        simulation.tick()


def _turn(device: Device, knob: Parameter) -> bool:
    """Give a parameter of all robots another value; return whether that was possible."""
    values = device.parameters[knob.name]
    if knob.kind is str:
        return False
    before = values.copy()
    values[:] = other_value(float(before[0]), knob)
    try:
        device.changed(0, knob.name)
    except CoopsimError:  # there is no memory for it
        values[:] = before
        return False
    return True


def other_value(value: float, knob: Parameter) -> float:
    """Return another value of a parameter: half of it, or twice as much, or a little where it is 0."""
    if knob.choices:
        return next((float(choice) for choice in knob.choices if choice != value), value)
    half, double = value / 2.0, 2.0 * value or 1.0
    if half != value and half >= knob.low and knob.kind is float:
        return half
    return min(double, knob.high)


def _scenario(engine: str, blueprint: RobotBlueprint, count: int) -> Scenario:
    """Return robots in a row, a wall, a box that touches one, a target, and, where it may lie aslant, a stone."""
    bumper = 0.5 * blueprint.size[0] + 0.09
    objects = [
        Object("wall", "box", (0.1, 9.0, 1.0), (-2.0, 0.0, 0.5)),
        Object("box", "box", (0.2, 0.2, 0.2), (bumper, 0.0, 0.1), mass=1.0),
    ]
    if "height" in engine_type(engine).abilities:
        objects.append(Object("stone", "box", (0.2, 0.2, 0.2), (0.0, 2.0, 0.4), (0.5, 0.0, 0.0), mass=1.0))
    return Scenario(
        World(objects=tuple(objects)),
        (TargetSpec("goal", (1.0, 1.0, 0.0)),),
        tuple(RobotPlacement(f"robot{k + 1}", blueprint.name, (2.0 * k, 0.0, 0.0)) for k in range(count)),
        settings=Settings(step=_STEP, engine=engine),
    )


def _body(name: str, kind: str, x: float) -> BodySpec:
    return BodySpec(name, (x, 0.0, 0.0, *_AT_REST), 1.0, (ShapeSpec(kind, (0.2, 0.2, 0.2)),))
