"""A quadrotor that is deliberately another one: the "real" robot of the fidelity study, in a process of its own.

`python -m coopsim.features.studies.other_quadrotor LOG.csv VERTICAL SEED`. It shares the flight controller and its
parameters with the simulated one and nothing else: other physics (fourth-order Runge-Kutta at 1 kHz, drag by the
square of the speed, gusts, rotors that answer by their speed and differ from each other), another mass than the
controller reckons with, other noise, and a motion capture system that is late.
"""

import sys
from collections import deque
from pathlib import Path

import numpy as np

from coopsim.features.models.frames import quaternion_matrix
from coopsim.features.space.autopilot_interface import AUTOPILOT
from coopsim.features.space.devices import flying
from coopsim.features.space.devices import inner_loop as inner
from coopsim.features.space.devices.autopilot import fly
from coopsim.features.studies.eights import HEIGHT, PERIOD, ROUNDS, SETTLED, STEP, eight
from coopsim.features.studies.fidelity import write_table
from coopsim.geometry import Floats
from coopsim.interfaces import number_names
from coopsim.kernels.constants import GRAVITY
from coopsim.state.layout import NUMBER, VALUES

_MASS, _INERTIA = 1.03, np.array([0.0125, 0.0115, 0.022])  # kg, kg m2
_ARM, _TORQUE, _MOST_THRUST = 0.17, 0.016, 6.0
_DRAG, _GUST, _GUST_TIME = 0.09, 0.25, 1.5  # N s2/m2, m/s, s
_ROTORS = np.array([1.01, 0.985, 1.0, 1.015])
_SPIN_UP = 0.04  # s; of the speed of a rotor
_FINE, _LATE = 0.001, 0.02  # s
_NOISE, _BIAS = (0.15, 0.01), (0.05, 0.002)  # of accelerations and rates


class OtherQuadrotor:
    """Rigid body, rotors and air.

    Attributes:
        state: Position, velocity, quaternion, rate of turn in the frame of the body, shape (13,).
        speeds: Of the rotors, as the square root of their thrusts, shape (4,).
    """

    def __init__(self, seed: int) -> None:
        self.state = np.zeros(13)
        self.state[6] = 1.0
        self.speeds, self.wind = np.zeros(4), np.zeros(3)
        self.random = np.random.default_rng(seed + 1000)
        self.bias = self.random.normal(size=6) * np.repeat(_BIAS, 3)
        self.felt = np.array([0.0, 0.0, GRAVITY])

    def advance(self, thrusts: Floats) -> None:
        """Go on for 1 ms."""
        self.speeds += _FINE / _SPIN_UP * (np.sqrt(thrusts) - self.speeds)
        self.wind += -_FINE / _GUST_TIME * self.wind
        self.wind += _GUST * np.sqrt(2.0 * _FINE / _GUST_TIME) * self.random.normal(size=3)
        k1 = self._change(self.state)
        k2 = self._change(self.state + 0.5 * _FINE * k1)
        k3 = self._change(self.state + 0.5 * _FINE * k2)
        k4 = self._change(self.state + _FINE * k3)
        self.state += _FINE / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        self.state[6:10] /= np.linalg.norm(self.state[6:10])
        if self.state[2] < 0.0:
            self.state[2], self.state[3:6] = 0.0, np.maximum(self.state[3:6], (0.0, 0.0, 0.0))

    def measured(self) -> tuple[Floats, Floats]:
        """Return acceleration and rate as its inertial unit measures them."""
        noise = self.random.normal(size=6) * np.repeat(_NOISE, 3) + self.bias
        return self.felt + noise[:3], self.state[10:] + noise[3:]

    def _change(self, state: Floats) -> Floats:
        turn = quaternion_matrix(state[6:10])
        thrusts = _ROTORS * self.speeds**2
        air = state[3:6] - self.wind
        force = turn[:, 2] * thrusts.sum() - _DRAG * np.linalg.norm(air) * air
        self.felt = turn.T @ force / _MASS
        acceleration = force / _MASS - (0.0, 0.0, GRAVITY)
        if state[2] <= 0.0 and acceleration[2] < 0.0:
            acceleration, self.felt = np.zeros(3), np.array([0.0, 0.0, GRAVITY])
        roll, pitch = _ARM * (thrusts[1] - thrusts[3]), _ARM * (thrusts[2] - thrusts[0])
        torque = np.array([roll, pitch, _TORQUE * (thrusts[0] - thrusts[1] + thrusts[2] - thrusts[3])])
        rate = state[10:]
        spin = (torque - np.cross(rate, _INERTIA * rate)) / _INERTIA
        w, x, y, z = state[6:10]
        p, q, r = rate
        quaternion = 0.5 * np.array(
            [-x * p - y * q - z * r, w * p + y * r - z * q, w * q + z * p - x * r, w * r + x * q - y * p]
        )
        return np.concatenate([state[3:6], acceleration, quaternion, spin])


def flight(vertical: bool, seed: int) -> Floats:
    """Return a flight, with the columns of `fidelity.COLUMNS`."""
    robot, late = OtherQuadrotor(seed), deque[Floats](maxlen=round(_LATE / STEP) + 1)
    table = np.array([[float(AUTOPILOT.parameter(name).default)] for name in number_names(AUTOPILOT)])
    own, thrusts = np.zeros((1, VALUES + AUTOPILOT.setting_width)), np.zeros((1, 4))
    memory = np.zeros((1, flying.FLIGHT_WIDTH)), np.zeros((1, inner.STATES), np.int64)
    rotors = np.array([_ARM]), np.array([_TORQUE]), np.array([_MOST_THRUST])
    own[0, NUMBER], own[0, VALUES] = AUTOPILOT.command("take_off").number, HEIGHT
    rows = []
    for k in range(round((SETTLED + (ROUNDS + 1) * PERIOD) / STEP)):
        now = k * STEP
        if k == round(SETTLED / STEP):
            own[0, NUMBER] = AUTOPILOT.command("eight").number
            own[0, VALUES:] = 0.0
            own[0, VALUES : VALUES + 5] = eight(vertical)
        late.append(robot.state.copy())
        seen, (force, rate) = late[0], robot.measured()
        sensors = force[None], rate[None], seen[None, :3].copy(), seen[None, 6:10].copy(), seen[None, 3:6].copy()
        fly(own, sensors, rotors, table, memory, thrusts, STEP)
        for _ in range(round(STEP / _FINE)):
            robot.advance(thrusts[0])
        if now >= SETTLED + PERIOD:
            rows.append([now, *robot.state[:3].tolist(), *memory[0][0, flying.X : flying.X + 3].tolist()])
    return np.array(rows)


def main() -> None:
    """Fly, and write the log that the arguments name."""
    log, vertical, seed = sys.argv[1:]
    write_table(Path(log), flight(vertical == "1", int(seed)))


if __name__ == "__main__":
    main()
