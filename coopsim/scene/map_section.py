"""`[MAP]`: walls out of a picture of a floor plan, as Stage and ROS have them."""

from itertools import islice
from pathlib import Path
from typing import Any

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.bitmap import MOST_BOXES, Rectangle, read_grey, rectangles
from coopsim.scene.entities import HEIGHT, OBJECT_KEYS
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.polyline import SHAPELESS
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Object
from coopsim.scene.values import Flaw

NAME = "map"
THRESHOLD = 128  # of 255: darker is a wall
MAP_KEYS: Keys = {
    "image": SectionKey(values.text, is_needed=True),
    "resolution": SectionKey(values.LENGTH, is_needed=True),
    "origin": SectionKey(values.read_point),
    "threshold": SectionKey(values.number(0, 256, whole=True)),
    "height": SectionKey(values.LENGTH),
    **{
        key: key_reader
        for key, key_reader in OBJECT_KEYS.items()
        if key not in {*SHAPELESS, "name", "texture", "mesh", "part_n"}
    },
}


def map_walls(section: Section, folder: Path, problems: Problems) -> tuple[str, list[Object]]:
    """Return the picture that a section names, and the boxes that cover its dark pixels."""
    keys = read_keys(section, MAP_KEYS, problems)
    image = str(keys.pop("image", ""))
    if not image or lacks({**keys, "image": image}, MAP_KEYS):
        return image, []
    grey = read_grey(folder / image)
    if isinstance(grey, Flaw):
        problems.add(section.value_span("image"), f"image {folder / image}: {grey.text}")
        return image, []
    parts = list(islice(rectangles(grey < keys.pop("threshold", THRESHOLD)), MOST_BOXES + 1))
    if len(parts) > MOST_BOXES:
        text = f"image {folder / image} needs more than {MOST_BOXES} boxes; it is speckled, or its threshold wrong"
        problems.add(section.value_span("image"), text)
        return image, []
    return image, _boxes(section, parts, grey.shape, keys)


def _boxes(section: Section, parts: list[Rectangle], shape: tuple[int, ...], values: dict[str, Any]) -> list[Object]:
    cell, height = values.pop("resolution"), values.pop("height", HEIGHT)
    x, y = values.pop("origin", (-cell * shape[1] / 2, -cell * shape[0] / 2))
    boxes = []
    for number, (left, right, top, bottom) in enumerate(parts, 1):
        size: Vector3 = (cell * (right - left), cell * (bottom - top), height)
        middle = (x + cell * (left + right) / 2, y + cell * (shape[0] - (top + bottom) / 2), 0.0)
        name = f"{NAME}_{number}"
        boxes.append(Object(name, "box", size, middle, **values, is_wall=True, span=section.span))
    return boxes
