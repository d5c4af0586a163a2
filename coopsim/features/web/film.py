"""Film: a recording as the page holds it, with the same facts of scenes as a live run has; and its page in one file."""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadFile, DamagedRecording
from coopsim.features.pictures.drawn_sensors import DrawnSensors, drawn_sensors
from coopsim.features.pictures.page_robots import LayoutPictures
from coopsim.features.pictures.recorded_pictures import about, chosen_pictures, messages
from coopsim.features.web.page_files import FILM_SCRIPTS, PAGE, STYLE, picture_of_pattern, text_of
from coopsim.features.web.scene_facts import SceneRows, SensorGroup, groups_of_type, lights_first, scene_facts
from coopsim.interfaces import Value
from coopsim.recording import Recording
from coopsim.replay.run_json import robot_types
from coopsim.robots import RobotBlueprint, complete_settings
from coopsim.scene.meshes import mesh_suffixes, read_triangles
from coopsim.scene.textures import PATTERNS
from coopsim.server.modules.scene_files import SceneFiles
from coopsim.state import Layout, ModuleLayout, RobotPlace, TypeLayout

USUAL_RATE = 20.0
"""Frames per simulated second; the page shows the way between them."""
_MOST_POSE_VALUES = 2_600_000  # ten robots for an hour at 10 Hz: some 4 MB of page
_MOST_READING_VALUES = 4_000_000  # some 6 MB of page
_METRE, _TURN, _READING = 1e-4, 5e-5, 1e-4
"""Steps of positions [m], of parts of quaternions and of readings: finer ones nobody sees."""
_POSE_SCALES = (_METRE,) * 3 + (_TURN,) * 4
LOST = 1 << 30
"""Of a value that is no finite number; all others are smaller in steps."""
_MOST_MESHES = 16 * 1024 * 1024  # bytes of triangles of a page; larger ones are boxes

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
"""The page asks nobody for anything."""


@dataclass(frozen=True, slots=True)
class FilmPlan:
    """Share of a recording that a film holds.

    Attributes:
        rate: Frames per simulated second; None = every record.
        readings: Whether readings are in it.
        note: What was left out, for people.
    """

    rate: float | None
    readings: bool = True
    note: str = ""


def plan(recording: Recording, *, full: bool = False) -> FilmPlan:
    """Return how much is shown, so that the page of a long recording stays small.

    Args:
        recording: What to show.
        full: Every record and every reading, however large.
    """
    if full:
        return FilmPlan(None)
    layouts = [recording.layout(generation) for generation in recording.generations]
    poses = 7 * max((len(layout.bodies) for layout in layouts), default=0)
    readings = max((layout.reading_size for layout in layouts), default=0)
    seconds = max(recording.duration, 1e-9)
    rate = min(USUAL_RATE, _MOST_POSE_VALUES / (seconds * max(1, poses)))
    if seconds * rate * readings <= _MOST_READING_VALUES:
        return FilmPlan(rate)
    return FilmPlan(rate, readings=False, note="readings were left out of this long recording; --full keeps them")


def export_page(recording: Recording, path: str | Path, *, full: bool = False) -> int:
    """Write the page of a recording: the scene in space, time line, readings, messages; return its size [B].

    Args:
        recording: Complete or cut off.
        path: An older file is overwritten.
        full: Every record and every reading, however large the page becomes.

    Raises:
        DamagedRecording: It holds no record, or a chunk is damaged.
        OSError: The page cannot be written.
    """
    text = page(recording, full=full).encode()
    Path(path).write_bytes(text)
    return len(text)


def page(recording: Recording, *, full: bool = False) -> str:
    """Return the text of the page."""
    data = film(recording, plan(recording, full=full))
    try:
        facts = json.dumps(data, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise DamagedRecording(f"{recording.path}: a size or a place in its scene is no finite number") from None
    # nothing in it can end the element that holds it
    held = f'<script type="application/json" id="film">{facts.replace("<", chr(92) + "u003c")}</script>'
    scripts = "\n".join(f"<script>\n{text_of(name)}\n</script>" for name in FILM_SCRIPTS)
    parts = {
        "<title>coopsim</title>": f"<title>{escape(str(data['title']))} - coopsim</title>",
        '<link rel="stylesheet" href="page.css">': f"<style>\n{text_of(STYLE)}</style>",
        '<meta charset="utf-8">': f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" '
        f'content="{_POLICY}">',
        "<!-- scripts -->": f"{held}\n{scripts}",
    }
    text = text_of(PAGE)
    for place, words in parts.items():
        before, _, after = text.partition(place)
        text = f"{before}{words}{after}"
    return text


def film(recording: Recording, plan: FilmPlan) -> dict[str, Any]:
    """Return what the page shows of a recording.

    Args:
        recording: Complete or cut off.
        plan: How much of it.

    Raises:
        DamagedRecording: It holds no record, or a chunk or a layout is damaged.
    """
    if not len(recording):
        raise DamagedRecording(f"{recording.path}: the recording holds no record")
    pictures = chosen_pictures(recording, plan.rate)
    kinds = robot_types(recording)
    parts = [_part(list(group), kinds, plan) for _, group in groupby(pictures, lambda part: part.layout.generation)]
    layouts = [part.layout for part in pictures]
    meshes = _meshes(layouts)
    files = {file: content for file, (content, _) in meshes.items()}
    for part in parts:
        part["facts"]["meshes"] = files
    return {
        "title": str(recording.metadata.get("scenario") or recording.path.stem),
        "about": about(recording, pictures),
        "note": plan.note,
        "parts": parts,
        "types": {kind.name: _type(kind) for layout in layouts for kind in layout.types},
        "messages": messages(recording, pictures),
        "meshes": dict(meshes.values()),
        "patterns": {name: _data_address(picture_of_pattern(name)) for name in _patterns(layouts)},
    }


def _part(pictures: Sequence[LayoutPictures], kinds: Mapping[str, RobotBlueprint], plan: FilmPlan) -> dict[str, Any]:
    """Return the frames of one layout, and what it takes to draw them."""
    layout = pictures[0].layout
    groups = lights_first(_sensor_groups(layout, kinds)) if plan.readings else ()
    poses = np.concatenate([part.poses for part in pictures])
    frames = len(poses)
    if poses.shape[1] != len(layout.bodies):
        raise DamagedRecording(f"expected {len(layout.bodies)} bodies in each record, found {poses.shape[1]}")
    types = {place.name: place.type.name for place in layout.robots}
    rows = SceneRows(layout.generation, layout.bodies, types, layout.entities, layout.joints)
    nanoseconds = np.rint(1e9 * np.concatenate([part.times for part in pictures]))
    moments = np.stack([nanoseconds, np.concatenate([part.ticks for part in pictures])], axis=1)
    readings = np.concatenate([part.readings for part in pictures]) if plan.readings else np.zeros((frames, 0))
    return {
        "facts": scene_facts(rows, groups),
        "frames": frames,
        "moments": packed_steps(moments.astype(np.int64), 8),
        "poses": packed_steps(_steps(poses.reshape(frames, -1), _POSE_SCALES)),
        "readings": packed_steps(_steps(readings, (_READING,))),
        "width": readings.shape[1],
        "robots": {place.name: [place.type.name, place.reading_offset] for place in layout.robots},
        "sensors": [_columns(layout.robot[name], group) for group in groups for name in group.robots],
    }


def _steps(values: NDArray[Any], scales: Sequence[float]) -> NDArray[np.int64]:
    """Return values as whole numbers of steps, shape (n, columns); the scales repeat along the columns."""
    whole = values / np.resize(np.array(scales), values.shape[1])
    limited = np.clip(np.nan_to_num(whole), 1 - LOST, LOST - 1)
    return np.where(np.isfinite(values), np.rint(limited), LOST).astype(np.int64)


def packed_steps(table: NDArray[np.int64], size: int = 4) -> str:
    """Return a table as the page unpacks it: differences along each column, byte by byte, compressed, in base64.

    Args:
        table: Shape (n, columns).
        size: Bytes of each number.
    """
    differences = np.diff(table, axis=0, prepend=np.zeros((1, table.shape[1]), np.int64))
    # a small step to either side has few bits, so that most bytes are 0
    folded = np.ascontiguousarray(((differences << 1) ^ (differences >> 63)).T).astype("<u8")
    planes = folded.view(np.uint8).reshape(*folded.shape, 8)[:, :, :size].transpose(0, 2, 1)
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


# robots


def _sensor_groups(layout: Layout, kinds: Mapping[str, RobotBlueprint]) -> Iterator[SensorGroup]:
    """Yield what can be drawn of the sensors of each type."""
    for kind in layout.types:
        robots = tuple(place.name for place in layout.robots if place.type.name == kind.name)
        if kind.name not in kinds:
            continue
        for group in groups_of_type(kind.name, _sensors(kind, kinds[kind.name]), robots):
            _, width = _columns(layout.robot[robots[0]], group)
            yield replace(group, width=width)


def _sensors(kind: TypeLayout, blueprint: RobotBlueprint) -> DrawnSensors:
    """Return what can be drawn of the sensors of a type, as its devices are set, or as they usually are."""
    interfaces = {module.name: module.interface for module in kind.modules}
    settings = {device.name: complete_settings(device) for device in blueprint.devices}

    def value(module: str, name: str) -> Value:
        usual = {parameter.name: parameter.default for parameter in interfaces[module].parameters}
        return {**usual, **settings.get(module, {})}[name]

    return drawn_sensors(interfaces, value)


def _columns(place: RobotPlace, group: SensorGroup) -> list[int]:
    """Return the first column and the number of what a sensor of a robot reads."""
    module = place.type.module(group.module)
    if module is None:
        return [0, 0]
    reading = next(field for field in module.interface.readings if field.name == group.field)
    offset, length = module.columns(reading)
    return [place.reading_offset + offset, group.width or length]


def _type(kind: TypeLayout) -> list[dict[str, Any]]:
    """Return what the page tells of the modules of a robot type."""
    return [_module(module) for module in sorted(kind.modules, key=lambda module: module.name)]


def _module(module: ModuleLayout) -> dict[str, Any]:
    readings = module.interface.readings
    fields = [{"field": field.name, "columns": module.columns(field), "unit": field.unit} for field in readings]
    return {
        "name": module.name,
        "kind": module.interface.kind,
        "summary": module.interface.summary,
        "fields": sorted(fields, key=lambda field: str(field["field"])),
    }


# what shapes are covered with, and made of


def _patterns(layouts: Iterable[Layout]) -> set[str]:
    named = {visual.texture for layout in layouts for entity in layout.entities for visual in entity.drawn()}
    return named & set(PATTERNS)


def _data_address(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def _meshes(layouts: Iterable[Layout]) -> dict[str, tuple[str, str]]:
    """Return hash and packed triangles of each mesh that is on this machine still, as far as they fit, by its file.

    A recording may come from anywhere and name any file, and a page goes out of the house: only meshes that come with
    coopsim, or lie in the working folder, are in it.
    """
    scene_files = SceneFiles("", "", Path.cwd())
    named = {visual.mesh for layout in layouts for entity in layout.entities for visual in entity.visuals}
    meshes: dict[str, tuple[str, str]] = {}
    room = _MOST_MESHES
    for file in sorted(filter(None, named)):
        if Path(file).suffix.lower() not in mesh_suffixes() or not scene_files.is_within(file):
            continue
        try:
            triangles = np.ascontiguousarray(read_triangles(Path(file)), "<f4").tobytes()
        except (BadFile, OSError):
            continue  # it is drawn as the box around it
        if len(triangles) <= room:
            room -= len(triangles)
            content = hashlib.sha256(triangles).hexdigest()
            meshes[file] = content, base64.b64encode(zlib.compress(triangles, 9)).decode()
    return meshes
