import math
from pathlib import Path

import pytest

from coopsim.errors import BadFile
from coopsim.features.others.worlds.command import read_plan
from coopsim.features.others.worlds.plan import WorldPlan


def plan_of(tmp_path: Path, arena: str, more: str = "") -> WorldPlan:
    """Return what an experiment with this arena describes."""
    file = tmp_path / "given.argos"
    text = f'<argos-configuration>\n{more}<arena size="4,4,1" center="1,0,0">\n{arena}</arena></argos-configuration>'
    file.write_text(text, encoding="utf-8")
    return read_plan(file)


def test_boxes_and_cylinders_are_objects_and_movable_ones_have_a_mass(tmp_path: Path) -> None:
    body = '<body position="1,2,0" orientation="30,0,0"/>'
    box = f'<box id="b" size="1,2,0.5" movable="false">{body}</box>'
    post = f'<cylinder id="c" radius="0.2" height="0.4" mass="3" movable="true">{body}</cylinder>'
    plan = plan_of(tmp_path, box + post)
    assert (plan.size, plan.middle) == ((4.0, 4.0), (1.0, 0.0))
    assert [(solid.kind, solid.size, solid.pose, solid.mass) for solid in plan.solids] == [
        ("box", (1.0, 2.0, 0.5), (1.0, 2.0, 30.0), 0.0),
        ("cylinder", (0.4, 0.4, 0.4), (1.0, 2.0, 30.0), 3.0),
    ]


def test_distributed_robots_stand_apart_from_each_other_and_from_boxes(tmp_path: Path) -> None:
    wall = '<box id="w" size="4,0.2,0.5" movable="false"><body position="0,0,0" orientation="0,0,0"/></box>'
    spread = '<position method="uniform" min="-1,-1,0" max="1,1,0"/><orientation method="gaussian" std_dev="90,0,0"/>'
    robots = f'<distribute>{spread}<entity quantity="25"><foot-bot id="fb"/></entity></distribute>'
    plan = plan_of(tmp_path, wall + robots)
    places = [robot.pose for robot in plan.robots]
    assert len({robot.name for robot in plan.robots}) == len(places) == 25
    assert min(math.dist(a[:2], b[:2]) for k, a in enumerate(places) for b in places[:k]) > 0.17
    assert min(abs(y) for _, y, _ in places) > 0.1 + 0.085
    assert len({turn for _, _, turn in places}) == 25


def test_the_same_seed_draws_the_same_places(tmp_path: Path) -> None:
    spread = '<position method="uniform" min="-1,-1,0" max="1,1,0"/>'
    robots = f'<distribute>{spread}<entity quantity="3"><e-puck id="e"/></entity></distribute>'
    seeds = [f'<framework><experiment length="10" random_seed="{seed}"/></framework>\n' for seed in (1, 1, 2)]
    first, again, other = (plan_of(tmp_path, robots, seed) for seed in seeds)
    assert first.robots == again.robots != other.robots
    assert (first.duration, first.seed) == (10.0, 1)


def test_a_grid_is_laid_around_its_centre(tmp_path: Path) -> None:
    grid = '<position method="grid" center="0,0,0" distances="1,0.5,1" layout="2,2,1"/>'
    plan = plan_of(tmp_path, f'<distribute>{grid}<entity quantity="4"><kheperaiv id="k"/></entity></distribute>')
    assert [robot.pose[:2] for robot in plan.robots] == [(-0.5, -0.25), (0.5, -0.25), (-0.5, 0.25), (0.5, 0.25)]


def test_where_there_is_no_room_entities_are_left_out_and_said(tmp_path: Path) -> None:
    spot = '<position method="constant" values="0,0,0"/>'
    plan = plan_of(tmp_path, f'<distribute>{spot}<entity quantity="2"><foot-bot id="fb"/></entity></distribute>')
    assert len(plan.robots) == 1
    assert any(loss.key == "fb1" and "places were taken" in loss.reason for loss in plan.losses)


def test_controllers_media_and_unknown_elements_are_said_with_their_lines(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "<light id='l'/>\n", "<controllers>\n<mine id='m'/></controllers>\n<media/>\n")
    assert [(loss.place.rpartition(":")[2], loss.key) for loss in plan.losses] == [
        ("3", "mine"),
        ("4", "media"),
        ("6", "light"),
    ]


@pytest.mark.parametrize(
    ("arena", "complaint"),
    [
        ("<box id='b' size='1,1'/>", r"given.argos:3: size of <box>: expected 3 numbers, got '1,1'"),
        ("<box id='b' size='0,1,1'/>", r"given.argos:3: <box>: expected sizes of more than 0"),
        ("<cylinder id='c' radius='x'/>", r"radius of <cylinder>: expected 1 numbers, got 'x'"),
        ("<distribute><entity quantity='99999'><foot-bot/></entity></distribute>", r"quantity: expected 0 to 10000"),
        ("<box", r"given.argos:\d+:\d+: no complete XML"),
    ],
)
def test_mistakes_are_located(tmp_path: Path, arena: str, complaint: str) -> None:
    with pytest.raises(BadFile, match=complaint):
        plan_of(tmp_path, arena)


def test_another_document_is_refused(tmp_path: Path) -> None:
    (tmp_path / "given.argos").write_text("<svg/>", encoding="utf-8")
    with pytest.raises(BadFile, match="expected <argos-configuration>"):
        read_plan(tmp_path / "given.argos")
