"""What robots look like, from their files to the rows of a layout."""

import math
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.geometry import quaternion
from coopsim.replay.run_json import spec_from_json, spec_to_json
from coopsim.robots import RobotBlueprint, TypeRegistry, check, load, load_type
from coopsim.robots.entities import rows_of
from coopsim.robots.sound import check_types
from coopsim.simulation import Simulation
from coopsim.state import Visual

BODY = "[BODY]\ntype box\nsize 0.4 0.3 0.2\nmass 5\n"
REGISTRY = TypeRegistry(devices={})
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def robot(folder: Path, *visuals: str) -> Path:
    sections = [f"[VISUAL_{number}]\n{visual}\n" for number, visual in enumerate(visuals, start=1)]
    path = folder / "cart.robot"
    path.write_text("\n".join([BODY, *sections]))
    return path


def read(folder: Path, *visuals: str) -> RobotBlueprint:
    robot(folder, *visuals)
    return load_type("cart", folder=folder, registry=REGISTRY)


def mistakes(folder: Path, *visuals: str) -> list[str]:
    return [str(problem).removeprefix(f"{folder}/") for problem in check(robot(folder, *visuals), registry=REGISTRY)]


def test_a_robot_file_says_what_its_robots_look_like(tmp_path: Path) -> None:
    (tmp_path / "looks").mkdir()
    (tmp_path / "looks" / "lamp.obj").touch()
    mast = "type cylinder\nname mast\nsize 0.1 0.1 1\nposition 0 0 0.2\norientation 0 0 90\ncolor red"
    lamp = "type mesh\nmesh looks/lamp.obj\nsize 0.2 0.2 0.2\nposition 0 0 1\nparent mast"
    first, second, third = read(tmp_path, "type box", mast, lamp).visuals
    assert first == Visual("box")
    assert second == Visual(
        "cylinder", (0.1, 0.1, 1.0), (0.0, 0.0, 0.2, *quaternion(0.0, 0.0, math.pi / 2)), (1.0, 0.0, 0.0)
    )
    assert (third.parent, third.mesh) == (1, str(tmp_path / "looks" / "lamp.obj"))


def test_a_robot_without_visuals_looks_like_its_body_with_an_arrow_to_the_front(tmp_path: Path) -> None:
    robot(tmp_path)
    (tmp_path / "a.scenario").write_text("[ROBOT_1]\ntype cart\n")
    *_, row = rows_of(load(tmp_path / "a.scenario", registry=REGISTRY))
    hull, front = row.drawn()
    assert (hull.shape, hull.size, hull.color) == ("box", (0.4, 0.3, 0.2), row.color)
    assert (front.shape, front.size[0], front.pose) == ("arrow", 0.2, (0.0, 0.0, 0.2, *UPRIGHT))


@pytest.mark.parametrize(
    ("visual", "mistake"),
    [
        ("type bix", "cart.robot:7:6: no shape 'bix' (bix → box?); known: "),
        ("size 1 1 1", "cart.robot:6:1: [VISUAL_1] needs the key 'type'"),
        ("type box\ncolour red", "cart.robot:8:1: [VISUAL_1] knows no key 'colour' (colour → color?)"),
        ("type sphere", "cart.robot:6:1: size: a sphere's three sizes are its diameter"),
        ("type cone\nsize 1 2 1", "cart.robot:6:1: size: length and width of a cone are its diameter"),
        ("type box\nparent mast", "cart.robot:8:8: no visual 'mast' stands above this one; above it stand none"),
        ("type mesh", "cart.robot:6:1: a visual of the type mesh, and no other, names its file by the key 'mesh'"),
        ("type mesh\nmesh no.obj", "cart.robot:8:6: mesh {folder}/no.obj: there is no such file"),
        ("type box\ntexture ../a.png", "cart.robot:8:9: texture ../a.png: expected a file in the folder of the robot"),
        ("type box\ntexture /etc/passwd", "cart.robot:8:9: texture /etc/passwd: expected a file in the folder of"),
    ],
)
def test_mistakes_in_visuals_are_reported_where_they_stand(tmp_path: Path, visual: str, mistake: str) -> None:
    (first,) = mistakes(tmp_path, visual)
    assert first.startswith(mistake.format(folder=tmp_path))


def test_a_visual_stands_below_its_parent_and_is_there_once(tmp_path: Path) -> None:
    first, second = mistakes(tmp_path, "type box\nparent visual_2", "type box", "type box\nname visual_2")
    assert "no visual 'visual_2' stands above this one" in first
    assert "the visual 'visual_2' is there twice" in second


ARM = "[LINK_1]\nname arm\ntype box\nsize 1 0.1 0.1\nmass 1\n[JOINT_1]\ntype hinge\nbodies base arm\n"


def armed(folder: Path, *visuals: str) -> Path:
    path = robot(folder, *visuals)
    path.write_text(f"{path.read_text()}\n{ARM}")
    return path


def test_each_body_of_a_robot_looks_like_itself_unless_the_file_says_more(tmp_path: Path) -> None:
    armed(tmp_path)
    (tmp_path / "a.scenario").write_text("[ROBOT_1]\ntype cart\n")
    *_, row = rows_of(load(tmp_path / "a.scenario", registry=REGISTRY))
    assert [(visual.shape, visual.size, visual.body) for visual in row.drawn()][::2] == [
        ("box", (0.4, 0.3, 0.2), ""),
        ("box", (1.0, 0.1, 0.1), "arm"),
    ]
    armed(tmp_path, "type box\nbody arm", "type sphere\nsize 0.1 0.1 0.1\nparent visual_1")
    *_, row = rows_of(load(tmp_path / "a.scenario", registry=REGISTRY))
    assert [(visual.shape, visual.size, visual.body) for visual in row.drawn()] == [
        ("box", (1.0, 0.1, 0.1), "arm"),
        ("sphere", (0.1, 0.1, 0.1), "arm"),
        ("box", (0.4, 0.3, 0.2), ""),
        ("arrow", (0.2, 0.06, 0.06), ""),
    ]


def test_a_visual_sits_on_a_body_that_is_there_and_on_that_of_its_parent(tmp_path: Path) -> None:
    path = armed(tmp_path, "type box\nbody am", "type box\nname lid\nbody arm", "type box\nparent lid\nbody base")
    first, second = (str(problem) for problem in check(path, registry=REGISTRY))
    assert "this robot has no body 'am' (am → arm?); it has base, arm" in first
    assert "a visual sits on the body of its parent, which is arm" in second


def test_a_picture_that_is_too_large_for_a_window_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(17 << 20)
    (first,) = mistakes(tmp_path, "type box\ntexture huge.png")
    assert "the file is larger than 16 MiB" in first


def test_a_simulation_tells_the_looks_of_its_robots_and_walls(tmp_path: Path) -> None:
    robot(tmp_path, "type sphere\nsize 0.2 0.2 0.2")
    wall = "[WALL_1]\ntype box\nsize 1 1 1\nposition 3 0 0\n"
    (tmp_path / "a.world").write_text(wall)
    (tmp_path / "a.scenario").write_text(
        "[WORLD]\nfile a.world\n[ROBOT_1]\ntype cart\n[ROBOT_2]\ntype cart\nposition 1 0 0\n"
    )
    spec = load(tmp_path / "a.scenario", registry=REGISTRY)
    simulation = Simulation(spec)
    rows = simulation.layout.entity
    assert rows["robot_1"].visuals is rows["robot_2"].visuals
    assert rows["robot_1"].visuals == (Visual("sphere", (0.2, 0.2, 0.2)),)
    assert (rows["wall_1"].is_wall, rows["wall_1"].visuals) == (True, (Visual("box"),))
    assert spec_from_json(spec_to_json(spec)).types["cart"] == spec.types["cart"]


def test_an_object_may_be_drawn_as_a_mesh(tmp_path: Path) -> None:
    (tmp_path / "crate.obj").touch()
    (tmp_path / "a.world").write_text("[OBJECT_1]\ntype box\nsize 1 1 1\nposition 3 0 0\nmesh crate.obj\ncolor red\n")
    *_, row = rows_of(load(tmp_path / "a.world", registry=REGISTRY))
    (mesh,) = row.drawn()
    assert (mesh.shape, mesh.size, mesh.color) == ("mesh", (1.0, 1.0, 1.0), (1.0, 0.0, 0.0))
    assert mesh.mesh == str(tmp_path / "crate.obj")


def test_visuals_out_of_a_forged_run_are_checked(tmp_path: Path) -> None:

    kind = RobotBlueprint("cart", "", "box", (1, 1, 1), 1.0, 0.3, (), visuals=(Visual("box", parent=3),))
    with pytest.raises(BadFile, match="parent: expected an earlier visual"):
        check_types({"cart": kind}, [])
