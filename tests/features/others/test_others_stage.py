from pathlib import Path

import pytest
from PIL import Image

from coopsim.errors import BadFile
from coopsim.features.others.worlds.command import read_plan
from coopsim.features.others.worlds.plan import CAR, DIFFERENTIAL, OMNI, WorldPlan


def plan_of(tmp_path: Path, text: str) -> WorldPlan:
    """Return what a file of this text describes."""
    file = tmp_path / "given.world"
    file.write_text(text, encoding="utf-8")
    return read_plan(file)


def test_macros_are_filled_in_and_what_stands_below_them_wins(tmp_path: Path) -> None:
    text = """
define base position( size [0.4 0.3 0.2] color "red" )
define cart base( mass 7 )
cart( name "a" pose [1 2 0 90] color "blue" )
"""
    plan = plan_of(tmp_path, text)
    assert (plan.robots[0].name, plan.robots[0].pose, plan.robots[0].color) == ("a", (1.0, 2.0, 90.0), "blue")
    assert (plan.kinds[0].size, plan.kinds[0].mass) == ((0.4, 0.3, 0.2), 7.0)


def test_an_included_file_is_found_beside_or_above(tmp_path: Path) -> None:
    (tmp_path / "cart.inc").write_text("define cart position( size [0.4 0.3 0.2] )", encoding="utf-8")
    below = tmp_path / "below"
    below.mkdir()
    for folder in (tmp_path, below):
        assert plan_of(folder, 'include "cart.inc"\ncart( name "a" )').robots[0].name == "a"


@pytest.mark.parametrize(("word", "drive"), [("diff", DIFFERENTIAL), ("omni", OMNI), ("car", CAR)])
def test_drives_are_those_of_stage(tmp_path: Path, word: str, drive: str) -> None:
    plan = plan_of(tmp_path, f'position( drive "{word}" velocity_bounds [-1 1 -1 1 0 0 -60 60] )')
    assert plan.kinds[0].drive == drive
    assert float(dict(plan.kinds[0].settings)["max_speed"]) >= 1.0


def test_rangers_are_lasers_or_rings_of_sonars(tmp_path: Path) -> None:
    ring = "".join(f"sensor( pose [0 0 0 {angle}] range [0 3] ) " for angle in (-90, -30, 30, 90))
    laser = "ranger( sensor( range [0.1 8] fov 270 samples 300 ) pose [0.1 0 0 10] )"
    plan = plan_of(tmp_path, f"position( ranger( {ring}) {laser} )")
    _, sonars, scanner = plan.kinds[0].devices
    assert dict(sonars.settings) == {"count": "4", "sector": "180", "reach": "3"}
    assert dict(scanner.settings) == {
        "count": "300", "sector": "270", "reach": "8", "nearest": "0.1", "x": "0.1", "yaw": "10",
    }  # fmt: skip


def test_a_floor_plan_has_the_size_that_stage_gives_it(tmp_path: Path) -> None:
    Image.new("L", (40, 20), 255).save(tmp_path / "plan.png")
    plan = plan_of(tmp_path, 'model( bitmap "plan.png" size [8 4 0.6] pose [1 0 0 0] boundary 1 )')
    (floor_plan,) = plan.floor_plans
    assert (floor_plan.resolution, floor_plan.corner, floor_plan.height) == (0.2, (-3.0, -2.0), 0.6)
    assert plan.solids[0].closed
    assert plan.size == pytest.approx((9.0, 5.0))


def test_models_on_models_stand_in_their_frame(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "model( pose [1 0 0 90] size [1 1 1] model( pose [2 0 0 0] size [0.5 0.5 1] ) )")
    assert plan.solids[1].pose == pytest.approx((1.0, 2.0, 90.0))


def test_robots_that_wander_share_a_law_and_other_controllers_are_said(tmp_path: Path) -> None:
    plan = plan_of(
        tmp_path, 'position( name "a" ctrl "wander" )\nposition( name "b" ctrl "wander" )\nposition( ctrl "mine x" )'
    )
    assert [(use.law, use.robots) for use in plan.laws] == [("wander", ("a", "b"))]
    assert any(loss.place.endswith(":3") and loss.key == "ctrl mine" for loss in plan.losses)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("position( pose [1 2", r"given.world:1: the file ends in the midst of something"),
        ("\n)", r"given.world:2: expected a key or a model, got '\)'"),
        ('model( name "open )', r"given.world:1: a text has no end"),
        ("position( pose [a b c] )", r"given.world:1: pose: expected numbers"),
        ("define x\n(", r"given.world:2: the file ends|given.world:2: expected \( after"),
        ('include "nowhere.inc"', r"given.world:1: nowhere.inc cannot be read"),
        ('include "given.world"', r"given.world:1: given.world includes itself"),
        ("m(" * 60, r"more than 32 models in each other"),
    ],
)
def test_mistakes_are_located(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(BadFile, match=complaint):
        plan_of(tmp_path, text)


def test_macros_that_grow_without_end_are_refused(tmp_path: Path) -> None:
    text = "define m0 model( )\n" + "".join(
        f"define m{k} model( {' '.join([f'm{k - 1}( )'] * 9)} )\n" for k in range(1, 9)
    )
    with pytest.raises(BadFile, match="more than 50000 models"):
        plan_of(tmp_path, text + "m8( )")


def test_blocks_are_polygons_that_fill_the_box_of_their_model(tmp_path: Path) -> None:
    corner = "block( points 4 point[0] [0 0] point[1] [10 0] point[2] [10 5] point[3] [0 5] z [0 1] )"
    tower = "block( points 3 point[0] [0 5] point[1] [10 5] point[2] [0 10] z [1 2] )"
    plan = plan_of(tmp_path, f'model( name "desk" size [2 4 1] pose [1 1 0 90] {corner} {tower} )')
    desk, top = plan.solids
    assert [desk.kind, top.kind] == ["polygon", "polygon"]
    assert [desk.name, top.name] == ["desk", "desk_2"]
    assert desk.points[0] == pytest.approx((3.0, 0.0))
    assert desk.points[2] == pytest.approx((1.0, 2.0))
    assert (desk.size[2], desk.base, top.base) == (0.5, 0.0, 0.5)


def test_one_block_is_the_body_of_a_robot_and_several_are_the_box_around_them(tmp_path: Path) -> None:
    nose = "block( points 4 point[0] [4 0] point[1] [-4 3] point[2] [-2 0] point[3] [-4 -3] z [0 1] )"
    plan = plan_of(tmp_path, f"position( size [0.4 0.3 0.2] {nose} )")
    corners = (0.2, 0.0), (-0.2, 0.15), (-0.1, 0.0), (-0.2, -0.15)
    assert [point for corner in plan.kinds[0].points for point in corner] == pytest.approx(
        [point for corner in corners for point in corner]
    )
    assert not plan.losses
    several = plan_of(tmp_path, f"position( size [0.4 0.3 0.2] {nose} {nose} )")
    assert (several.kinds[0].points, [loss.key for loss in several.losses]) == ((), ["block"])


def test_a_block_that_is_no_polygon_is_said_and_its_box_stands(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "model( size [2 4 1] block( points 2 point[0] [0 0] point[1] [1 0] ) )")
    assert [solid.kind for solid in plan.solids] == ["box"]
    assert any("no simple polygons" in str(loss) for loss in plan.losses)


def test_a_model_stands_on_the_one_that_it_is_on_unless_that_says_no(tmp_path: Path) -> None:
    def bases(word: str) -> list[float]:
        inner = "model( size [1 1 0.3] pose [0 0 -0.1 0] model( size [1 1 0.2] ) )"
        plan = plan_of(tmp_path, f"model( size [2 2 0.5] pose [1 0 0.25 0] {word} {inner} )")
        return [round(solid.base, 9) for solid in plan.solids]

    assert bases("") == [0.25, 0.65, 0.95]
    assert bases("stack_children 0") == [0.25, 0.15, 0.45]


def test_of_several_pictures_the_largest_is_the_map_and_boxes_stand_for_the_others(tmp_path: Path) -> None:
    for name in ("plan.png", "can.png"):
        Image.new("L", (20, 20), 255).save(tmp_path / name)
    text = """model( name "can" bitmap "can.png" size [0.2 0.1 0.3] pose [1 2 0 30] color "red" )
model( name "hall" bitmap "plan.png" size [8 8 0.6] )
model( name "tin" bitmap "can.png" size [0.1 0.1 0.3] )
"""
    plan = plan_of(tmp_path, text)
    assert [Path(floor_plan.image).name for floor_plan in plan.floor_plans] == ["plan.png"]
    can, tin = plan.solids
    assert (can.name, can.kind, can.size, can.pose) == ("can", "box", (0.2, 0.1, 0.3), (1.0, 2.0, 30.0))
    assert tin.name == "tin"
    lines = [loss.place.rpartition(":")[2] for loss in plan.losses if loss.key == "bitmap"]
    assert sorted(lines) == ["1", "3"]
    # its box is turned, and as wide as it is there
    assert not [loss for loss in plan.losses if loss.key in {"size", "pose"}]


def test_a_map_that_is_turned_or_has_other_pixels_is_said(tmp_path: Path) -> None:
    Image.new("L", (20, 20), 255).save(tmp_path / "plan.png")
    plan = plan_of(tmp_path, 'model( name "hall" bitmap "plan.png" size [8 4 0.6] pose [0 0 0 90] )\n')
    assert {loss.key: loss.place.rpartition(":")[2] for loss in plan.losses} == {"size": "1", "pose": "1"}
    assert not plan.solids


def test_each_scanner_of_a_ranger_is_a_module_of_its_own(tmp_path: Path) -> None:
    scanners = "sensor( samples 90 fov 180 ) " * 3
    plan = plan_of(tmp_path, f"position( ranger( {scanners} ) ranger( {scanners} ) )")
    names = [device.name for device in plan.kinds[0].devices if device.kind == "laser"]
    assert names == ["laser", "laser_2", "laser_3", "laser_4", "laser_5", "laser_6"]
