"""What several kernels use stands once."""

import re
from pathlib import Path

import pytest

import coopsim
from coopsim.features.kinematic import motion
from coopsim.kernels import shapes
from coopsim.sensing import ray_head

SOURCES = {file: file.read_text("utf-8") for file in Path(coopsim.__file__).parent.rglob("*.py")}


@pytest.mark.parametrize(
    ("text", "home"),
    [
        (r"\b9\.81\b", "kernels/constants.py"),
        (r"STRONGEST = ", "kernels/constants.py"),
        (r"def clamped\(", "kernels/grid.py"),
        (r"min\(limit, max\(-limit", "kernels/numbers.py"),
        (r"HALF, HALF_WIDTH, COS, SIN = ", "kernels/shapes.py"),
    ],
)
def test_a_constant_or_helper_is_defined_in_one_file(text: str, home: str) -> None:
    # what engines are compared with has numbers of its own, so that a wrong one here shows
    apart = "features/accuracy/"
    files = [name for name, source in SOURCES.items() if re.search(text, source) and apart not in name.as_posix()]
    assert len(files) == 1
    assert files[0].as_posix().endswith(home)


def test_columns_of_a_room_follow_those_that_all_rooms_share() -> None:
    shared = {shapes.X, shapes.Y, shapes.HALF, shapes.HALF_WIDTH, shapes.COS, shapes.SIN}
    for own in ({ray_head.BODY, ray_head.LOW, ray_head.HIGH, ray_head.ROUND}, {motion.REACH, motion.OWNER}):
        assert sorted(shared | own) == list(range(len(shared) + len(own)))
