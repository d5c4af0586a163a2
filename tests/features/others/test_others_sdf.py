import math
from collections.abc import Sequence
from itertools import pairwise
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


def wedge(corners: Sequence[tuple[float, float]], height: float, top: float = 1.0) -> str:
    """Return an OBJ of a body over convex corners; its upper end is `top` times as large."""
    rows = [f"v {s * x} {s * y} {z}" for s, z in ((1.0, 0.5), (top, 0.5 + height)) for x, y in corners]
    n = len(corners)
    faces = [[*range(n, 0, -1)], [*range(n + 1, 2 * n + 1)]]
    faces += [[k + 1, (k + 1) % n + 1, (k + 1) % n + 1 + n, k + 1 + n] for k in range(n)]
    return "\n".join([*rows, *("f " + " ".join(map(str, face)) for face in faces)]) + "\n"


TRIANGLE = ((0.0, 0.0), (2.0, 0.0), (0.0, 1.0))


def plan_with_mesh(tmp_path: Path, mesh: str) -> WorldPlan:
    """Return a plan with a model of that mesh, half as large and turned by a right angle."""
    shape = f"<geometry><mesh><uri>{mesh}</uri><scale>0.5 0.5 0.5</scale></mesh></geometry>"
    link = f"<link name='l'><collision name='c'>{shape}</collision></link>"
    return plan_of(tmp_path, f"<model name='m'><static>1</static><pose>1 1 1 0 0 1.5707963</pose>{link}</model>")


def test_a_mesh_that_is_an_upright_convex_prism_is_a_polygon(tmp_path: Path) -> None:
    (tmp_path / "ramp.obj").write_text(wedge(TRIANGLE, 3.0), encoding="utf-8")
    plan = plan_with_mesh(tmp_path, "ramp.obj")
    (ramp,) = plan.solids
    assert (ramp.kind, ramp.size[2]) == ("polygon", pytest.approx(1.5))
    assert ramp.base == pytest.approx(1.25)
    assert sorted(ramp.points) == [pytest.approx(point, abs=1e-6) for point in ((0.5, 1.0), (1.0, 1.0), (1.0, 2.0))]
    assert not plan.losses


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (wedge(TRIANGLE, 3.0, top=0.8), "no upright convex prism"),
        (wedge(((0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)), 1.0), "no upright convex prism"),
        (wedge(((0, 0), (1, 0), (2, 0)), 1.0), "it is a line"),
        ("v 0 0\n", "any.obj:1:1: expected three numbers"),
        ("", "left out"),
    ],
)
def test_any_other_mesh_is_said_with_its_line(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "any.obj").write_text(text, encoding="utf-8")
    plan = plan_with_mesh(tmp_path, "any.obj")
    (loss,) = plan.losses
    assert (loss.place, loss.key) == (f"{tmp_path / 'given.sdf'}:3", "mesh of m")
    assert reason in loss.reason
    assert not plan.solids


def test_the_axis_that_a_mesh_calls_up_is_z_as_gazebo_has_it(tmp_path: Path) -> None:
    # upright in numbers, and lying where the tag holds
    rows = wedge(TRIANGLE, 3.0).splitlines()
    places = " ".join(row[2:] for row in rows if row[0] == "v")
    faces = [[int(word) - 1 for word in row.split()[1:]] for row in rows if row[0] == "f"]
    fans = " ".join(f"{face[0]} {a} {b}" for face in faces for a, b in pairwise(face[1:]))
    (tmp_path / "ramp.dae").write_text(
        "<COLLADA><asset><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id='g'><mesh>"
        f"<source id='p'><float_array id='a' count='18'>{places}</float_array><technique_common>"
        "<accessor source='#a' count='6' stride='3'/></technique_common></source><vertices id='v'>"
        "<input semantic='POSITION' source='#p'/></vertices><triangles count='8'>"
        f"<input semantic='VERTEX' source='#v' offset='0'/><p>{fans}</p></triangles></mesh></geometry>"
        "</library_geometries></COLLADA>",
        encoding="utf-8",
    )
    plan = plan_with_mesh(tmp_path, "ramp.dae")
    assert [(solid.kind, solid.size[2]) for solid in plan.solids] == [("polygon", pytest.approx(1.5))]
