"""Names in a picture: beside what they name, never over a robot, a target or another name."""

from typing import Any

import numpy as np
import pytest
from test_viewer_model import looking, row

from coopsim.features.desktop import labels
from coopsim.features.desktop.label_room import places, silhouettes
from coopsim.features.desktop.labels import NameChoice
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.ui.overlay import _axes_box
from coopsim.state import Visual

SIZE = (70.0, 20.0)
Box = tuple[float, float, float, float]


def overlap(first: Box, second: Box) -> bool:
    return first[0] < second[2] and first[2] > second[0] and first[1] < second[3] and first[3] > second[1]


def crowd(count: int = 40) -> SceneModel:
    """Return robots with a little room between them."""
    rng = np.random.default_rng(3)
    return SceneModel(
        [row(f"r{n}", "robot", at=(4.0 * (n % 7), 4.0 * (n // 7) + rng.uniform(-0.3, 0.3), 0.0)) for n in range(count)]
    )


@pytest.mark.parametrize("view", ["iso", "top", "front", "side"])
def test_no_name_lies_over_a_robot_or_another_name_from_any_side(view: str) -> None:
    model = crowd()
    camera = looking(model)
    camera.turn_to(view)
    named = NameChoice(60).label_boxes(model, camera, (), lambda _: SIZE)
    hulls = [tuple(box) for box in silhouettes(model, camera, np.arange(40)).tolist()]
    assert len(named) > 5
    for number, (_, box) in enumerate(named):
        assert not any(overlap(box, hull) for hull in hulls)  # type: ignore[arg-type]
        assert not any(overlap(box, earlier) for _, earlier in named[:number])
        assert min(box) >= 0.0
        assert (box[2], box[3]) <= camera.size


def test_a_name_stands_above_its_own_and_elsewhere_where_something_is_there() -> None:
    alone = np.array([[100.0, 100.0, 150.0, 140.0]])
    assert places(alone, [SIZE], (800.0, 600.0)) == [0]
    above = np.array([[90.0, 145.0, 160.0, 180.0]])
    assert places(np.vstack([alone, above]), [SIZE], (800.0, 600.0)) == [1]
    assert places(np.vstack([alone, above]), [SIZE], (175.0, 600.0)) == [2]
    assert places(alone, [SIZE], (60.0, 60.0)) == [None]
    assert places(np.zeros((0, 4)), [], (60.0, 60.0)) == []


def test_room_is_sought_again_only_where_something_moved_or_the_view_or_a_name_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, choice, sought = crowd(12), NameChoice(60), list[int]()
    camera, seek = looking(model), labels.label_boxes

    def counted(model: SceneModel, *arguments: Any) -> Any:
        sought.append(len(model.entities))
        return seek(model, *arguments)

    monkeypatch.setattr(labels, "label_boxes", counted)
    first = choice.label_boxes(model, camera, (), lambda _: SIZE)
    assert choice.label_boxes(model, camera, (), lambda _: SIZE) == first
    assert len(sought) == 1
    model.entity_poses[3, 0] += 0.01
    assert choice.label_boxes(model, camera, (), lambda _: SIZE) != first
    assert choice.label_boxes(model, camera, (), lambda _: (90.0, 20.0)) != first
    camera.turn_to("top")
    assert choice.label_boxes(model, camera, (), lambda _: SIZE) != first
    assert len(sought) == 4


def arm() -> SceneModel:
    """Return an arm beside a robot: a base of 0.2 m, and a link that moves by itself."""
    link = Visual("box", size=(0.1, 0.1, 1.0), body="forearm")
    rows = [
        row("a", "robot", size=(0.2, 0.2, 0.2), visuals=(Visual("box"), link), body=0),
        row("b", "robot", at=(3.0, 0.0, 0.0), body=2),
    ]
    model = SceneModel(rows, ["a", "a.forearm", "b"])
    model.set_poses(np.array([row.pose for row in (rows[0], rows[0], rows[1])]))
    return model


def test_the_name_of_an_arm_keeps_off_its_links_and_goes_with_them() -> None:
    model, choice = arm(), NameChoice(60)
    camera = looking(model)
    camera.turn_to("front")
    camera.fit(model.corners())

    def above() -> float:
        boxes = dict(choice.label_boxes(model, camera, (), lambda _: (30.0, 12.0)))
        return boxes["a"][1] - float(camera.project(np.array([[0.0, 0.0, 1.0]]))[0][0, 1])

    assert 0.0 < above() < 12.0
    lying = np.array([0.0, 0.0, 0.2, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])  # along x
    model.set_poses(np.array([model.entity_poses[0], lying, model.entity_poses[1]]))
    assert above() < -30.0
    left, _, right, _ = silhouettes(model, camera, np.array([0]))[0]
    tip = float(camera.project(np.array([[1.0, 0.0, 0.2]]))[0][0, 0])
    assert abs(right - tip) < 3.0 < tip - left
    assert model.limbs.tolist() == [1]


def test_what_is_nearest_chooses_first() -> None:
    both = np.array([[100.0, 100.0, 150.0, 140.0], [105.0, 95.0, 155.0, 140.0]])
    far, near = places(both, [SIZE, SIZE], (800.0, 600.0))
    assert near == 0
    assert far not in {None, 0}


def test_of_very_many_each_has_its_name_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    model = crowd()
    camera = looking(model)
    monkeypatch.setattr(labels, "_MOST_AVOIDED", 39)
    named = NameChoice(60).label_boxes(model, camera, (), lambda _: SIZE)
    assert len(named) == 40
    order = [int(name[1:]) for name, _ in named]
    boxes = silhouettes(model, camera, np.array(order))
    assert [box[1] for _, box in named] == pytest.approx((boxes[:, 3] + 6.0).tolist())


@pytest.mark.parametrize("most_avoided", [200, 0])
def test_no_name_lies_where_something_else_is_drawn(most_avoided: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = crowd()
    camera = looking(model)
    camera.turn_to("top")
    monkeypatch.setattr(labels, "_MOST_AVOIDED", most_avoided)
    free = dict(NameChoice(60).label_boxes(model, camera, (), lambda _: SIZE))
    name, (left, low, right, high) = next(iter(free.items()))
    reserved = (left - 5.0, low - 5.0, right + 5.0, high + 5.0)
    choice = NameChoice(60)
    assert dict(choice.label_boxes(model, camera, (), lambda _: SIZE)) == free
    placed = dict(choice.label_boxes(model, camera, (), lambda _: SIZE, (reserved,)))
    assert name in free
    assert not any(overlap(box, reserved) for box in placed.values())
    assert len(placed) > len(free) // 2


def test_the_axes_take_the_upper_right_corner_of_the_picture() -> None:
    assert _axes_box((800.0, 600.0), 1.0) == (718.0, 518.0, 790.0, 590.0)
    assert _axes_box((1600.0, 1200.0), 2.0) == (1436.0, 1036.0, 1580.0, 1180.0), "pixels, not units of the window"
