"""Contents of files for pictures: a scene at its beginning, a recording at any time."""

from pathlib import Path
from typing import Protocol

import numpy as np
from mcap.writer import MCAP0_MAGIC
from numpy.typing import NDArray

from coopsim.features.desktop.lamps import shine
from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.poses import between
from coopsim.features.desktop.ribbons import RIBBON, trail
from coopsim.features.desktop.sensor_ribbons import sensor_ribbons
from coopsim.features.desktop.sensor_sources import measured_in, recorded_sensors
from coopsim.features.pictures.drawn_sensors import DrawnSensors
from coopsim.features.pictures.lights import recorded_lights
from coopsim.features.pictures.scene import springs_of
from coopsim.features.presentation import presentation_of
from coopsim.geometry import Floats
from coopsim.recording import Recording
from coopsim.recording.scrubber import Scrubber
from coopsim.robots import load, world_spec
from coopsim.robots.entities import rows_of
from coopsim.state import Layout, Record

_TRAIL_POINTS = 120  # a curve of 120 pieces looks round


class Shown(Protocol):
    """Scene that can be drawn.

    Attributes:
        begin: The first instant [s].
        end: The last one [s].
        camera: From where it wants to be looked at (`aiming.aim`), "" = it does not say.
        renderer: That the file of the scene says, "" = none.
    """

    begin: float
    end: float
    camera: str
    renderer: str

    def at(self, seconds: float) -> SceneModel:
        """Return everything where it is at an instant; the same model as before where only bodies moved."""
        ...

    def trails(self, seconds: float, length: float) -> NDArray[np.void]:
        """Return the ways of the robots as rows of `RIBBON`.

        Args:
            seconds: Up to this instant.
            length: How long [s].
        """
        ...

    def measured(self, seconds: float, layers: Layers) -> NDArray[np.void]:
        """Return what sensors measure at an instant as rows of `RIBBON`.

        Args:
            seconds: The instant.
            layers: What is wanted.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def open_shown(file: str) -> Shown:
    """Return what a file shows: a scenario, a world, a recording.

    Raises:
        CoopsimError: It cannot be read.
    """
    return RecordedScene(Path(file)) if is_recording(file) else BeginningScene(file)


def is_recording(file: str) -> bool:
    """Return whether a file is a recording, or should be one."""
    path = Path(file)
    try:
        with path.open("rb") as opened:
            return path.suffix.lower() == ".mcap" or opened.read(len(MCAP0_MAGIC)) == MCAP0_MAGIC
    except OSError:
        return path.suffix.lower() == ".mcap"


class BeginningScene:
    """A scenario, or a world, as it begins."""

    def __init__(self, file: str) -> None:
        self.begin = self.end = 0.0
        spec = load(file)
        shown = presentation_of(spec)
        self.camera, self.renderer = shown.camera, shown.renderer
        bodies = world_spec(spec).bodies
        self._model = SceneModel(rows_of(spec), [body.name for body in bodies], springs_of(spec))
        self._model.set_poses(np.array([body.pose for body in bodies], float).reshape(-1, 7))

    def at(self, _seconds: float) -> SceneModel:
        """Return everything where it is at the beginning."""
        return self._model

    def trails(self, _seconds: float, _length: float) -> NDArray[np.void]:
        """Return no ways."""
        return np.zeros(0, RIBBON)

    def measured(self, _seconds: float, _layers: Layers) -> NDArray[np.void]:
        """Return nothing: nothing was measured yet."""
        return np.zeros(0, RIBBON)

    def close(self) -> None:
        """Do nothing: the file is closed."""


class RecordedScene:
    """A recording; between two records bodies are on the straight way."""

    def __init__(self, path: Path) -> None:
        self._recording = Recording.open(path)
        self.camera, self.renderer = (str(self._recording.metadata.get(key, "")) for key in ("camera", "renderer"))
        self._scrubber = Scrubber(self._recording)
        self.begin, self.end = self._recording.begin_ns / 1e9, self._recording.end_ns / 1e9
        self._layout: Layout | None = None
        self._model, self._sensors = SceneModel(()), dict[str, DrawnSensors]()

    def at(self, seconds: float) -> SceneModel:
        """Return everything where it is at an instant."""
        number = self._scrubber.number_at_time(seconds)
        record = self._scrubber.record(number)
        if self._layout is None or self._layout.generation != record.generation:
            self._layout = self._recording.layout(record.generation)
            self._model = SceneModel(self._layout.entities, self._layout.bodies, self._layout.joints)
            self._sensors = recorded_sensors(self._recording, self._layout)
        self._model.set_poses(self._between(number, record, seconds))
        shine(self._model, recorded_lights(self._layout, np.asarray(record.readings)))
        return self._model

    def trails(self, seconds: float, length: float) -> NDArray[np.void]:
        """Return the ways of the robots before an instant."""
        if self._layout is None:
            self.at(seconds)
        layout = self._layout
        robots = [row for row in layout.entities if row.kind == "robot" and row.body >= 0] if layout else []
        instants = np.linspace(max(self.begin, seconds - length), seconds, _TRAIL_POINTS)
        records = [self._scrubber.at_time(float(instant)) for instant in instants] if robots and layout else []
        records = [record for record in records if layout and record.generation == layout.generation]
        if len(records) < 2:
            return np.zeros(0, RIBBON)
        poses = np.array([record.poses[:, :3] for record in records])
        return np.concatenate([trail(poses[:, row.body], _shade(row.color)) for row in robots])

    def measured(self, seconds: float, layers: Layers) -> NDArray[np.void]:
        """Return what sensors measure at an instant."""
        model, record = self.at(seconds), self._scrubber.at_time(seconds)
        if self._layout is None or not (layers.rays or layers.contacts or layers.sightings):
            return np.zeros(0, RIBBON)
        return sensor_ribbons(model, layers, self._sensors, measured_in(self._layout, record))

    def close(self) -> None:
        """Close the file."""
        self._recording.close()

    def _between(self, number: int, record: Record, seconds: float) -> Floats:
        if number + 1 >= len(self._recording):
            return record.poses
        after = self._scrubber.record(number + 1)
        begin, end = self._scrubber.position_ns(number), self._scrubber.position_ns(number + 1)
        if after.generation != record.generation or end <= begin:
            return record.poses
        share = min(1.0, max(0.0, (seconds * 1e9 - begin) / (end - begin)))
        return between(np.asarray(record.poses), np.asarray(after.poses), share)


def _shade(color: tuple[float, float, float]) -> tuple[int, int, int]:
    red, green, blue = (round(255 * channel) for channel in color)
    return red, green, blue
