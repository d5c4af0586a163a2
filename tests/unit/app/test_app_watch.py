import math

from coopsim.app.watch import line
from coopsim.interfaces import ODOMETRY, SONARS

POSE, RANGES = ODOMETRY.command("pose"), SONARS.command("ranges")


def test_numbers_stand_below_one_another_to_the_millimetre() -> None:
    lines = [line(7, [POSE], [(1.25, -4.38105e-11, 0.1)]), line(1234, [POSE], [(-11.0, 2.0, -math.pi)])]
    assert lines[0] == "       7  x    1.250 m  y    0.000 m  heading    0.100 rad"
    assert lines[1] == "    1234  x  -11.000 m  y    2.000 m  heading   -3.142 rad"


def test_many_numbers_of_one_reading_stand_below_one_another() -> None:
    shown = [line(1, [RANGES], [([near] * 3,)]) for near in (0.5, 2.25)]
    assert shown[0] == "       1  ranges    0.500    0.500    0.500 m"
    assert len(shown[0]) == len(shown[1])
