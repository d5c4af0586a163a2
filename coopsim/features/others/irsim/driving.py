"""Robots of a scene of IR-SIM by number: their steps, states, touches and scans."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from coopsim.client import Client, Readings
from coopsim.errors import NoSuchName
from coopsim.features.others.irsim.behaviours import LawBehaviour
from coopsim.features.others.irsim.scene import BUMPERS, LASER, TRACKER
from coopsim.features.others.worlds.plan import IrsimAgent, RobotKind, WorldPlan
from coopsim.geometry import Bools, Floats, Ints

WIDTH: Final = 3
"""Columns of velocities of all robots; those that a robot has no use for are 0."""
_AT_REST = 1e-9  # m/s


@dataclass(frozen=True)
class _Block:
    """Robots of one type, in the order of their rows.

    Attributes:
        kind: The type.
        numbers: Of the robots, shape (n,).
        wheelbase: Of cars [m].
    """

    kind: RobotKind
    numbers: Ints
    kinematics: str
    wheelbase: float

    def motors(self, velocities: Floats) -> dict[str, Floats]:
        """Return what motors are asked for, by velocities of IR-SIM, shape (n, 3)."""
        first, second, third = velocities.T
        if self.kinematics in {"omni", "omni_angular"}:
            return {"v": first, "u": second, "w": third}
        if self.kinematics == "acker":
            return {"v": first, "w": first * np.tan(second) / self.wheelbase}
        return {"v": first, "w": second}

    def velocities(self, motors: Floats) -> Floats:
        """Return velocities of IR-SIM, shape (n, 3), that move robots as motors are asked to, shape (n, 2 or 3)."""
        out = np.zeros((len(motors), WIDTH))
        out[:, :2] = motors[:, :2]
        if self.kinematics in {"omni", "omni_angular"}:
            out[:, 1:] = motors[:, [2, 1]]
        elif self.kinematics == "acker":
            out[:, 1] = np.arctan2(motors[:, 1] * self.wheelbase, np.maximum(np.abs(motors[:, 0]), _AT_REST))
            out[:, 1] *= np.sign(motors[:, 0])
        return out


class IrsimDriver:
    """All robots of a scene, driven through a client.

    Args:
        sim: The client.
        plan: The scene.

    Attributes:
        states: x, y, heading and steering in the frame of the file, shape (n, 4).
        touches: Which robots touch something, shape (n,).
    """

    def __init__(self, sim: Client, plan: WorldPlan) -> None:
        self._sim, self._agents = sim, plan.agents
        self._middle = np.array(plan.middle)
        self._ahead = np.array([agent.ahead for agent in plan.agents])
        self._stepper = sim.stepper(timeout=math.inf)
        numbers = {agent.name: number for number, agent in enumerate(plan.agents)}
        kinds = {kind.name: kind for kind in plan.kinds}
        self._blocks = []
        for name in dict.fromkeys(self._stepper.layout.robots[robot] for robot in self._stepper.robots):
            members = [numbers[robot] for robot in self._stepper.robots if self._stepper.layout.robots[robot] == name]
            self._blocks.append(_block(kinds[name], members, plan.agents))
        self._place = {int(number): (block, k) for block in self._blocks for k, number in enumerate(block.numbers)}
        self.states, self.touches = np.zeros((len(plan.agents), 4)), np.zeros(len(plan.agents), bool)
        self._readings: Readings = self._stepper.readings
        self._read()
        self._first = self._readings, self.states
        self._laws = self._behaviours()
        self._is_at_beginning = True
        sim.module("/sim/world").call("snapshot", _BEGINNING)

    def _behaviours(self) -> list[tuple[_Block, Ints, LawBehaviour]]:
        """Return laws with the rows of those whom they drive: robots of a type, of the same behaviour and speed."""
        laws = []
        for block in self._blocks:
            alike: dict[tuple[str, float], list[int]] = {}
            for row, number in enumerate(block.numbers):
                agent = self._agents[number]
                if agent.behaviour in LawBehaviour.NAMES and agent.goals:
                    alike.setdefault((agent.behaviour, agent.speed), []).append(row)
            for (behaviour, speed), rows in alike.items():
                agents = [self._agents[number] for number in block.numbers[rows]]
                names = [agent.name for agent in agents]
                law = LawBehaviour(self._sim, names, behaviour, speed, agents[0].threshold)
                laws.append((block, np.array(rows), law))
        return laws

    def decide(self, goals: Floats, out: Floats) -> None:
        """Write velocities of those that control laws drive, shape (n, 3).

        Args:
            goals: Where each wants to go, shape (n, 2) [m].
            out: Velocities of all.
        """
        for block, rows, law in self._laws:
            readings, numbers = self._readings.of(block.kind.name), block.numbers[rows]
            motors = readings.motors
            columns = [motors.v, motors.w, *([motors.u] if block.kinematics.startswith("omni") else [])]
            poses = self._poses(readings)[rows]
            steered = law.velocities(
                poses, np.stack(columns, axis=1)[rows], readings.sonars.ranges[rows], goals[numbers]
            )
            out[numbers] = block.velocities(steered)

    def step(self, velocities: Floats) -> None:
        """Drive all robots for a step.

        Args:
            velocities: As IR-SIM has them, shape (n, 3).

        Raises:
            SimulationEnded: The run is over: its window was closed.
        """
        types = self._stepper.layout.types
        rows = [
            types[block.kind.name]
            .takes.filled(len(block.numbers), motors=block.motors(velocities[block.numbers]))
            .ravel()
            for block in self._blocks
        ]
        self._readings = self._stepper.step(np.concatenate(rows))
        self._is_at_beginning = False
        self._read()

    def reset(self) -> None:
        """Put everything back to where it was at the beginning."""
        if not self._is_at_beginning:
            self._sim.module("/sim/world").call("restore", _BEGINNING)
        self._is_at_beginning = True
        self._readings, self.states = self._first
        self.touches = np.zeros_like(self.touches)

    def move_robot(self, number: int, state: Floats, *, is_beginning: bool) -> Floats:
        """Put a robot somewhere, and return states of all; its scans are from there after the next step.

        Args:
            number: Of the robot.
            state: x, y [m] and heading [rad] in the frame of the file, shape (3,).
            is_beginning: Whether a reset brings it back there.
        """
        x, y, heading = state
        middle = state[:2] + self._ahead[number] * np.array([math.cos(heading), math.sin(heading)])
        self.states = self.states.copy()
        self.states[number] = x, y, heading, 0.0
        self.move_entity(self._agents[number].name, middle, heading, is_beginning=is_beginning)
        return self.states

    def move_entity(self, name: str, middle: Floats, heading: float, *, is_beginning: bool) -> None:
        """Put an entity somewhere.

        Args:
            name: In the simulation.
            middle: x, y in the frame of the file [m].
            heading: What it is turned by [rad].
            is_beginning: Whether a reset brings it back there.
        """
        x, y = (middle - self._middle).tolist()
        text = f"position {x!r} {y!r} 0\norientation 0 0 {math.degrees(heading)!r}"
        self._sim.module("/sim/world").call("update", name, text)
        self._is_at_beginning = is_beginning
        if is_beginning:
            self._sim.module("/sim/world").call("snapshot", _BEGINNING)
            self._first = self._readings, self.states

    def _poses(self, readings: Any) -> Floats:
        """Return x, y and heading of the middles of bodies, in the frame of the file, shape (n, 3)."""
        position, (w, x, y, z) = getattr(readings, TRACKER).position, getattr(readings, TRACKER).orientation.T
        poses = np.empty((len(position), 3))
        poses[:, :2] = position[:, :2] + self._middle
        poses[:, 2] = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        return poses

    def _read(self) -> None:
        states = np.zeros_like(self.states)
        touches: Bools = np.zeros_like(self.touches)
        for block in self._blocks:
            readings = self._readings.of(block.kind.name)
            poses = self._poses(readings)
            ahead = self._ahead[block.numbers, np.newaxis]
            poses[:, :2] -= ahead * np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
            states[block.numbers, :3] = poses
            if block.kinematics == "acker":
                states[block.numbers, 3] = readings.motors.steering
            bumpers = getattr(readings, BUMPERS)
            touches[block.numbers] = (bumpers.front > 0) | (bumpers.rear > 0)
        self.states, self.touches = states, touches

    # scans

    def scan(self, number: int) -> dict[str, Any]:
        """Return the newest scan of a robot, as a message of ROS has it.

        Raises:
            NoSuchName: It has no laser.
        """
        settings = self._laser(number)
        block, row = self._place[number]
        ranges = getattr(self._readings.of(block.kind.name), LASER).ranges[row].copy()
        half, count = 0.5 * math.radians(settings["sector"]), int(settings["count"])
        return {
            "angle_min": -half,
            "angle_max": half,
            "angle_increment": 2.0 * half / max(count - 1, 1),
            "time_increment": 0.0,
            "scan_time": 0.0,
            "range_min": settings["nearest"],
            "range_max": settings["reach"],
            "ranges": ranges,
            "intensities": None,
            "velocity": None,
            "valid": np.ones(count, bool),
        }

    def scanner_pose(self, number: int) -> list[float]:
        """Return x, y [m] and heading [rad] of the laser of a robot in its frame.

        Raises:
            NoSuchName: It has no laser.
        """
        settings = self._laser(number)
        return [settings["x"], settings["y"], math.radians(settings["yaw"])]

    def _laser(self, number: int) -> dict[str, float]:
        block, _ = self._place[number]
        for device in block.kind.devices:
            if device.name == LASER:
                usual = {"nearest": 0.0, "x": 0.0, "y": 0.0, "yaw": 0.0}
                return {**usual, **{name: float(value) for name, value in device.settings}}
        raise NoSuchName(f"{self._agents[number].name} has no lidar2d: its file gives it no sensor of that kind")


_BEGINNING = "beginning"
"""The snapshot that a reset restores."""


def _block(kind: RobotKind, members: Sequence[int], agents: Sequence[IrsimAgent]) -> _Block:
    wheelbase = float(dict(kind.settings).get("wheelbase", "1"))
    kinematics = agents[members[0]].kinematics
    return _Block(kind, np.array(members), kinematics, wheelbase)
