"""What the rules of marching know and decide, as rows of plain numbers."""

from typing import NamedTuple

from coopsim.controllers.steering_rules import Row, Rows


class MarchParameters(NamedTuple):
    """Parameters of the law, and of the robots."""

    radius: float
    half_track: float
    fastest: float
    reach: float
    spread: float
    spacing: float
    speed: float
    tolerance: float
    attraction: float
    avoidance: float
    range: float
    margin: float
    gain: float


class MarchKnowledge(NamedTuple):
    """What the law knows.

    Attributes:
        parents: The robot that each follows, (n,).
        offsets: Its place as seen from there, (n, 2) [m].
        rays: Bearing of each sonar [rad], its cosine and sine, (m, 3).
        numbers: Parameters.
        ranges: Of the sonars, (n, m) [m].
        mates: Where each sees the others, (n, n, 2), NaN = not seen [m].
        speeds: As measured, (n,) [m/s].
        goal: Distance [m] and angle [rad] at which the leader sees the target, NaN = it does not.
    """

    parents: list[int]
    offsets: Rows
    rays: Rows
    numbers: MarchParameters
    ranges: Rows
    mates: list[Rows]
    speeds: Row
    goal: Row


class MarchPlan(NamedTuple):
    """What is decided, what that is made of, and how the escapes go on.

    Attributes:
        gaps: From the hull to what is no teammate, (n, m) [m].
        headings: Of the leader, measured from that of each, (n,), NaN = not known [rad].
        ways: Of each to its place, (n, 2), NaN = not known [m].
        disorder: Their lengths, (n,), infinity = not known [m].
        wanted: Speed [m/s] and bearing [rad] that each wants, (n, 2).
        commands: Speed [m/s] and rate of turn [rad/s], (n, 2).
        escapes: For how long each has stood, may turn and drives off [s], and to which side it turns, (n, 4).
    """

    gaps: Rows
    headings: Row
    ways: Rows
    disorder: Row
    wanted: Rows
    commands: Rows
    escapes: Rows
