"""Lamps as they shine: windows, pages and pictures give them the colour of their light."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from coopsim.geometry import Floats, Vector3
from coopsim.state import Layout

if TYPE_CHECKING:  # a window reads no recordings
    from coopsim.launch.tracks import Track
    from coopsim.recording import Recording

LAMP: Final = "lamp"
"""Kind of the modules that shine."""
FIELDS: Final = ("brightness", "red", "green", "blue")
"""Readings of such a module, in this order."""
UNLIT: Final = 0.15
"""Share of its colour with which a lamp is seen that is off."""


def lit_color(light: Floats) -> Vector3:
    """Return the colour that a lamp is seen in, from brightness, red, green and blue."""
    red, green, blue = (light[1:] * (UNLIT + (1.0 - UNLIT) * light[0])).tolist()
    return red, green, blue


def recorded_lights(layout: Layout, readings: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield the lamps of a record: name, and brightness, red, green, blue.

    Args:
        layout: Of the record.
        readings: Of all robots, flat.
    """
    for place in layout.robots:
        for module in place.type.modules:
            if module.interface.kind == LAMP:
                begin = place.reading_offset + module.reading_offset
                yield place.name, readings[begin : begin + len(FIELDS)]


def last_colors(recording: "Recording") -> dict[str, Vector3]:
    """Return the colours in which the lamps of a recording are seen at its end, by name."""
    if not len(recording):
        return {}
    *_, (_, block) = recording.blocks(len(recording) - 1)
    lights = recorded_lights(recording.layout(block.generation), block.readings[-1])
    return {name: lit_color(light) for name, light in lights}


def tracked_colors(tracks: Mapping[str, "Track"]) -> dict[str, Vector3]:
    """Return the same of a run that was followed."""
    return {name: lit_color(track.readings[LAMP]) for name, track in tracks.items() if LAMP in track.readings}
