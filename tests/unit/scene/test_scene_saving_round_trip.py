"""Read, change, write, read: what is read is what was meant, and every line that did not change is what it was."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scene_pages import (
    Row,
    changed_object,
    changed_robot,
    lines_of,
    moved_target,
    new_object,
    scenario_rows,
    world_rows,
)

from coopsim.scene import Object, RobotPlacement, TargetSpec, read_scenario, read_world, scenario_text, world_text

HERE = Path()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scratch")


def text_of(rows: Sequence[Row]) -> str:
    return "".join(row.raw for row in rows)


def edited(data: st.DataObject, old: Sequence[Any], change: Any) -> list[Any]:
    """Remove some, change some."""
    entities = []
    for entity in old:
        fate = data.draw(st.sampled_from(["stay", "stay", "change", "go"]))
        if fate != "go":
            entities.append(data.draw(change(entity)) if fate == "change" else entity)
    return entities


def check_lines(rows: Sequence[Row], text: str, before: Iterable[Any], after: Iterable[Any]) -> None:
    """See to it that the lines of whoever stays, but those of changed keys, are there in order, untouched."""
    old, new = {entity.name: entity for entity in before}, {entity.name: entity for entity in after}
    lines = lines_of(text)
    at = 0
    for row in rows:
        entity = new.get(row.owner)
        if row.is_blank or (row.owner in old and entity is None):
            continue
        if row.owner in old and row.key and _differs(old[row.owner], entity, row.key):
            continue
        # a last line without an end gets one when something comes behind it
        same = {row.raw} if row.raw.endswith(("\r", "\n")) else {row.raw + end for end in ("", "\n", "\r\n", "\r")}
        at = next((number for number, line in enumerate(lines[at:], at + 1) if line in same), -1)
        assert at > 0, f"{row.raw!r} is gone from {text!r}"


def _differs(before: Any, after: Any, key: str) -> bool:
    name = {"type": "shape"}.get(key, key) if isinstance(before, Object) else key
    return bool(getattr(before, name) != getattr(after, name))


@settings(deadline=None)
@given(rows=world_rows())
def test_a_world_that_did_not_change_is_written_as_it_was(scratch: Path, rows: list[Row]) -> None:
    file = scratch / "same.world"
    file.write_bytes(text_of(rows).encode())
    world, problems = read_world(file)
    assert str(problems) == ""
    assert world_text(text_of(rows), world.floor, world.objects, scratch) == text_of(rows)


@settings(max_examples=100, deadline=None)
@given(rows=world_rows(), data=st.data())
def test_a_changed_world_is_read_back_and_its_other_lines_stay(
    scratch: Path, rows: list[Row], data: st.DataObject
) -> None:
    file = scratch / "changed.world"
    file.write_bytes(text_of(rows).encode())
    world, _ = read_world(file)
    objects = edited(data, world.objects, changed_object)
    objects += [data.draw(new_object(f"new_{number}")) for number in range(data.draw(st.integers(0, 2)))]
    if data.draw(st.booleans()):
        objects.append(data.draw(new_object("wall_99")))
    text = world_text(text_of(rows), world.floor, objects, scratch)
    file.write_bytes(text.encode())
    again, problems = read_world(file)
    assert str(problems) == ""
    assert (again.floor, again.objects) == (world.floor, tuple(objects))
    check_lines(rows, text, world.objects, objects)


@settings(max_examples=100, deadline=None)
@given(rows=scenario_rows(), data=st.data())
def test_a_changed_scenario_is_read_back_and_its_other_lines_stay(
    scratch: Path, rows: list[Row], data: st.DataObject
) -> None:
    file = scratch / "changed.scenario"
    file.write_bytes(text_of(rows).encode())
    scenario, problems = read_scenario(file)
    assert str(problems) == ""
    targets = edited(data, scenario.targets, moved_target)
    robots = edited(data, scenario.robots, changed_robot)
    if data.draw(st.booleans()):
        targets.append(TargetSpec("magenta_7", (1.0, 2.0, 0.0), (1.0, 0.0, 1.0)))
    if data.draw(st.booleans()):
        robots.append(data.draw(changed_robot(RobotPlacement("late", "single"))))
    text = scenario_text(text_of(rows), "", targets, robots)
    file.write_bytes(text.encode())
    again, problems = read_scenario(file)
    assert str(problems) == ""
    assert (again.targets, again.robots, again.settings) == (tuple(targets), tuple(robots), scenario.settings)
    # the section leaves with its last target
    left = [row for row in rows if targets or row.owner != "targets"]
    check_lines(left, text, [*scenario.robots, *scenario.targets], [*robots, *targets])


@settings(deadline=None)
@given(rows=world_rows(), data=st.data())
def test_a_change_that_is_taken_back_leaves_the_file_meaning_what_it_meant(
    scratch: Path, rows: list[Row], data: st.DataObject
) -> None:
    file = scratch / "back.world"
    file.write_bytes(text_of(rows).encode())
    world, _ = read_world(file)
    changed_text = world_text(text_of(rows), world.floor, edited(data, world.objects, changed_object), scratch)
    back = world_text(changed_text, world.floor, world.objects, scratch)
    file.write_bytes(back.encode())
    assert read_world(file)[0].objects == world.objects


@settings(deadline=None)
@given(rows=world_rows())
def test_who_is_removed_and_comes_again_stands_behind_the_others(scratch: Path, rows: list[Row]) -> None:
    file = scratch / "again.world"
    file.write_bytes(text_of(rows).encode())
    world, _ = read_world(file)
    objects = [*world.objects[1:], *world.objects[:1]]
    file.write_bytes(world_text(text_of(rows), world.floor, objects, scratch).encode())
    assert read_world(file)[0].objects == tuple(objects)
