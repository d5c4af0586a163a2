"""Steering by attractor dynamics, robot by robot, on plain numbers, for the rules of several laws.

The forces are those of `attractors`. Rows are lists in a client and arrays where these functions are compiled; both do
the same statements in the same order, so the results are equal bit by bit.
"""

import math
from typing import Protocol, TypeAlias

from coopsim.features.laws.escaping import DRIVE, LONGEST_TURN, PATIENCE, ROOM
from coopsim.features.laws.steering import OPEN

Row: TypeAlias = list[float]
Rows: TypeAlias = list[list[float]]
STOOD, TURNS, DRIVES, SIDE = range(4)
"""Columns of escapes: for how long a robot has stood, may turn and drives off [s], and to which side it turns."""
_PI, _TWO_PI = math.pi, 2.0 * math.pi  # globals that compiled code reads as constants
_BESIDE = 0.4  # of the margin; what is farther aside is passed


class SteeringParameters(Protocol):
    """Parameters of the robots and of the law that steering needs."""

    @property
    def radius(self) -> float:
        """Of the hull [m]."""

    @property
    def half_track(self) -> float:
        """Half the distance between the wheels [m]."""

    @property
    def fastest(self) -> float:
        """Largest speed of a wheel [m/s]."""

    @property
    def reach(self) -> float:
        """Largest distance a sonar reports [m]."""

    @property
    def spread(self) -> float:
        """Angle of one sector [rad]."""

    @property
    def avoidance(self) -> float:
        """Strength of the repellers [1/s]."""

    @property
    def range(self) -> float:
        """Gap at which they have fallen to a third [m]."""

    @property
    def margin(self) -> float:
        """Distance kept from whatever is ahead [m]."""


class SteeringInputs(Protocol):
    """Inputs of the rules."""

    @property
    def numbers(self) -> SteeringParameters:
        """Parameters."""

    @property
    def rays(self) -> Rows:
        """Bearing of each sonar [rad], its cosine and sine, (m, 3)."""

    @property
    def ranges(self) -> Rows:
        """Of the sonars, (n, m) [m]."""

    @property
    def mates(self) -> list[Rows]:
        """Positions where each sees teammates, (n, k, 2), NaN = not seen [m]."""


class SteeringPlan(Protocol):
    """Decisions of the rules."""

    @property
    def gaps(self) -> Rows:
        """From the hull to what is no teammate, (n, m) [m]."""

    @property
    def commands(self) -> Rows:
        """Speed [m/s] and rate of turn [rad/s], (n, 2)."""

    @property
    def escapes(self) -> Rows:
        """Progress of the escape of each, (n, 4)."""


def length(x: float, y: float) -> float:
    """Return the length of a vector; `math.hypot` differs in its last bits when it is compiled."""
    return math.sqrt(x * x + y * y)


def wrapped(angle: float) -> float:
    """Return an angle within [-pi, pi) [rad]."""
    return angle - _TWO_PI * math.floor((angle + _PI) / _TWO_PI)


def hide_mates(robot: int, inputs: SteeringInputs, plan: SteeringPlan, slack: float) -> None:
    """Find the gaps, infinite where a sonar sees nothing or a teammate: formations keep that distance themselves."""
    gaps, ranges, mates, radius = plan.gaps[robot], inputs.ranges[robot], inputs.mates[robot], inputs.numbers.radius
    for ray in range(len(gaps)):
        gaps[ray] = ranges[ray] if ranges[ray] < inputs.numbers.reach else math.inf
    for mate in range(len(mates)):
        if math.isnan(mates[mate][0]):
            continue
        distance, angle = length(mates[mate][0], mates[mate][1]), math.atan2(mates[mate][1], mates[mate][0])
        # a sector sees a teammate that only its edge meets
        half = math.asin(min(radius * 1.1 / max(distance, radius), 1.0)) + inputs.numbers.spread / 2.0
        nearest, farthest = distance - radius - slack, distance + slack
        for ray in range(len(gaps)):
            centre = gaps[ray] + radius
            if nearest < centre < farthest and abs(wrapped(inputs.rays[ray][0] - angle)) < half:
                gaps[ray] = math.inf


def openness(robot: int, wanted: float, inputs: SteeringInputs, plan: SteeringPlan) -> float:
    """Return how open a direction is, from 0 (blocked) to 1."""
    gaps, way = plan.gaps[robot], math.inf
    for ray in range(len(gaps)):
        if gaps[ray] < way and abs(wrapped(inputs.rays[ray][0] - wanted)) < 1.2 * inputs.numbers.spread:
            way = gaps[ray]
    return min(max(way / OPEN, 0.0), 1.0)


def free_way(robot: int, inputs: SteeringInputs, plan: SteeringPlan) -> float:
    """Return how far a robot can go straight ahead before it touches what its sonars see [m]."""
    gaps, radius, margin, way = plan.gaps[robot], inputs.numbers.radius, inputs.numbers.margin, math.inf
    for ray in range(len(gaps)):
        if gaps[ray] < math.inf:
            distance = gaps[ray] + radius
            ahead, aside = distance * inputs.rays[ray][1], distance * inputs.rays[ray][2]
            way = min(way, way_past(ahead, aside, radius, margin))
    return way


def way_past(ahead: float, aside: float, reach: float, margin: float) -> float:
    """Return how far a disc can go straight ahead before it touches a point, infinity = it passes it [m]."""
    # along a wall the distance to it may be less than what is kept ahead, or a robot beside one could never leave
    if ahead <= 0.0 or abs(aside) >= reach + _BESIDE * margin:
        return math.inf
    return max(ahead - math.sqrt(max((reach + margin) ** 2 - aside * aside, 0.0)), 0.0)


def attraction(bearing: float, strength: float) -> float:
    """Return the turn towards a direction, at most `strength` [rad/s]."""
    # straight behind is a fixed point too, an unstable one: leave it at full force
    if abs(bearing) > _PI / 2.0:
        return -strength if bearing < 0.0 else strength
    return strength * math.sin(bearing)


def avoidance(robot: int, bearing: float, inputs: SteeringInputs, plan: SteeringPlan) -> float:
    """Return the turn away from everything the sonars see, and to one side of what is dead ahead [rad/s]."""
    numbers, gaps = inputs.numbers, plan.gaps[robot]
    turn, room, nearest = 0.0, 0.1 * math.sin(bearing), 0.0
    for ray in range(len(gaps)):
        if gaps[ray] < math.inf:
            near, angle = math.exp(-gaps[ray] / numbers.range), inputs.rays[ray][0]
            turn -= repulsion(near, angle, gaps[ray], numbers)
            room += near if angle < 0.0 else (-near if angle > 0.0 else 0.0)
            if abs(angle) < _PI / 4.0:
                nearest = max(nearest, near)
    return turn + (-0.1 if room < -1e-9 else 0.1) * numbers.avoidance * nearest


def repulsion(near: float, angle: float, gap: float, numbers: SteeringParameters) -> float:
    """Return the force of a repeller: its width is the angle that its sector and the robot take up together."""
    width = math.atan(math.tan(numbers.spread / 2.0) + numbers.radius / (numbers.radius + max(gap, 0.0)))
    return numbers.avoidance * near * angle * math.exp(-(angle * angle) / (2.0 * width * width))


def advance_escape(
    robot: int, way: float, stands: bool, distances: Row, inputs: SteeringInputs, plan: SteeringPlan, dt: float
) -> None:
    """Turn to where there is room, drive there for a while, and only then want something again.

    Args:
        robot: Its number.
        way: Free way straight ahead [m].
        stands: Whether it wants to move and does not.
        distances: In each bearing, by which the roomier side is found [m].
        inputs: Readings and parameters.
        plan: Its escapes go on.
        dt: Simulated time since the last time [s].
    """
    escape = plan.escapes[robot]
    turned, drove = escape[TURNS], escape[DRIVES]
    escape[STOOD] = escape[STOOD] + dt if stands and turned <= 0.0 and drove <= 0.0 else 0.0
    escape[TURNS], escape[DRIVES] = max(turned - dt, 0.0), max(drove - dt, 0.0)
    if escape[STOOD] > PATIENCE:
        escape[STOOD], escape[TURNS], escape[SIDE] = 0.0, LONGEST_TURN, _roomier_side(distances, inputs)
    if turned > 0.0 and (way > ROOM or escape[TURNS] <= 0.0):
        escape[TURNS], escape[DRIVES] = 0.0, DRIVE


def _roomier_side(distances: Row, inputs: SteeringInputs) -> float:
    room = 0.0
    for ray in range(len(distances)):
        if distances[ray] < inputs.numbers.reach:
            near, angle = math.exp(-distances[ray]), inputs.rays[ray][0]
            room += near if angle < 0.0 else (-near if angle > 0.0 else 0.0)
    return 1.0 if room >= 0.0 else -1.0


def command(robot: int, v: float, turn: float, inputs: SteeringInputs, plan: SteeringPlan) -> None:
    """Command a speed [m/s] and a rate of turn [rad/s] that both wheels can follow: turning goes before driving."""
    most = inputs.numbers.fastest / inputs.numbers.half_track
    turn = min(max(turn, -most), most)
    left = inputs.numbers.fastest - abs(turn) * inputs.numbers.half_track
    plan.commands[robot][0], plan.commands[robot][1] = min(max(v, -left), left), turn
