"""Pictures of the pages on gateways: they show what the gateways offer today."""

import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "docs"
FIGURES = runpy.run_path(str(FOLDER / "gateway_figures.py"))


@pytest.mark.parametrize("kind", FIGURES["PICTURES"])
def test_a_picture_is_the_one_that_the_script_draws_and_its_page_shows_it(kind: str) -> None:
    drawn = FIGURES["picture"](kind, list(FIGURES["PICTURES"][kind]()))
    assert (FOLDER / f"{kind}.svg").read_text(encoding="utf-8") == drawn, "python docs/gateway_figures.py"
    assert f"({kind}.svg)" in (FOLDER / f"{kind}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", FIGURES["PICTURES"])
def test_each_module_of_the_robot_stands_in_each_picture(kind: str) -> None:
    lines = list(FIGURES["PICTURES"][kind]())
    assert {line.module for line in lines} == {"", *FIGURES["modules"]()}
    assert {line.is_command for line in lines} == {True, False}


def test_types_are_worded_as_each_ros_has_them() -> None:
    of_ros1, of_ros2 = (list(FIGURES["PICTURES"][kind]()) for kind in ("ros1", "ros2"))
    assert [line.kind.replace("/msg/", "/") for line in of_ros2] == [line.kind for line in of_ros1]
    assert all("/msg/" in line.kind for line in of_ros2)
    assert "/robot1/cmd_vel" in [line.name for line in of_ros1 if line.is_command]
