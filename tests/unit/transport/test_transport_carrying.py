"""Commands of robots that are still there when others come or go."""

import numpy as np

from coopsim.interfaces import MOTORS
from coopsim.state import Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.transport.carrying import carry_commands

WIDTH = 4


def kind(name: str, *modules: str) -> TypeLayout:
    """Return a type whose modules have one slot of commands each."""
    slots = tuple(ModuleLayout(module, MOTORS, {}, (), WIDTH * k, 0, 0, k == 0) for k, module in enumerate(modules))
    return TypeLayout(name, slots, WIDTH * len(modules), 0)


ONE, TWO = kind("one", "motors"), kind("two", "motors", "arm")


def layout(generation: int, **robots: TypeLayout) -> Layout:
    places, offset = [], 0
    for row, (name, its) in enumerate(robots.items()):
        places.append(RobotPlace(name, its, offset, 0, row))
        offset += its.command_width
    return Layout(generation, (ONE, TWO), tuple(places), (), tuple(robots), offset, 0)


def carried(old: Layout, new: Layout) -> list[float]:
    """Return the rows of the new layout where each old number is its place, from 1."""
    width = sum(place.type.command_width for place in new.robots)
    before = 1.0 + np.arange(sum(place.type.command_width for place in old.robots), dtype=float)
    rows = np.zeros(width)
    carry_commands(old, before, new, rows)
    return [float(number) for number in rows]


def test_commands_move_with_their_robots() -> None:
    old, new = layout(1, a=ONE, b=TWO), layout(2, b=TWO, c=ONE, a=ONE)
    assert carried(old, new) == [5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0, 1, 2, 3, 4]


def test_who_comes_has_no_command_also_where_somebody_else_left() -> None:
    assert carried(layout(1, a=ONE), layout(2, b=ONE)) == [0, 0, 0, 0]


def test_who_comes_back_as_another_type_has_none_of_the_commands_before() -> None:
    assert carried(layout(1, a=TWO), layout(2, a=ONE)) == [0, 0, 0, 0]
    assert carried(layout(1, a=ONE), layout(2, a=TWO)) == [0] * 8
