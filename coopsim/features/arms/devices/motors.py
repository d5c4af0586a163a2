"""Motors of arms and grippers, and where a tool is: every joint of all robots of a type in one call.

Source: CoopDynSim, section V (manipulators); inverse dynamics by the engine, as in a robot's own controller.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.devices.noise import normal
from coopsim.errors import BadFile
from coopsim.features.arms.devices.kernels import (
    add_efforts,
    bear,
    clip,
    copy_columns,
    feel,
    plan,
    push,
    reckon,
    show,
    squeeze,
)
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import GRIPPER, JOINTS, TOOL
from coopsim.interfaces.chain_text import Chain
from coopsim.kernels.sequence import KernelCall


class JointServos(ArrayDevice, ABC):
    """Servos of several joints of each robot, shape (n, k).

    Attributes:
        joints: Rows of the joints.
        wanted, needed, exerted: Accelerations; efforts that give them; efforts within what the motors can.
        commands: Of this tick, while servos of the same robots are waited for.
        most: Largest efforts, shape (n, k), infinite where they are not known beforehand.
        ends: Calls that exert what is needed, in a compiled tick.
        earlier: Servos that stand above in the file.
        memory: `motors`, the sum of the integral part of each joint and its last effort, shape (n, 2 k).
        partners: Other servos of the same robots, whatever their order in the file. Where each alone would swing up,
            all of them plan first, and the last in the file finds the efforts of all.
        is_off: Whether the device is switched off, see `Device`; its joints are loose then, for the partners too.
    """

    is_off = False

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        names = str(context.settings["joints"]).split()
        self.joints = np.column_stack([context.joints[name] for name in names]).astype(np.int64)
        self._shape = len(context.robots), len(names)
        self.memory = {"motors": np.zeros((len(context.robots), 2 * len(names)))}
        self.wanted, self.exerted, self.needed, self._at, self._speed = np.zeros((5, *self._shape))
        self.partners = [sibling for sibling in context.siblings.values() if isinstance(sibling, JointServos)]
        self.earlier = tuple(self.partners)
        for sibling in self.partners:
            sibling.partners.append(self)
        self.commands: Floats = np.zeros((0, 0))
        self.most = np.full(self._shape, np.inf)
        self.ends: tuple[KernelCall, ...] = ()

    @property
    def loose(self) -> Ints:
        """Rows of the joints that these motors cannot move, shape (n, p)."""
        return self.joints[:, :0]

    @property
    def efforts(self) -> Floats:
        """Efforts of the last tick, a view, shape (n, k) [N m, N]."""
        motor: Floats = self.memory["motors"][:, self._shape[1] :]
        return motor

    def calls_of(self, bodies: Bodies, dt: float, first: KernelCall, *last: KernelCall) -> DeviceCalls | None:
        """Return what `act` comes to, None where the engine does not say what it asks of it.

        Args:
            bodies: Whose joints are moved.
            dt: Length of a tick [s].
            first: Finds accelerations.
            last: Finds the efforts of the motors from those that give these accelerations.
        """
        asked = self._asked(bodies, **self._loose(bodies, dt))
        exert = KernelCall(add_efforts, (self.joints, self.exerted, bodies.joint_effort))
        if asked is None:
            return None
        if not self._is_joined(bodies):
            return DeviceCalls((asked[0], first, asked[1], *last, exert))
        self.ends = *last, exert
        return DeviceCalls((asked[0], first, *self._joined_calls(bodies, dt)))

    def _working(self) -> "list[JointServos]":
        """Return the servos of the robots that are not switched off, in the order of the file."""
        every = sorted((self, *self.partners), key=lambda servos: len(servos.earlier))
        return [servos for servos in every if not servos.is_off]

    def _is_joined(self, bodies: Bodies) -> bool:
        """Return whether the motors of all servos are reckoned in one."""
        ask: Callable[..., bool] | None = getattr(bodies, "are_unsteady", None)
        working = self._working()
        if ask is None or not len(self.joints) or not working:
            return False
        return ask([servos.joints[0] for servos in working]) or self._are_grounded(bodies)

    def _are_grounded(self, bodies: Bodies) -> bool:
        """Return whether the motors of all servos know what their robots touch."""
        ask: Callable[..., bool] | None = getattr(bodies, "are_grounded", None)
        arms = [servos.joints[0] for servos in self._working() if isinstance(servos, ArmJoints)]
        # fingers alone carry no robot
        return ask is not None and bool(arms) and ask(np.hstack(arms))

    def _limits(self, bodies: Bodies, dt: float) -> dict[str, tuple[Floats, float]]:
        """Return what is said of all motors to an engine that knows what their robots touch."""
        is_so = self._are_grounded(bodies)
        return {"limits": (np.hstack([servos.most for servos in self._working()]), dt)} if is_so else {}

    def _team(self) -> "list[JointServos]":
        """Return all servos that work if none of them acts after this one, [] before."""
        working = self._working()
        return [] if any(len(servos.earlier) > len(self.earlier) for servos in working) else working

    def _joined_calls(self, bodies: Bodies, dt: float) -> tuple[KernelCall, ...]:
        """Return what finds and exerts the efforts of all servos once the last one has planned."""
        team = self._team()
        if not team:
            return ()
        joints = np.hstack([servos.joints for servos in team])
        wanted, needed = np.zeros((2, *joints.shape))
        motion = np.zeros((2, *joints.shape))
        engine: Any = bodies  # one that has told these calls already
        said = {**self._loose(bodies, dt), **self._limits(bodies, dt)}
        asked = engine.joint_calls(joints, tuple(motion), (wanted, needed), **said, is_one=True)
        begins = np.cumsum([0, *(servos.joints.shape[1] for servos in team)]).tolist()
        pairs = list(zip(team, begins, strict=False))
        gather = [KernelCall(copy_columns, (servos.wanted, 0, wanted, at)) for servos, at in pairs]
        spread = [KernelCall(copy_columns, (needed, at, servos.needed, 0)) for servos, at in pairs]
        ends = [call for servos in team for call in servos.ends]
        return *gather, asked.invert, *spread, *ends

    @abstractmethod
    def plan(self, commands: Floats, bodies: Bodies, dt: float) -> None:
        """Write into `wanted` how the joints are to be accelerated."""

    @abstractmethod
    def exert(self, commands: Floats, bodies: Bodies) -> None:
        """Exert the efforts that are `needed`, as far as the motors can."""

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Turn commands into efforts: stamp, number and values, shape (n, 2 + values)."""
        try:
            self.plan(commands, bodies, dt)
        except BaseException:
            # it is switched off; those before it have planned and wait for efforts in this tick
            self.is_off = True
            if self._is_joined(bodies):
                self._exert_joined(bodies, dt)
            raise
        if self._is_joined(bodies):
            self.commands = commands
            self._exert_joined(bodies, dt)
            return
        self.needed[:] = self.dynamics(bodies, self.wanted, dt)
        self.exert(commands, bodies)

    def _exert_joined(self, bodies: Bodies, dt: float) -> None:
        """Exert the efforts of all servos once the last one has planned, without compiled calls."""
        team = self._team()
        if not team:
            return
        every = np.zeros(bodies.joint_effort.size)
        for servos in team:
            every[servos.joints] = servos.wanted
        engine: Any = bodies  # one that says whether motors are joined
        robots, limits = np.hstack([servos.joints for servos in team]), self._limits(bodies, dt)
        if limits:
            every[robots] = engine.grounded_efforts(robots, every[robots], **limits, **self._loose(bodies, dt))
        else:
            every = engine.inverse_dynamics(every, robots=robots, **self._loose(bodies, dt))
        for servos in team:
            servos.needed[:] = every[servos.joints]
            servos.exert(servos.commands, bodies)

    def _resistances(self, bodies: Bodies) -> Floats:
        """Return damping, friction, stiffness and rest of each joint, shape (n, k, 4), 0 where the engine says none."""
        every: Floats | None = getattr(bodies, "joint_resistance", None)
        return np.zeros((*self._shape, 4)) if every is None else every[self.joints]

    def _loose(self, bodies: Bodies, dt: float) -> dict[str, tuple[Ints, float]]:
        """Return what is said to an engine that knows of joints which nothing drives."""
        rows = [motors.joints if motors.is_off else motors.loose for motors in (self, *self.partners)]
        has_any = getattr(bodies, "is_loose", False) and any(row.size for row in rows)
        return {"loose": (np.column_stack(rows), dt)} if has_any else {}

    def _asked(self, bodies: Bodies, **more: tuple[Ints, float]) -> tuple[KernelCall, KernelCall] | None:
        """Return the calls that read positions and velocities, and that find efforts for accelerations."""
        ask: Any = getattr(bodies, "joint_calls", None)
        calls = ask and ask(self.joints, (self._at, self._speed), (self.wanted, self.needed), **more)
        return (calls.read, calls.invert) if calls else None

    def dynamics(self, bodies: Bodies, accelerations: Floats, dt: float) -> Floats:
        """Return the efforts that give joints these accelerations, as far as the engine can tell, shape (n, k)."""
        inverse: Callable[..., Floats] | None = getattr(bodies, "inverse_dynamics", None)
        if inverse is None:
            return bodies.joint_inertia[self.joints] * accelerations
        every = np.zeros(bodies.joint_effort.size)
        every[self.joints] = accelerations
        return inverse(every, **self._loose(bodies, dt))[self.joints]


class ArmJoints(JointServos):
    """All motors of an arm.

    Without a command they hold the arm where it is. No effort, no speed and no position goes beyond its limit: a
    position beyond is taken as the nearest one within, and a value that is no number as where the joint is.
    """

    interface = JOINTS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        count = self._shape[1]
        self.counts = {"count": count}
        self._most = _numbers(context, "max_effort", count)
        self.most[:] = self._most
        self._fastest = _numbers(context, "max_velocity", count)
        self.memory["speeds"] = np.zeros(self._shape)

    @property
    def loose(self) -> Ints:
        """Rows of the joints whose motor has no effort: what hangs on them moves as it likes, shape (n, p)."""
        return self.joints[:, self._most == 0.0]

    def plan(self, commands: Floats, bodies: Bodies, dt: float) -> None:
        """Write into `wanted` how the joints are to be accelerated."""
        motion = bodies.joint_position[self.joints], bodies.joint_velocity[self.joints]
        bounds, memory = (
            (bodies.joint_limits[self.joints], self._fastest),
            (self.memory["speeds"], self.memory["motors"]),
        )
        plan(commands, motion, bounds, self.table, memory, dt, self.wanted)

    def exert(self, commands: Floats, bodies: Bodies) -> None:
        """Exert the efforts that are needed, and what the joints resist, as far as the motors can."""
        resists = self._resistances(bodies)
        if resists.any():
            positions = bodies.joint_position[self.joints]
            bear(commands, resists, (positions, self.memory["speeds"]), self.needed)
        push(commands, self.needed, self.wanted, self._most, self.memory["motors"], self.exerted)
        bodies.joint_effort[self.joints] += self.exerted

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls | None:
        """Return what `act` comes to, None where the engine does not say what it asks of it."""
        motors, motion = self.memory["motors"], (self._at, self._speed)
        bounds, memory = (bodies.joint_limits[self.joints], self._fastest), (self.memory["speeds"], motors)
        first = KernelCall(plan, (commands, motion, bounds, self.table, memory, dt, self.wanted))
        last = KernelCall(push, (commands, self.needed, self.wanted, self._most, motors, self.exerted))
        resists = self._resistances(bodies)
        bearing = KernelCall(bear, (commands, resists, (self._at, self.memory["speeds"]), self.needed))
        return self.calls_of(bodies, dt, first, *((bearing,) if resists.any() else ()), last)

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None where the engine does not say where joints are."""
        asked = self._asked(world.bodies)
        tell = KernelCall(show, (self._at, self._speed, self.memory["motors"], out))
        return None if asked is None else DeviceCalls((asked[0], tell))

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write positions, velocities and efforts, shape (n, 3 k)."""
        bodies, count = world.bodies, self._shape[1]
        out[:, :count] = bodies.joint_position[self.joints]
        out[:, count : 2 * count] = bodies.joint_velocity[self.joints]
        out[:, 2 * count :] = self.efforts


class Gripper(JointServos):
    """Fingers that open and close together; without a command they hold where they are."""

    interface = GRIPPER

    def plan(self, commands: Floats, bodies: Bodies, dt: float) -> None:
        """Write into `wanted` how the fingers are to be accelerated."""
        motion = bodies.joint_position[self.joints], bodies.joint_velocity[self.joints]
        limits = bodies.joint_limits[self.joints]
        squeeze(commands, motion, limits, self.table, self.memory["motors"], dt, self.wanted)

    def exert(self, commands: Floats, bodies: Bodies) -> None:
        """Exert the efforts that are needed, as far as the fingers can."""
        clip(self.needed, self.wanted, self.table, self.memory["motors"], self.exerted)
        bodies.joint_effort[self.joints] += self.exerted

    def act_calls(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> DeviceCalls | None:
        """Return what `act` comes to, None where the engine does not say what it asks of it."""
        motors, limits = self.memory["motors"], bodies.joint_limits[self.joints]
        first = KernelCall(squeeze, (commands, (self._at, self._speed), limits, self.table, motors, dt, self.wanted))
        last = KernelCall(clip, (self.needed, self.wanted, self.table, motors, self.exerted))
        return self.calls_of(bodies, dt, first, last)

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None where the engine does not say where joints are."""
        asked, limits = self._asked(world.bodies), world.bodies.joint_limits[self.joints]
        tell = KernelCall(feel, ((self._at, self._speed), limits, self.table, self.memory["motors"], out))
        return None if asked is None else DeviceCalls((asked[0], tell))

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write opening, force and whether something is held, shape (n, 3)."""
        bodies = world.bodies
        motion = bodies.joint_position[self.joints], bodies.joint_velocity[self.joints]
        feel(motion, bodies.joint_limits[self.joints], self.table, self.memory["motors"], out)


class Tool(ArrayDevice):
    """Pose of the tool of an arm, from the angles of its joints."""

    interface = TOOL

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        chain = Chain.from_text(str(context.settings["chain"]))
        joints = [context.joints[joint.name] for joint in chain.joints]
        self._joints = np.column_stack(joints).astype(np.int64) if joints else np.zeros((len(self.rows), 0), np.int64)
        self._slides = np.array([joint.kind == "slide" for joint in chain.joints], np.bool_)
        self._axes = np.array([(*joint.point, *joint.axis) for joint in chain.joints], np.float64).reshape(-1, 6)
        self._home = np.array(chain.tool)

    def sense_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `sense` comes to, None with noise, or where the engine does not say where joints are."""
        self.is_stale = False
        ask, shape = getattr(world.bodies, "joint_calls", None), self._joints.shape
        at, speed, nothing = np.zeros((3, *shape))
        calls = ask and ask(self._joints, (at, speed), (nothing, nothing))
        if not calls or self.column("noise").any():
            return None
        tell = KernelCall(reckon, (at, self._slides, self._axes, self._home, out))
        return DeviceCalls((calls.read, tell), (self,))

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write place and quaternion, shape (n, 7)."""
        positions, noise = world.bodies.joint_position[self._joints], self.column("noise")
        if noise.any():
            deviates = np.empty(positions.shape)
            normal(self.keys, tick, deviates)
            positions = positions + noise[:, np.newaxis] * deviates
        reckon(positions, self._slides, self._axes, self._home, out)


def _numbers(context: DeviceContext, name: str, count: int) -> Floats:
    """Return the numbers of a text, one for each joint.

    Raises:
        BadFile: There are neither one nor as many as joints.
    """
    numbers = np.array([float(word) for word in str(context.settings[name]).split()])
    if numbers.size not in (1, count):
        raise BadFile(f"{name} takes 1 number, or {count}, as many as there are joints; got {numbers.size}")
    return np.broadcast_to(numbers, (count,)).copy()
