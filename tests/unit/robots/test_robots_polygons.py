"""Polygons as bodies of robots and as parts of objects: read, checked, saved, simulated, seen and drawn."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.robots import RunSpec, check, load, world_spec
from coopsim.robots.plain import from_plain, to_plain
from coopsim.robots.visuals import robot_visuals
from coopsim.scene import Object, ObjectPart, changed, read_world, world_text
from coopsim.scene.polygons import signed_area
from coopsim.simulation import Simulation

ENGINES = "kinematic", "pymunk", "mujoco"
ARROW = """[BODY]
type    polygon
points  0.4 0  -0.2 0.3  -0.05 0  -0.2 -0.3
height  0.2
mass    6

[DEVICE_1]
type    differential_drive
name    motors
half_track 0.14
max_force 60

[DEVICE_2]
type    laser
name    laser
count   5
sector  180
reach   3

[DEVICE_3]
type    pose
name    tracker
"""
CORNERS = (0.4, 0.0, -0.2, 0.3, -0.05, 0.0, -0.2, -0.3)
WORLD = """[FLOOR]
size    12 12 0.1

[OBJECT_1]
type    box
name    hammer
size    0.2 0.2 0.4
position 0 3 0
mass    4
part_1  polygon 0.3 0.5 0 0.1 points -0.1 -0.3 0.4 0 -0.1 0.3 0.1 0 color red

[OBJECT_2]
type    box
name    wall
size    0.1 3 0.5
position 1.5 0 0

[OBJECT_3]
type    cylinder
name    peg
size    0.1 0.1 0.5
position -0.7 -4 0
"""
SCENARIO = """[WORLD]
file a.world

[ROBOT_1]
type arrow
name ann

[ROBOT_2]
type arrow
name bob
position 0 -4 0
"""


def spec_in(folder: Path, robot: str = ARROW, world: str = WORLD) -> RunSpec:
    """Return a run of two arrows in a world."""
    for name, text in (("arrow.robot", robot), ("a.world", world), ("a.scenario", SCENARIO)):
        (folder / name).write_text(text, encoding="utf-8")
    return load(folder / "a.scenario")


def test_a_body_has_its_corners_around_its_origin_and_a_box_around_both(tmp_path: Path) -> None:
    kind = spec_in(tmp_path).types["arrow"]
    assert (kind.shape, kind.size) == ("box", (0.8, 0.6, 0.2))
    assert kind.hull is not None
    assert kind.hull.size == pytest.approx((0.6, 0.6, 0.2))
    assert kind.hull.position == pytest.approx((0.1, 0.0, 0.0))
    assert kind.hull.points == pytest.approx((0.3, 0.0, -0.3, 0.3, -0.15, 0.0, -0.3, -0.3))


def test_engines_get_corners_in_the_frame_of_the_body(tmp_path: Path) -> None:
    bodies = {body.name: body for body in world_spec(spec_in(tmp_path)).bodies}
    (shape,) = bodies["ann"].shapes
    assert (shape.kind, shape.position) == ("polygon", (0.0, 0.0, 0.0))
    assert shape.points == pytest.approx(CORNERS)
    first, part = bodies["hammer"].shapes
    assert (first.kind, part.kind, part.position) == ("box", "polygon", (0.0, 0.0, 0.1))
    assert part.points == pytest.approx((0.4, -0.3, 0.9, 0.0, 0.4, 0.3, 0.6, 0.0))


@pytest.mark.parametrize(
    ("points", "complaint"),
    [
        ("points 0 0  1 0", "arrow.robot:3:1: points takes x and y of at least 3 points, got 4 numbers"),
        ("points 0 0  1 0  2 0", "arrow.robot:3:18: points is no simple polygon"),
        ("points 0 0  1 1  1 0  0 1", "the edges from point 1 and from point 3 on meet"),
        ("points 0 0  0.001 0  0 0.001", "points has no area: expected 1e-06 m2"),
        ("points 0 0  1 0  0 1\nsize 1 1 1", "arrow.robot:4:1: [BODY] knows no key 'size'; it knows type, mass"),
        ("height 1", "arrow.robot:1:1: [BODY] needs the key 'points'"),
    ],
)
def test_mistakes_in_a_body_are_located(tmp_path: Path, points: str, complaint: str) -> None:
    with pytest.raises(BadFile) as caught:
        spec_in(tmp_path, ARROW.replace("points  0.4 0  -0.2 0.3  -0.05 0  -0.2 -0.3\nheight  0.2", points))
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("polygon 0.3 0.5 0 points 0 0 1 0 0 1", "takes `polygon HEIGHT X Y Z points X1 Y1 X2 Y2 X3 Y3`"),
        ("polygon 0 0.5 0 0 points 0 0 1 0 0 1", "10:17: part_1 must lie within 0.001"),
        ("polygon 0.3 0.5 o 0 points 0 0 1 0 0 1", "10:25: part_1 expects a number, got 'o'"),
        ("polygon 0.3 0 0 0 points 0 0 1 1 1 0 0 1", "points is no simple polygon"),
        ("polygon 0.3 0 0 0 points 0 0 1 0 0 1 orientation 0 0 9", "expects a number, got 'orientation'"),
        ("polygon 0.3 0 0 0 points 0 0 1 0 0 1 mass 5", "the parts weigh 5 kg, and the whole 4 kg"),
    ],
)
def test_mistakes_in_a_part_are_located(tmp_path: Path, line: str, complaint: str) -> None:
    was = next(words for words in WORLD.splitlines() if words.startswith("part_1"))
    (tmp_path / "a.world").write_text(WORLD.replace(was, f"part_1  {line}"), encoding="utf-8")
    assert complaint in str(read_world(tmp_path / "a.world")[1])


def test_a_part_is_written_as_it_was_and_changed_by_a_message(tmp_path: Path) -> None:
    (tmp_path / "a.world").write_text(WORLD, encoding="utf-8")
    world = read_world(tmp_path / "a.world")[0]
    hammer = world.objects[0]
    assert world_text(WORLD, world.floor, world.objects, tmp_path) == WORLD
    moved = changed(hammer, "part_1 polygon 0.5 0.1 0.2 0 points 0 0 0.3 0 0 0.3 friction 0.2")
    assert isinstance(moved, Object)
    text = world_text(WORLD, world.floor, (moved, *world.objects[1:]), tmp_path)
    (tmp_path / "a.world").write_text(text, encoding="utf-8")
    again = read_world(tmp_path / "a.world")[0].objects[0]
    assert again.parts == moved.parts
    points = (-0.15, -0.15, 0.15, -0.15, -0.15, 0.15)
    part = ObjectPart("polygon", (0.3, 0.3, 0.5), (0.25, 0.35, 0.0), 1, friction=0.2, points=points)
    assert again.parts[0].points == pytest.approx(points)
    assert again.parts[0].position == pytest.approx(part.position)
    assert (again.parts[0].size, again.parts[0].friction) == (pytest.approx(part.size), 0.2)


@pytest.mark.parametrize("engine", ENGINES)
def test_robots_touch_with_their_corners_and_have_room_in_their_notch(tmp_path: Path, engine: str) -> None:
    simulation = Simulation(spec_in(tmp_path), engine=engine)
    for _ in range(400):
        simulation.command("ann", "motors", 10, (0.4, 0.0))  # towards the wall, tip first
        simulation.command("bob", "motors", 10, (-0.4, 0.0))  # backwards: the peg goes into the notch
        simulation.tick()
    places = dict(zip(simulation.engine.names, simulation.engine.poses[:, :2].tolist(), strict=True))
    assert places["ann"] == pytest.approx([1.45 - 0.4, 0.0], abs=0.02)
    # the round of the peg meets the slanting sides of the notch, which a box around it would have kept out
    half, side = 0.05, float(np.hypot(0.15, 0.3))
    assert places["bob"] == pytest.approx([-0.7 + 0.05 + half * side / 0.3, -4.0], abs=0.02)


def test_rays_meet_the_corners_of_robots_and_the_edges_of_parts(tmp_path: Path) -> None:
    world = WORLD.replace("position 1.5 0 0", "position 5 5 0").replace("position 0 3 0", "position 0.9 -4 0")
    simulation = Simulation(spec_in(tmp_path, world=world), engine="kinematic")
    simulation.tick()
    # bob looks ahead at the hammer's handle, to its left at the tail of ann, whose notch is 0.05 m behind her origin
    right, _, ahead, _, left = simulation.reading("bob", "laser")[:5]
    assert (right, ahead) == pytest.approx((3.0, 0.8))
    assert left == pytest.approx(3.0)
    simulation = Simulation(
        spec_in(tmp_path, world=world.replace("position 0.9 -4 0", "position 1.5 0 0\norientation 0 0 180"))
    )
    simulation.tick()
    assert simulation.reading("ann", "laser")[2] == pytest.approx(1.5 - 0.9, abs=1e-6)  # the tip of the part


def test_recordings_hold_them_and_pictures_draw_them(tmp_path: Path) -> None:
    spec = spec_in(tmp_path)
    again = from_plain(to_plain(spec))
    assert again.types["arrow"].hull == spec.types["arrow"].hull
    assert again.scenario.world.objects[0].parts == spec.scenario.world.objects[0].parts
    hull, front = robot_visuals(spec.types["arrow"], spec.types["arrow"].extent)
    assert (hull.shape, front.shape) == ("polygon", "arrow")
    assert hull.pose[:2] == pytest.approx((0.1, 0.0))
    rows = {row.name: row for row in Simulation(spec, engine="kinematic").layout.entities}
    assert [visual.shape for visual in rows["hammer"].visuals] == ["box", "polygon"]
    corners = rows["hammer"].visuals[1].points
    assert abs(signed_area(list(zip(corners[::2], corners[1::2], strict=True)))) == pytest.approx(0.09)


@pytest.mark.parametrize(("x", "is_inside"), [(-0.2, False), (0.1, True)])
def test_what_is_in_the_notch_of_a_robot_overlaps_nothing(tmp_path: Path, x: float, is_inside: bool) -> None:
    spec_in(tmp_path, world=WORLD.replace("position -0.7 -4 0", f"position {x} -4 0"))
    assert ("'bob' and 'peg' overlap" in str(check(tmp_path / "a.scenario"))) == is_inside
