"""All images that the cameras of a recorded run took, as files."""

from pathlib import Path

from PIL import Image

from coopsim.camera.service import open_painter
from coopsim.camera.states import LayoutCache, TickState
from coopsim.interfaces import CAMERA
from coopsim.recording import Recording, Scrubber
from coopsim.state import Layout, Record


def export_images(recording: Recording, folder: Path) -> dict[str, int]:
    """Write each image as `ROBOT.CAMERA/TICK.png`, the same as a client got it; return how many each camera took.

    Args:
        recording: Of the run.
        folder: Is made if it is not there.

    Raises:
        CannotDraw: There is no OpenGL.
        OSError: A file cannot be written.
    """
    layouts, scrubber, counts = LayoutCache(recording.layout), Scrubber(recording), dict[str, int]()
    painter = open_painter()
    try:
        for number in range(len(recording)):
            record = scrubber.record(number)
            layout = layouts.of(record.generation)
            for robot, module in _taken(layout, record):
                name = f"{robot}.{module}"
                (folder / name).mkdir(parents=True, exist_ok=True)
                pixels = painter.colors(TickState(layout, record), robot, module)
                Image.fromarray(pixels).save(folder / name / f"{record.tick:08d}.png")
                counts[name] = counts.get(name, 0) + 1
    finally:
        painter.close()
    return counts


def _taken(layout: Layout, record: Record) -> list[tuple[str, str]]:
    """Return robots and cameras whose newest image is of this tick."""
    return [
        (place.name, module.name)
        for place in layout.robots
        for module in place.type.modules
        if module.interface.kind == CAMERA.kind
        and record.readings[place.reading_offset + module.reading_offset] == record.tick
    ]
