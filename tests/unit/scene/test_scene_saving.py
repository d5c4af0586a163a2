"""Worlds and scenarios written back: which lines change, and how."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.errors import BadFile, CannotSave
from coopsim.scene import (
    Floor,
    Object,
    ObjectPart,
    RobotPlacement,
    SoftNode,
    TargetSpec,
    read_world,
    scenario_text,
    world_of,
    world_text,
)
from coopsim.scene.entities import FLOOR_KEYS, OBJECT_KEYS, ROBOT_KEYS
from coopsim.scene.keys import Keys
from coopsim.scene.lines import Section
from coopsim.scene.placing import changes
from coopsim.scene.spans import Span
from coopsim.scene.writing import angles, color, in_degrees, in_short, vector

HERE = Path()
WORLD = """\
# the yard

# the ground
[FLOOR]
size   10 10 0.1   # as built

# the long wall
# (repaired in spring)
[WALL_1]
type      box
size      10  0.2  0.5
position  0   5.0  0     # y is measured

# --- boxes ---

[OBJECT_7]
\tType\tbox
\tsize\t1 1 1
\tposition\t1 2 0
# mass 5
"""
WALL = Object("wall_1", "box", (10.0, 0.2, 0.5), (0.0, 5.0, 0.0), is_wall=True)
BOX = Object("object_7", "box", (1.0, 1.0, 1.0), (1.0, 2.0, 0.0))
FLOOR = Floor((10.0, 10.0, 0.1))
SCENARIO = """\
# two of them
[WORLD] file yard.world
[TARGET]
# where to
red     4 3 0   # the goal
# and back
blue    -4 3 0
[ROBOT_1]
type    single
name    ann
[ROBOT_2]
type    single
name    ben
position 1 2 0
[CONTROLLER_1]
run     wander
robots  ann  ben
[EVENT_1]
at      20
set     ann.sonars.noise 0.05
set     ben.sonars.noise 0.05
[EVENT_2]
at      30
set     ben.sonars.reach 1
[SIMULATION]
seed    1
"""
RED, BLUE = TargetSpec("red", (4.0, 3.0, 0.0)), TargetSpec("blue", (-4.0, 3.0, 0.0), (0.0, 0.0, 1.0))
ANN, BEN = RobotPlacement("ann", "single"), RobotPlacement("ben", "single", (1.0, 2.0, 0.0))


def world(*objects: Object, text: str = WORLD, floor: Floor = FLOOR) -> str:
    return world_text(text, floor, objects, HERE)


def scenario(targets: tuple[TargetSpec, ...] = (RED, BLUE), robots: tuple[RobotPlacement, ...] = (ANN, BEN)) -> str:
    return scenario_text(SCENARIO, "", targets, robots)


def test_what_did_not_change_is_written_as_it_was() -> None:
    assert world(WALL, BOX) == WORLD
    assert scenario() == SCENARIO


def test_of_a_changed_value_only_the_words_that_differ_are_written() -> None:
    text = world(replace(WALL, position=(0.0, 4.5, 0.0)), BOX)
    assert text == WORLD.replace("position  0   5.0  0     # y", "position  0   4.5  0     # y")


def test_a_key_that_was_not_said_is_added_in_the_manner_of_the_section() -> None:
    assert world(WALL, replace(BOX, mass=5.0)) == WORLD.replace("1 2 0\n# mass", "1 2 0\n\tmass\t5\n# mass")
    text = world(replace(WALL, orientation=(0.0, 0.0, math.radians(30))), BOX)
    assert "# y is measured\norientation 0 0 30\n" in text


def test_who_is_removed_takes_the_comment_above_and_nobody_elses() -> None:
    assert world(BOX) == WORLD.replace(WORLD[WORLD.index("# the long wall") : WORLD.index("# --- boxes")], "")
    assert world(WALL) == WORLD[: WORLD.index("[OBJECT_7]")].rstrip("\n") + "\n"


def test_a_comment_that_begins_the_file_speaks_of_the_file() -> None:
    text = "# yard\n[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n[WALL_2]\ntype box\nsize 1 1 1\nposition 1 0 0\n"
    written = world(Object("wall_2", "box", (1.0, 1.0, 1.0), (1.0, 0.0, 0.0), is_wall=True), text=text, floor=Floor())
    assert written == "# yard\n[WALL_2]\ntype box\nsize 1 1 1\nposition 1 0 0\n"


def test_new_ones_come_behind_the_last_object_with_the_next_number() -> None:
    crate = Object("crate", "sphere", (1.0, 1.0, 1.0), (0.5, 0.0, 0.0), mass=2.5, color=(1.0, 0.0, 0.0))
    wall = Object("wall_9", "box", (1.0, 1.0, 1.0), (3.0, 0.0, 0.0), is_wall=True)
    text = world(WALL, BOX, crate, wall)
    assert text.startswith(WORLD)
    assert text.removeprefix(WORLD) == (
        "\n[OBJECT_8]\ntype        sphere\nname        crate\nsize        1 1 1\nposition    0.5 0 0\n"
        "mass        2.5\ncolor       red\n\n[WALL_9]\ntype        box\nsize        1 1 1\nposition    3 0 0\n"
    )


def test_a_taken_number_is_not_given_again() -> None:
    text = "[OBJECT_3]\nname wall_3\ntype box\nsize 1 1 1\nposition 0 0 0\n"
    wall = Object("wall_3", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    written = world(wall, replace(wall, name="object_3"), text=text, floor=Floor())
    assert "[OBJECT_4]\ntype        box\nname        object_3\n" in written


def test_line_ends_and_the_byte_order_mark_stay() -> None:
    text = "\ufeff" + WORLD.replace("\n", "\r\n")
    written = world(WALL, replace(BOX, name="other"), text=text)
    assert written.startswith("\ufeff# the yard\r\n")
    assert "\n" not in written.replace("\r\n", "")


def test_a_file_whose_last_line_has_no_end_goes_on_behind_it() -> None:
    text = WORLD.rstrip("\n")
    assert world(WALL, BOX, text=text) == text
    assert "# mass 5\n\n[OBJECT_8]\n" in world(WALL, BOX, replace(BOX, name="other"), text=text)


def test_the_floor_is_changed_and_added_where_it_was_not_said() -> None:
    assert world(WALL, BOX, floor=Floor((10.0, 12.0, 0.1))) == WORLD.replace("10 10 0.1   #", "10 12 0.1   #")
    text = "[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n"
    wall = Object("wall_1", "box", (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), is_wall=True)
    assert world(wall, text=text, floor=FLOOR) == f"[FLOOR]\nsize        10 10 0.1\n\n{text}"


def test_a_world_from_which_everything_was_removed_is_still_a_world(tmp_path: Path) -> None:
    text = "[WALL_1]\ntype box\nsize 1 1 1\nposition 0 0 0\n"
    (tmp_path / "bare.world").write_text(world(text=text, floor=Floor()))
    spec, problems = read_world(tmp_path / "bare.world")
    assert (str(problems), spec.objects) == ("", ())


def test_a_mesh_is_named_from_the_folder_of_the_file_also_in_a_new_section(tmp_path: Path) -> None:
    text = WORLD.replace("# mass 5\n", "\tmesh\tmeshes/../box.obj\n")
    box = replace(BOX, mesh=str(tmp_path / "box.obj"))
    assert world_text(text, FLOOR, (WALL, box), tmp_path) == text
    assert "\tmesh\t../box.obj\n" in world_text(text, FLOOR, (WALL, box), tmp_path / "sub", tmp_path)
    new = replace(box, name="crate_2", texture=str(tmp_path / "wood.png"))
    added = world_text(text, FLOOR, (WALL, box, new), tmp_path)
    assert added.startswith(text.rstrip("\n"))
    assert {"texture wood.png", "mesh box.obj"} <= {" ".join(line.split()) for line in added.splitlines()}


def test_a_texture_is_named_from_the_folder_of_the_file(tmp_path: Path) -> None:
    text = WORLD.replace("# mass 5\n", "\ttexture\tpictures/../wood.png\n")
    box = replace(BOX, texture=str(tmp_path / "wood.png"))
    assert world_text(text, FLOOR, (WALL, box), tmp_path) == text
    assert "\ttexture\t../wood.png\n" in world_text(text, FLOOR, (WALL, box), tmp_path / "sub")


def test_a_target_moves_in_its_line_and_leaves_with_its_comment() -> None:
    moved = replace(RED, position=(4.0, 2.5, 0.0))
    assert scenario((moved, BLUE)) == SCENARIO.replace("red     4 3 0 ", "red     4 2.5 0 ")
    assert scenario((RED,)) == SCENARIO.replace("# and back\nblue    -4 3 0\n", "")
    assert "[TARGET]" not in scenario(())


def test_a_comment_below_the_header_speaks_of_all_targets() -> None:
    assert scenario((BLUE,)) == SCENARIO.replace("red     4 3 0   # the goal\n", "")


def test_a_new_target_comes_behind_the_others() -> None:
    green = TargetSpec("green", (1.0, 0.0, 0.0), (0.0, 128 / 255, 0.0))
    assert "blue    -4 3 0\ngreen   1 0 0\n" in scenario((RED, BLUE, green))


def test_a_colour_that_no_target_can_have_is_refused() -> None:
    with pytest.raises(CannotSave, match="target red has a colour of its own"):
        scenario((replace(RED, color=(0.5, 0.5, 0.5)), BLUE))


def test_controllers_and_events_forget_a_robot_that_is_gone() -> None:
    text = scenario(robots=(ANN,))
    assert "robots  ann\n" in text
    assert "set     ann.sonars.noise 0.05\n[SIMULATION]" in text
    assert "ben" not in text
    alone = scenario(robots=())
    assert "CONTROLLER" not in alone
    assert "EVENT" not in alone


def test_the_world_of_a_scenario_is_named_where_it_was() -> None:
    assert world_of(SCENARIO) == "yard.world"
    assert scenario_text(SCENARIO, "other.world", (RED, BLUE), (ANN, BEN)) == SCENARIO.replace("yard", "other")
    text = scenario_text("[SIMULATION]\nseed 1\n", "a.world", (), (ANN,))
    assert text.startswith("[WORLD]\nfile        a.world\n\n[SIMULATION]\n")


def test_a_new_scenario_has_its_sections_in_the_usual_order() -> None:
    text = scenario_text("", "a.world", (RED,), (BEN,))
    assert text == (
        "[WORLD]\nfile        a.world\n\n[TARGET]\nred         4 3 0\n\n"
        "[ROBOT_1]\ntype        single\nname        ben\nposition    1 2 0\n"
    )


def test_a_text_with_mistakes_is_not_built_upon() -> None:
    with pytest.raises(BadFile, match="unknown section"):
        world(WALL, text="[WALLL_1]\n")


def test_a_file_that_could_not_be_read_again_is_refused() -> None:
    with pytest.raises(CannotSave, match="larger than 4 MiB"):
        world(WALL, BOX, text=WORLD + "#" * 4_200_000 + "\n")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "-0.0"), (1.0, "1"), (-2.5, "-2.5"), (0.1, "0.1"), (1e-7, "1e-07"), (1e300, "1e+300")],
)
def test_numbers_are_written_short_and_exact(value: float, text: str) -> None:
    assert in_short(value) == text
    assert repr(float(text)) == repr(value)


@pytest.mark.parametrize("degrees", [0.0, 45.0, -90.0, 0.1, 33.333, 180.0, 1e-3, 359.99999])
def test_degrees_come_back_as_they_were_written(degrees: float) -> None:
    assert in_degrees(math.radians(degrees)) == in_short(degrees)


def test_an_angle_that_is_no_number_of_degrees_is_written_as_the_nearest() -> None:
    assert math.radians(float(in_degrees(1.2345678901234567))) == pytest.approx(1.2345678901234567, abs=1e-15)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ((1.0, 0.0, 0.0), ["red"]),
        ((10 / 255, 20 / 255, 30 / 255), ["10", "20", "30"]),
        ((1 / 255, 0.0, 1 / 255), [repr(1 / 255), "0", repr(1 / 255)]),
        ((0.5, 0.25, 0.125), ["0.5", "0.25", "0.125"]),
    ],
)
def test_colours_are_written_as_people_would(value: tuple[float, float, float], words: list[str]) -> None:
    assert color(value) == words


def test_words_that_mean_the_same_stay() -> None:
    assert vector((1.0, 2.0, 3.0), ["1.00", "2.5", "+3"]) == ["1.00", "2", "+3"]
    assert angles((0.0, 0.0, math.radians(90)), ["0", "0.0", "45"]) == ["0", "0.0", "90"]


OTHERS = {
    "parts": (ObjectPart("box", (1.0, 1.0, 1.0), number=1),),
    "shape": "sphere",
    "count": 3,
    "grid": (2, 3, 0.5),
    "scatter": (),
    "soft": SoftNode("sheet", (1, 2, 1), (0.1, 0.2, 0.0), 1e4, 0.3, 0.001, 0.005),
}


@pytest.mark.parametrize(("known", "entity"), [(FLOOR_KEYS, FLOOR), (OBJECT_KEYS, BOX), (ROBOT_KEYS, ANN)])
def test_every_key_that_can_be_read_can_be_written(known: Keys, entity: Floor | Object | RobotPlacement) -> None:
    names = {"type": "shape", "part_n": "parts"} if entity is BOX else {}
    written = {names.get(key, key) for key in known if key != "name"}
    for attribute in sorted(written):
        usual = getattr(entity, attribute)
        changed = OTHERS[attribute] if attribute in OTHERS else _other(usual)
        (change,) = changes(Section("", "", Span()), entity, replace(entity, **{attribute: changed}))
        assert change[0].replace("part_1", "part_n") in known
        assert change[1]


def _other(value: object) -> object:
    if isinstance(value, tuple):
        return (0.5, 0.5, 0.5)
    return "other" if isinstance(value, str) else 0.25


def test_a_tilted_floor_is_written() -> None:
    tilted = replace(FLOOR, orientation=(0.0, math.radians(5), 0.0))
    assert "# as built\norientation 0 5 0\n" in world(WALL, BOX, floor=tilted)


def test_restitution_and_rolling_resistance_are_saved_and_read_again(tmp_path: Path) -> None:
    ball = Object("ball", "sphere", (0.2, 0.2, 0.2), (1.0, 2.0, 0.0), mass=1.0, restitution=0.5, rolling=0.02)
    file = tmp_path / "ball.world"
    file.write_text(world_text(WORLD, FLOOR, (WALL, replace(BOX, restitution=1.0), ball), HERE))
    spec, _ = read_world(file)
    assert spec.objects == (WALL, replace(BOX, restitution=1.0), ball)
    assert "rolling" not in world_text("", FLOOR, (BOX,), HERE)
