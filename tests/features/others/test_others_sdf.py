import math
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.others.worlds.command import read_plan
from coopsim.features.others.worlds.plan import WorldPlan

BOX = "<collision name='c'><pose>0 0 0.25 0 0 0</pose><geometry><box><size>1 2 0.5</size></box></geometry></collision>"


def plan_of(tmp_path: Path, inside: str, name: str = "given.sdf") -> WorldPlan:
    """Return what a world with these elements describes."""
    file = tmp_path / name
    file.write_text(f"<sdf version='1.9'>\n<world name='w'>\n{inside}</world></sdf>", encoding="utf-8")
    return read_plan(file)


@pytest.mark.parametrize("name", ["given.sdf", "given.world"])
def test_a_model_stands_where_poses_of_model_link_and_shape_put_it(tmp_path: Path, name: str) -> None:
    link = f"<link name='l'><pose>1 0 0 0 0 0</pose>{BOX}</link>"
    plan = plan_of(
        tmp_path, f"<model name='m'><static>true</static><pose>2 0 0.5 0 0 {math.pi / 2}</pose>{link}</model>", name
    )
    (solid,) = plan.solids
    assert solid.pose == pytest.approx((2.0, 1.0, 90.0))
    # the middle of the shape is 0.25 m above the link, its lowest point on it
    assert (solid.kind, solid.size, solid.base, solid.mass) == ("box", (1.0, 2.0, 0.5), pytest.approx(0.5), 0.0)


def test_a_model_that_is_not_static_has_its_mass_shared_by_its_shapes(tmp_path: Path) -> None:
    ball = "<collision name='b'><geometry><sphere/></geometry></collision>"
    inertial = "<inertial><mass>3</mass></inertial>"
    plan = plan_of(tmp_path, f"<model name='m'><link name='l'>{inertial}{BOX}{ball}</link></model>")
    assert [(solid.kind, solid.mass) for solid in plan.solids] == [("box", 1.5), ("sphere", 1.5)]
    assert plan.solids[1].size == (2.0, 2.0, 2.0)


def test_a_plane_is_the_floor_which_reaches_below_all(tmp_path: Path) -> None:
    plane = (
        "<collision name='p'><geometry><plane><normal>0 0 1</normal><size>30 40</size></plane></geometry></collision>"
    )
    plan = plan_of(tmp_path, f"<model name='ground'><static>1</static><link name='l'>{plane}</link></model>")
    assert (plan.solids, plan.size) == ([], (30.0, 40.0))
    far = f"<model name='m'><pose>50 0 0 0 0 0</pose><link name='l'>{BOX}</link></model>"
    assert plan_of(tmp_path, far).size[0] > 100.0


def test_an_included_model_is_found_beside_and_in_the_paths_of_gazebo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, name in ((tmp_path / "models", "crate"), (tmp_path / "elsewhere", "post")):
        (folder / name).mkdir(parents=True)
        text = f"<sdf version='1.9'><model name='{name}'><static>true</static><link name='l'>{BOX}</link></model></sdf>"
        (folder / name / "model.sdf").write_text(text, encoding="utf-8")
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path / "elsewhere"))
    include = "<include><uri>model://%s</uri><name>mine</name><pose>1 2 0 0 0 0</pose></include>\n"
    plan = plan_of(tmp_path, include % "crate" + include % "post" + include % "nowhere")
    assert [(solid.name, solid.pose[:2]) for solid in plan.solids] == [("mine", (1.0, 2.0)), ("mine_2", (1.0, 2.0))]
    assert [(loss.place.rpartition(":")[2], loss.key) for loss in plan.losses] == [("5", "include model://nowhere")]


def test_joints_meshes_and_plugins_are_said(tmp_path: Path) -> None:
    mesh = "<collision name='c'><geometry><mesh><uri>a.dae</uri></mesh></geometry></collision>"
    arm = "<model name='arm'><link name='l'/><joint name='j' type='fixed'/></model>\n"
    plan = plan_of(
        tmp_path, f"{arm}<model name='m'><link name='l'>{mesh}</link></model>\n<plugin name='p' filename='x'/>\n"
    )
    assert {loss.key for loss in plan.losses} == {"model arm", "mesh of m", "plugin"}


def test_comments_may_hold_dashes_as_in_gazebo_and_lines_stay(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "<!-- gz topic\n--pub -->\n<light name='l'/>\n")
    assert [loss.place.rpartition(":")[2] for loss in plan.losses] == ["5"]


@pytest.mark.parametrize(
    ("inside", "complaint"),
    [
        ("<model name='m'><pose>1 2</pose></model>", r"given.sdf:3: <pose>: expected 6 numbers, got '1 2'"),
        (
            f"<model name='m'><link name='l'>{BOX.replace('1 2', '0 2')}</link></model>",
            r"given.sdf:3: <box>: expected sizes",
        ),
        ("<model", r"given.sdf:\d+:\d+: no complete XML"),
    ],
)
def test_mistakes_are_located(tmp_path: Path, inside: str, complaint: str) -> None:
    with pytest.raises(BadFile, match=complaint):
        plan_of(tmp_path, inside)


def test_a_model_alone_is_a_robot_not_a_world(tmp_path: Path) -> None:
    (tmp_path / "given.sdf").write_text("<sdf version='1.9'><model name='m'/></sdf>", encoding="utf-8")
    with pytest.raises(BadFile, match="expected <world>; a model alone is a robot"):
        read_plan(tmp_path / "given.sdf")


def test_a_polyline_is_a_polygon_of_its_height(tmp_path: Path) -> None:
    points = "".join(f"<point>{x} {y}</point>" for x, y in ((0, 0), (2, 0), (0, 1), (0, 0)))
    shape = f"<geometry><polyline>{points}<height>0.8</height></polyline></geometry>"
    link = f"<link name='l'><collision name='c'>{shape}</collision></link>"
    plan = plan_of(tmp_path, f"<model name='ramp'><static>1</static><pose>1 1 0 0 0 1.5707963</pose>{link}</model>")
    (ramp,) = plan.solids
    assert (ramp.kind, len(ramp.points), ramp.size[2]) == ("polygon", 3, 0.8)
    assert ramp.base == pytest.approx(0.0)
    assert ramp.points[1] == pytest.approx((1.0, 3.0), abs=1e-6)
