"""From entities to rows of shapes."""

import math

import numpy as np
import pytest
from viewer_scenes import BLUE, GREEN, floor, looking, row

from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.labels import NameChoice, label_positions
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.picking import pick
from coopsim.features.desktop.poses import between, turned, within
from coopsim.features.desktop.shapes import polygon_mesh, prism_mesh
from coopsim.geometry import Pose, quaternion
from coopsim.geometry import turned as turned_one
from coopsim.geometry import within as within_one
from coopsim.state import Visual

TILTED: Pose = (1.0, 2.0, 3.0, *quaternion(0.1, 0.2, 0.3))
OTHER: Pose = (-0.5, 0.4, 0.2, *quaternion(-0.7, 0.1, 2.0))


def test_many_poses_are_chained_like_one() -> None:
    chained = within(np.array([TILTED, OTHER]), np.array([OTHER, TILTED]))
    assert chained[0] == pytest.approx(within_one(TILTED, OTHER))
    assert chained[1] == pytest.approx(within_one(OTHER, TILTED))


def test_between_two_poses_rotations_take_the_shorter_way() -> None:
    left, right = (0.0, 0.0, 0.0, *quaternion(0.0, 0.0, 3.0)), (2.0, 0.0, 0.0, *quaternion(0.0, 0.0, -3.0))
    (half,) = between(np.array([left]), np.array([right]), 0.5)
    assert half[0] == pytest.approx(1.0)
    assert abs(half[6]) == pytest.approx(1.0)


def test_shapes_move_with_the_bodies_that_they_sit_on() -> None:
    arm = Visual("box", (0.2, 0.2, 0.2), (0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), GREEN, body="arm")
    robot = row("robot1", "robot", visuals=(Visual("box"), arm), body=1)
    model = SceneModel([floor(), robot], ["box1", "robot1", "robot1.arm"])
    bodies = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (3, 1))
    bodies[1, 0], bodies[2, :2] = 4.0, (1.0, 2.0)
    model.set_poses(bodies)
    assert model.poses[1, :3] == pytest.approx((4.0, 0.0, 0.0))
    assert model.poses[2, :3] == pytest.approx((1.5, 2.0, 0.0))
    assert model.entity_poses[1, 0] == pytest.approx(4.0)


def test_what_has_no_body_stays_where_its_row_says() -> None:
    model = SceneModel([row(at=(1.0, 2.0, 0.0))], ["robot1"])
    model.set_poses(np.tile([9.0, 9.0, 0.0, 1.0, 0.0, 0.0, 0.0], (1, 1)))
    assert model.poses[0, :3] == pytest.approx((1.0, 2.0, 0.0))


def test_a_capsule_is_a_cylinder_between_two_spheres() -> None:
    model = SceneModel([row(shape="capsule", size=(0.4, 0.4, 1.0))])
    assert sorted(look.shape for look in model.looks for _ in model.looks[look]) == ["cylinder", "sphere", "sphere"]
    corners = model.corners()
    assert (corners[:, 2].min(), corners[:, 2].max()) == pytest.approx((0.0, 1.0))


def test_the_floor_counts_only_where_there_is_nothing_else() -> None:
    assert np.abs(SceneModel([floor(50.0), row()]).corners()).max() < 2.0
    assert np.abs(SceneModel([floor(50.0)]).corners()).max() == pytest.approx(25.0)


def test_what_is_outside_of_the_picture_is_not_sent_to_the_graphics_card() -> None:
    model = SceneModel([row(), row("far", at=(500.0, 0.0, 0.0))])
    camera = looking(SceneModel([row()]))
    rows = DrawList(model)
    rows.update()
    assert sum(len(instances) for _, _, instances in rows.visible(camera, 1.0)) == 1


def test_small_shapes_are_drawn_with_coarse_meshes() -> None:
    model = SceneModel([row(shape="sphere")])
    rows = DrawList(model)
    rows.update()
    levels = []
    for distance in (3.0, 10.0, 30.0, 200.0):
        camera = looking(model)
        camera.distance = distance
        levels += [level for _, level, instances in rows.visible(camera, 1.0) if len(instances)]
    assert levels == [0, 1, 2, 3]


def test_hidden_entities_are_not_drawn_and_selected_ones_are_outlined_but_floors_shine() -> None:
    model = SceneModel([floor(), row("a", color=BLUE), row("b")])
    rows = DrawList(model)
    assert not list(rows.selected())
    rows.mark(frozenset({"a", "b", "floor"}), frozenset({"b"}))
    rows.update()
    drawn = np.concatenate([instances for _, _, instances in rows.visible(looking(model), 1.0)])
    assert sorted(drawn["i_mark"].tolist()) == [0.0, 3.0]
    ((_, outlined),) = rows.selected()
    assert outlined["i_color"][0].tolist()[:3] == [0, 0, 255]
    assert not any(len(instances) and math.isclose(instances["i_color"][0][0], 255) for _, instances in rows.casters())


def test_what_is_drawn_is_chosen_anew_when_the_camera_or_things_have_moved_and_not_before() -> None:
    model = SceneModel([row(), row("far", at=(500.0, 0.0, 0.0))])
    camera = looking(SceneModel([row()]))
    rows = DrawList(model, slack=0.5)

    def seen() -> float:
        rows.update()
        return sum(len(instances) for _, _, instances in rows.visible(camera, 1.0))

    assert seen() == 1
    model.poses[:, 0] += 0.2
    assert seen() == 1
    assert next(instances for *_, instances in rows.visible(camera, 1.0))["i_position"][0, 0] == pytest.approx(0.2)
    model.put(np.array([1]), model.poses[:1])
    assert seen() == 2
    rows.mark(frozenset(), frozenset({"far"}))
    assert seen() == 1
    camera.centre = camera.centre + 300.0
    assert seen() == 0


def test_of_many_names_each_part_of_the_picture_has_the_nearest_and_what_is_selected_has_its_own() -> None:
    model = SceneModel([row(f"r{number}", "robot", at=(0.02 * number, 0.0, 0.0)) for number in range(200)])
    camera = looking(model)
    choice = NameChoice(20)
    everything, few = label_positions(model, camera), choice.label_positions(model, camera)
    assert len(everything) == 200
    assert 2 <= len(few) <= 20
    parts = {(int(x // 90), int(y // 40)) for _, x, y in few}
    assert len(parts) == len(few)
    hidden = next(name for name, *_ in everything if name not in {label[0] for label in few})
    assert hidden in {name for name, *_ in choice.label_positions(model, camera, (hidden,))}
    assert choice.label_positions(model, camera) == few
    model.entity_poses[:, 0] += 0.1
    assert [name for name, *_ in choice.label_positions(model, camera)] == [name for name, *_ in few]


def test_an_area_is_a_flat_polygon_that_no_click_meets() -> None:
    corners = (-2.0, -1.0, 2.0, -1.0, 0.0, 1.0)
    looks = (Visual("polygon", points=corners),)
    area = row("pond", "area", "water", at=(5.0, 0.0, 0.0), size=(4.0, 2.0, 0.01), visuals=looks)
    model = SceneModel([floor(), area])
    look = next(look for look in model.looks if look.points)
    assert look.points == (-0.5, -0.5, 0.5, -0.5, 0.0, 0.5)
    mesh = polygon_mesh(look.points)
    assert mesh.triangles.tolist() == [[0, 1, 2]]
    assert set(mesh.vertices["position"][:, 2]) == {1.0}
    assert look not in [caster for caster, _ in DrawList(model).casters()]
    hit = pick(model, np.array([5.0, 0.0, 9.0]), np.array([0.0, 0.0, -1.0]))
    assert hit is not None
    assert hit.name == "floor"


def test_one_rotation_turns_many_vectors() -> None:
    turn = np.array([TILTED[3:]])
    vectors = turned(turn, np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]]))
    assert vectors[0] == pytest.approx(turned_one(TILTED[3:], (1.0, 2.0, 3.0)))
    assert vectors[1] == pytest.approx(turned_one(TILTED[3:], (-1.0, 0.5, 0.0)))


@pytest.mark.parametrize("corners", [(-2.0, -1.0, 2.0, -1.0, 0.0, 1.0), (0.0, 1.0, 2.0, -1.0, -2.0, -1.0)])
def test_an_object_that_is_a_polygon_has_sides_which_look_outwards(corners: tuple[float, ...]) -> None:
    looks = (Visual("polygon", points=corners),)
    wedge = row("wedge", "object", "polygon", at=(5.0, 0.0, 0.0), size=(4.0, 2.0, 0.5), visuals=looks)
    model = SceneModel([floor(), wedge])
    look = next(look for look in model.looks if look.points)
    mesh = prism_mesh(look.points)
    a, b, c = (mesh.vertices["position"][mesh.triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    assert len(mesh.triangles) == 1 + 2 * 3
    assert (np.einsum("ij,ij->i", facing, mesh.vertices["normal"][mesh.triangles[:, 0]]) > 0.0).all()
    # counter-clockwise seen from outside: away from the middle
    assert (np.einsum("ij,ij->i", facing, (a + b + c) / 3.0 - (0.0, -0.17, 0.4)) > 0.0).all()
    assert look in [caster for caster, _ in DrawList(model).casters()]
    hit = pick(model, np.array([5.0, 0.0, 9.0]), np.array([0.0, 0.0, -1.0]))
    assert hit is not None
    assert hit.name == "wedge"
