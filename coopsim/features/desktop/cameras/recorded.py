"""All images that the cameras of a recorded run took, as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PIL import Image

from coopsim.features.desktop.cameras.service import open_painter, pixels_of
from coopsim.features.desktop.cameras.states import LayoutCache, TickState
from coopsim.interfaces import CAMERA
from coopsim.recording import CameraStream, Recording, Scrubber
from coopsim.state import Layout, Record

if TYPE_CHECKING:
    from coopsim.features.desktop.cameras.painter import ImagePainter


def export_images(recording: Recording, folder: Path) -> dict[str, int]:
    """Write each image as `ROBOT.CAMERA/TICK.png`, the same as a client got it; return how many each camera took.

    Images that the recording has are taken out of it, others are drawn. Depths that it has are written, too.

    Args:
        recording: Of the run.
        folder: Is made if it is not there.

    Raises:
        CannotDraw: There is no OpenGL, and an image must be drawn.
        OSError: A file cannot be written.
    """
    layouts, scrubber, counts = LayoutCache(recording.layout), Scrubber(recording), dict[str, int]()
    with _Images(recording) as images:
        for number in range(len(recording)):
            record = scrubber.record(number)
            layout = layouts.of(record.generation)
            for robot, module in _imaged_cameras(layout, record):
                for name, pixels in images.of(TickState(layout, record), robot, module):
                    (folder / name).mkdir(parents=True, exist_ok=True)
                    Image.fromarray(pixels).save(folder / name / f"{record.tick:08d}.png")
                    counts[name] = counts.get(name, 0) + 1
    return counts


class _Images:
    """Images as arrays; what draws is loaded with the first that is not in the recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._painter: ImagePainter | None = None

    def of(self, state: TickState, robot: str, module: str) -> list[tuple[str, NDArray[Any]]]:
        """Return folders and pixels of what a camera took."""
        name, tick = f"{robot}.{module}", state.record.tick
        color = self._recording.image(CameraStream(robot, module, "color"), tick)
        depth = self._recording.image(CameraStream(robot, module, "depth"), tick)
        pixels = self._draw(state, robot, module) if color is None else pixels_of(color)
        return [(name, pixels)] + ([(f"{name}.depth", pixels_of(depth))] if depth is not None else [])

    def _draw(self, state: TickState, robot: str, module: str) -> NDArray[Any]:
        if self._painter is None:
            self._painter = open_painter()
        return self._painter.colors(state, robot, module)

    def __enter__(self) -> "_Images":
        return self

    def __exit__(self, *_: object) -> None:
        if self._painter is not None:
            self._painter.close()


def _imaged_cameras(layout: Layout, record: Record) -> list[tuple[str, str]]:
    """Return robots and cameras whose newest image is of this tick."""
    return [
        (place.name, module.name)
        for place in layout.robots
        for module in place.type.modules
        if module.interface.kind == CAMERA.kind
        and record.readings[place.reading_offset + module.reading_offset] == record.tick
    ]
