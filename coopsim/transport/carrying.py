"""Command rows from one generation of the layout to the next."""

from coopsim.geometry import Floats
from coopsim.state import Layout


def carry_commands(old: Layout, before: Floats, new: Layout, rows: Floats) -> None:
    """Copy the commands of robots that are still there.

    Args:
        old: The layout that ends.
        before: Its command rows, flat.
        new: The layout that begins.
        rows: Its command rows, flat and 0; written.
    """
    for place in new.robots:
        previous = old.robot.get(place.name)
        if previous is not None and previous.type.slots == place.type.slots:
            start, width = previous.command_offset, place.type.command_width
            rows[place.command_offset : place.command_offset + width] = before[start : start + width]
