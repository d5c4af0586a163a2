"""Cloths, soft bodies and springs as one sees them (SwarmSimX, S-75)."""

from itertools import product

import numpy as np
import pytest
from viewer_scenes import BLUE, GREEN, floor, looking, patch_at, row

from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.springs import coil, spring_ribbons
from coopsim.features.desktop.surfaces import skins
from coopsim.geometry import Floats
from coopsim.state import EntityRow, JointRow

WIDE = 0.1


def node(name: str, cell: tuple[int, ...], at: tuple[float, float, float], body: int = -1) -> EntityRow:
    size = (WIDE, WIDE, WIDE)
    return row(name, shape="sphere", at=at, size=size, color=GREEN, whole=name[0], cell=cell, body=body)


def sheet(columns: int = 3, rows: int = 3) -> list[EntityRow]:
    cells = list(product(range(1, columns + 1), range(1, rows + 1)))
    return [node(f"s_{i}_{j}", (i, j), (i - 2.0, j - 2.0, 1.0), place) for place, (i, j) in enumerate(cells)]


def block() -> list[EntityRow]:
    cells = product(range(1, 4), repeat=3)
    return [node(f"b_{i}_{j}_{k}", (i, j, k), (float(i), float(j), float(k))) for i, j, k in cells]


def volume(vertices: Floats, triangles: Floats) -> float:
    """Return what a closed surface holds, above 0 where its sides look outwards."""
    return float(np.linalg.det(vertices[triangles]).sum() / 6.0)


def test_the_skin_of_a_cloth_is_closed_and_as_thick_as_its_nodes() -> None:
    entities = [floor(), *sheet()]
    (skin,) = skins(entities)
    mesh = skin.mesh(SceneModel(entities).entity_poses)
    assert volume(mesh.vertices["position"].astype(float), mesh.triangles) == pytest.approx(2 * 2 * WIDE, rel=1e-6)
    heights = mesh.vertices["position"][:, 2]
    assert (heights.min(), heights.max()) == (pytest.approx(1.0), pytest.approx(1.0 + WIDE))
    ways = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    # each edge lies between two triangles that go along it in opposite directions
    assert sorted(map(tuple, ways.tolist())) == sorted((b, a) for a, b in ways.tolist())
    assert len(set(map(tuple, ways.tolist()))) == len(ways)


def test_the_skin_of_a_soft_body_is_its_outer_nodes() -> None:
    entities = block()
    (skin,) = skins(entities)
    assert len(skin.entities) == 26
    mesh = skin.mesh(SceneModel(entities).entity_poses)
    assert volume(mesh.vertices["position"].astype(float), mesh.triangles) > 8.0
    assert mesh.vertices["position"].min() == pytest.approx(1.0 - WIDE / 2, abs=WIDE)


def test_what_has_too_few_nodes_left_has_no_skin_and_its_nodes_are_drawn() -> None:
    entities = [node for node in sheet(2, 2) if node.name != "s_1_1"]
    assert skins(entities) == ()
    assert not SceneModel(entities).is_covered.any()
    assert skins([floor(), row()]) == ()


def test_nodes_under_a_skin_are_not_drawn_and_it_can_be_hidden_and_marked() -> None:
    model = SceneModel([floor(), row(), *sheet()])
    rows = DrawList(model)
    (skin,) = model.skins
    drawn = {look.shape: len(instances) for look, instances in rows.casters()}
    assert drawn["sphere"] == 0
    assert (rows.shows(skin), rows.mark_of(skin)) == (True, 0.0)
    rows.mark(frozenset({"s_2_2"}), frozenset({"s_1_1"}))
    assert (rows.shows(skin), rows.mark_of(skin)) == (True, 1.0)
    rows.mark(frozenset(), frozenset(node.name for node in sheet()))
    assert not rows.shows(skin)


def test_a_cloth_is_seen_where_it_went(offscreen: Offscreen) -> None:
    entities = [floor(), *sheet()]
    model = SceneModel(entities, [entity.name for entity in entities[1:]])
    camera = looking(SceneModel([floor()]), "top")
    between = (0.5, -0.4, 1.0 + WIDE)  # no node is there
    green = patch_at(offscreen.picture(model, camera), camera, between)
    assert green[1] > 1.5 * max(green[0], green[2])
    poses = np.array([entity.pose for entity in entities[1:]])
    poses[:, 0] += 3.0
    model.set_poses(poses)
    picture = offscreen.picture(model, camera)
    assert np.ptp(patch_at(picture, camera, between)) < 60
    patch = patch_at(picture, camera, (3.5, -0.4, 1.0 + WIDE))
    assert patch[1] > 1.5 * max(patch[0], patch[2])


def test_a_spring_is_a_coil_between_its_two_ends(offscreen: Offscreen) -> None:
    line = coil(np.array([1.0, 0.0, 2.0]), np.array([1.0, 3.0, 2.0]))
    np.testing.assert_allclose(line[[0, -1]], [(1.0, 0.0, 2.0), (1.0, 3.0, 2.0)])
    assert np.hypot(line[:, 0] - 1.0, line[:, 2] - 2.0).max() == pytest.approx(0.05)
    assert np.isfinite(coil(np.zeros(3), np.zeros(3))).all()

    spring = JointRow("coil", "spring", "post", "sled", (0.5, 0.0, 0.3), (0.0, 0.0, 0.2))
    turned = (0.0, 0.0, 0.0, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    poses = {"post": np.array(turned), "sled": np.array([0.0, 3.0, 0.0, 1.0, 0.0, 0.0, 0.0])}
    ribbons = spring_ribbons([spring, JointRow("weld", "weld", "post", "sled")], poses)
    np.testing.assert_allclose(ribbons["r_begin"][0], (0.0, 0.5, 0.3), atol=1e-6)
    np.testing.assert_allclose(ribbons["r_end"][-1], (0.0, 3.0, 0.2), atol=1e-6)
    assert len(spring_ribbons([spring], {"post": poses["post"]})) == 0

    entities = [floor(), row("post", at=(-2.0, 0.0, 0.0), color=BLUE), row("sled", at=(2.0, 0.0, 0.0), body=0)]
    between = JointRow("coil", "spring", "post", "sled", (0.5, 0.0, 0.5), (-0.5, 0.0, 0.5))
    camera = looking(SceneModel([floor()]), "top")
    pictures = []
    for joints in ((), (between,)):
        model = SceneModel(entities, ["sled"], joints)
        model.set_poses(np.array([[2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))
        pictures.append(offscreen.picture(model, camera).astype(float))
    rows, columns = np.nonzero(np.abs(pictures[1] - pictures[0]).sum(axis=2) > 60.0)
    assert np.ptp(columns) > 8 * np.ptp(rows) > 0
