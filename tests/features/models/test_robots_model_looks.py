"""What URDF, MJCF and SDF models look like: meshes and shapes where they are, what cannot be shown said."""

import re
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.desktop.mesh_files import load_mesh
from coopsim.features.pictures.marks import marks_of
from coopsim.geometry import within
from coopsim.robots import check, load
from coopsim.robots.visuals import robot_visuals
from coopsim.scene.stl import stl_of
from coopsim.simulation import Simulation
from coopsim.state import Visual
from coopsim.state.visuals import MOST_VISUALS

BLOCK = np.array([[(3, 0, 1), (4, 0, 1), (3, 2, 1)], [(3, 0, 1), (4, 0, 1), (3, 0, 5)]]) / 10
BAR = """<inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>"""
URDF = """<robot name="r"><link name="foot">{bar}
  <visual><origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/>
    <geometry><mesh filename="package://r/{file}" scale="2 2 2"/></geometry>
    <material name="blue"><color rgba="0 0 1 1"/></material></visual>
  <visual><geometry><cylinder radius="0.05" length="0.3"/></geometry></visual></link>
  <link name="arm">{bar}</link>
  <joint name="turn" type="continuous"><parent link="foot"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
MJCF = """<mujoco><asset><mesh name="m" file="block.stl"/><material name="red" rgba="1 0 0 1"/></asset><worldbody>
<body name="foot"><geom type="box" size=".1 .1 .05" mass="1"/>
<geom type="mesh" mesh="m" contype="0" conaffinity="0" mass="0" material="red" pos="0 0 1"/></body>
<body name="ring" pos="1 0 0"><geom type="capsule" size=".1 .2" mass="1"/>
<geom type="box" size=".1 .1 .3" mass="1"/></body>
<body name="plain" pos="2 0 0"><geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.7"><model name="r"><static>1</static><link name="foot"><pose>0 0 0.2 0 0 0</pose>
<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
<visual name="v"><pose>0 0 1 0 0 0</pose><geometry><mesh><uri>model://r/block.stl</uri></mesh></geometry>
<material><diffuse>0 1 0 1</diffuse></material></visual>
<visual name="w"><geometry><plane/></geometry></visual></link></model></sdf>"""


def visuals_of(folder: Path, name: str, text: str) -> dict[str, list[Visual]]:
    """Return what the bodies of a model are drawn with."""
    write(folder, name, text)
    (blueprint,) = load(folder / "run.scenario").types.values()
    visuals_of: dict[str, list[Visual]] = {}
    for robot_visual in robot_visuals(blueprint, blueprint.extent):
        visuals_of.setdefault(robot_visual.body, []).append(robot_visual)
    return visuals_of


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / "block.stl").write_bytes(stl_of(BLOCK))
    (folder / "run.scenario").write_text(f"[ROBOT_1]\nmodel {name}\nname a\n[SIMULATION]\nengine mujoco\n")


def box(visual: Visual, base: tuple[float, ...]) -> np.ndarray:
    """Return the lowest and highest corner of a visual, given where its body is."""
    assert visual.size is not None
    length, width, height = visual.size
    corners = [(x * length, y * width, z * height) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0, 1)]
    pose = within((*base, 1.0, 0.0, 0.0, 0.0), visual.pose)
    points = np.array([within(pose, (*corner, 1.0, 0.0, 0.0, 0.0))[:3] for corner in corners])
    return np.array([points.min(axis=0), points.max(axis=0)])


def test_a_mesh_of_a_urdf_model_is_where_its_file_and_its_origin_say(tmp_path: Path) -> None:
    visuals = visuals_of(tmp_path, "r.urdf", URDF.format(bar=BAR, file="block.stl"))
    mesh, tube = visuals["foot"]
    assert (mesh.shape, Path(mesh.mesh).name, mesh.color) == ("mesh", "block.stl", (0.0, 0.0, 1.0))
    # twice as large, turned by 90 degrees, half a metre up, seen from the frame of the link
    wanted = [[-0.4, 0.6, 0.7], [0.0, 0.8, 1.5]]
    np.testing.assert_allclose(box(mesh, (0.0, 0.0, 0.0)), wanted, atol=1e-6)
    assert (tube.shape, tube.size) == ("cylinder", (0.1, 0.1, 0.3))
    np.testing.assert_allclose(box(tube, (0.0, 0.0, 0.0)), [[-0.05, -0.05, -0.15], [0.05, 0.05, 0.15]], atol=1e-9)
    assert [visual.shape for visual in visuals["arm"]] == ["box"]


@pytest.mark.parametrize(("file", "text"), [("a.obj", None), ("a.dae", None)])
def test_each_kind_of_file_is_the_same_mesh(tmp_path: Path, file: str, text: None) -> None:
    corners = BLOCK.reshape(-1, 3).tolist()
    lines = [*(f"v {x} {y} {z}" for x, y, z in corners), "f 1 2 3", "f 4 5 6"]
    numbers = " ".join(f"{100 * number:.12g}" for number in BLOCK.ravel())
    collada = f"""<COLLADA><asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>
    <library_geometries><geometry id="g">
    <mesh><source id="p"><float_array>{numbers}</float_array></source><vertices id="v"><input semantic="POSITION"
    source="#p"/></vertices><triangles><input semantic="VERTEX" source="#v"/><p>0 1 2 3 4 5</p></triangles></mesh>
    </geometry></library_geometries></COLLADA>"""
    (tmp_path / file).write_text("\n".join(lines) if file == "a.obj" else collada)
    mesh, _ = visuals_of(tmp_path, "r.urdf", URDF.format(bar=BAR, file=file))["foot"]
    np.testing.assert_allclose(box(mesh, (0.0, 0.0, 0.0)), [[-0.4, 0.6, 0.7], [0.0, 0.8, 1.5]], atol=1e-6)
    first, second_mesh = load_mesh(tmp_path / "block.stl").vertices, load_mesh(Path(mesh.mesh)).vertices
    np.testing.assert_allclose(first["position"], second_mesh["position"], atol=1e-6)


def test_a_mesh_that_the_model_does_not_paint_has_the_colour_of_its_file(tmp_path: Path) -> None:
    numbers = " ".join(f"{number:.12g}" for number in BLOCK.ravel())
    collada = f"""<COLLADA><asset><up_axis>Z_UP</up_axis></asset><library_effects><effect id="e"><profile_COMMON>
    <technique><phong><diffuse><color>0.2 0.4 0.6 1</color></diffuse></phong></technique></profile_COMMON></effect>
    </library_effects><library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
    <library_geometries><geometry id="g">
    <mesh><source id="p"><float_array>{numbers}</float_array></source><vertices id="v"><input semantic="POSITION"
    source="#p"/></vertices><triangles material="x"><input semantic="VERTEX" source="#v"/><p>0 1 2 3 4 5</p></triangles>
    </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>
    <instance_geometry url="#g"><bind_material>
    <technique_common><instance_material symbol="x" target="#m"/></technique_common></bind_material>
    </instance_geometry></node></visual_scene></library_visual_scenes>
    <scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
    (tmp_path / "a.dae").write_text(collada)
    text = URDF.format(bar=BAR, file="a.dae")
    painted, _ = visuals_of(tmp_path, "r.urdf", text)["foot"]
    assert painted.color == (0.0, 0.0, 1.0)
    plain, _ = visuals_of(tmp_path, "r.urdf", re.sub(r"<material.*?</material>|<material[^>]*/>", "", text))["foot"]
    assert plain.color == (0.2, 0.4, 0.6)


def test_an_mjcf_model_is_drawn_with_what_is_only_seen_else_with_all_that_collides(tmp_path: Path) -> None:
    visuals = visuals_of(tmp_path, "r.mjcf", MJCF)
    (mesh,) = visuals["foot"]
    assert (mesh.shape, mesh.color) == ("mesh", (1.0, 0.0, 0.0))
    np.testing.assert_allclose(box(mesh, (0.0, 0.0, 0.0)), [[0.3, 0.0, 1.1], [0.4, 0.2, 1.5]], atol=1e-6)
    assert sorted((visual.shape, visual.size) for visual in visuals["ring"]) == [
        ("box", (0.2, 0.2, 0.6)),
        ("capsule", (0.2, 0.2, 0.6)),
    ]
    assert [(visual.shape, visual.size) for visual in visuals["plain"]] == [("sphere", (0.2, 0.2, 0.2))]


def test_an_sdf_model_is_drawn_with_its_visuals(tmp_path: Path) -> None:
    (mesh,) = visuals_of(tmp_path, "r.sdf", SDF)["foot"]
    assert (mesh.shape, mesh.color) == ("mesh", (0.0, 1.0, 0.0))
    np.testing.assert_allclose(box(mesh, (0.0, 0.0, 0.2)), [[0.3, 0.0, 1.3], [0.4, 0.2, 1.7]], atol=1e-6)
    said = [problem.text for problem in check(tmp_path / "r.sdf")]
    (plane,) = said
    assert plane.startswith("this <visual> is left out: <plane> is no shape that is read: box, capsule, cylinder")


def test_looks_change_nothing_of_how_a_model_moves(tmp_path: Path) -> None:
    hashes = []
    for tag in ("visual>", "nothing>"):
        write(tmp_path, "r.urdf", URDF.format(bar=BAR, file="block.stl").replace("visual>", tag))
        simulation = Simulation(load(tmp_path / "run.scenario"))
        for _ in range(20):
            simulation.tick()
        hashes.append(simulation.engine.poses.tobytes())
    assert hashes[0] == hashes[1]


def test_viewers_and_recordings_are_told_of_meshes(tmp_path: Path) -> None:
    write(tmp_path, "r.urdf", URDF.format(bar=BAR, file="block.stl"))
    row = Simulation(load(tmp_path / "run.scenario")).layout.entity["a"]
    assert [Path(visual.mesh).name for visual in row.visuals if visual.mesh] == ["block.stl"]
    # seen from above it is a triangle, twice as large and turned; its box would have four corners
    _, mesh = marks_of(row, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0), "foot")
    np.testing.assert_allclose(sorted(mesh.points), [(-0.4, 0.6), (0.0, 0.6), (0.0, 0.8)], atol=1e-6)


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("bad.stl", b"hello", "bad.stl:1:1: expected an STL or OBJ file"),
        ("bad.stl", stl_of(BLOCK)[:-7], "bad.stl:1:1: expected an STL or OBJ file"),
        ("bad.stl", stl_of(BLOCK * np.nan), "no mesh: expected triangles with finite corners"),
        ("bad.obj", b"v 0 0 0\nf 1 2 9\n", "bad.obj:2:1: expected one of the 1 points above, found '2'"),
        ("bad.dae", b"<!DOCTYPE r [<!ENTITY a 'aa'>]><COLLADA/>", "no document type and no entities"),
    ],
)
def test_a_mesh_that_cannot_be_shown_is_refused_with_both_places(
    tmp_path: Path, file: str, content: bytes, said: str
) -> None:
    (tmp_path / file).write_bytes(content)
    with pytest.raises(BadFile) as refused:
        visuals_of(tmp_path, "r.urdf", URDF.format(bar=BAR, file=file))
    assert "r.urdf:4:15: the mesh" in str(refused.value)
    assert said in str(refused.value)


def test_more_shapes_than_a_robot_may_have_are_said(tmp_path: Path) -> None:
    visual = "<visual><geometry><sphere radius='.01'/></geometry></visual>"
    text = URDF.format(bar=BAR + visual * MOST_VISUALS, file="block.stl")
    write(tmp_path, "r.urdf", text)
    said = [problem.text for problem in check(tmp_path / "r.urdf")]
    assert said == [
        f"the body {name!r} is drawn as it collides: a robot has at most {MOST_VISUALS} visuals and links"
        for name in ("foot", "arm")
    ]
    Simulation(load(tmp_path / "run.scenario"))


def test_a_mesh_inside_the_model_is_drawn_as_its_box_and_said(tmp_path: Path) -> None:
    text = MJCF.replace('file="block.stl"', 'vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"')
    (visual,) = visuals_of(tmp_path, "r.mjcf", text)["foot"]
    assert (visual.shape, visual.mesh) == ("box", "")
    said = [problem.text for problem in check(tmp_path / "r.mjcf")]
    assert said[0].startswith("a mesh that stands in the model itself is not shown, its box is")


@pytest.mark.parametrize(("name", "text"), [("r.urdf", URDF.format(bar=BAR, file="many.stl")), ("r.sdf", SDF)])
def test_a_mesh_with_too_many_triangles_for_mujoco_is_drawn_all_the_same(tmp_path: Path, name: str, text: str) -> None:
    around = np.linspace(0.0, 2.0 * np.pi, 200_002)
    ring = np.column_stack([np.cos(around), np.sin(around), np.zeros(around.size)])
    (tmp_path / "many.stl").write_bytes(stl_of(np.stack([ring[:-1], ring[1:], np.full_like(ring[1:], 0.5)], axis=1)))
    visuals = visuals_of(tmp_path, name, text.replace("block.stl", "many.stl"))
    assert [Path(visual.mesh).name for visual in visuals["foot"] if visual.mesh] == ["many.stl"]
    said = [problem.text for problem in check(tmp_path / name)]
    assert not any("looks cannot be read" in text for text in said)
