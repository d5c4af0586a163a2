"""Checks of what a renderer may leave out: lines, textures, meshes of files, skins, shadows, outlines."""

import tempfile
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
from PIL import Image

from coopsim.errors import BadFile
from coopsim.features.desktop.quality import Quality, Shadows
from coopsim.features.desktop.rendering import SceneRenderer
from coopsim.features.desktop.ribbons import trail
from coopsim.features.desktop.shapes import MeshData, shape_mesh
from coopsim.features.renderers.checks.report import LifeCheck, OpenNew, PixelCheck, PixelFinding, all_of, finding
from coopsim.features.renderers.checks.scenes import (
    BLUE,
    GREEN,
    channels,
    entity,
    eye,
    floor,
    hue,
    hue_at,
    is_hue,
    pixel_of,
    render,
    rows_of,
)
from coopsim.state import EntityRow, Visual

_DARKER = 0.9  # of the brightness in the light
_MISSING = "missing.stl"


def _lines(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(floor())
    lines = trail(np.array([[0.0, -2.0, 0.5], [0.0, 0.0, 0.5], [0.0, 2.0, 0.5]]), (255, 0, 0))
    with_line = is_hue(render(renderer, rows, camera, ribbons=lines), 0)
    row, column = pixel_of(camera, (0.0, 1.8, 0.5 + 0.012))
    around = with_line[row - 3 : row + 4, column]
    left_over = int(is_hue(render(renderer, rows, camera), 0).sum())
    return all_of(
        finding(bool(around.any()), f"{int(around.sum())} of 7 pixels across a line of 3 have its colour"),
        finding(left_over == 0, f"{left_over} pixels of it are left in the next picture"),
    )


def _textures(renderer: SceneRenderer) -> PixelFinding:
    pixels = np.zeros((64, 64, 3), np.uint8)
    pixels[:32, :, 1], pixels[32:, :, 2] = 255, 255  # green above, blue below
    with tempfile.TemporaryDirectory(prefix="coopsim-checks-") as folder:
        file = Path(folder) / "two.png"
        Image.fromarray(pixels).save(file)
        camera = eye()
        picture = render(renderer, rows_of(entity(visuals=(Visual("box", texture=str(file)),))), camera)
    seen = [hue_at(picture, camera, (-0.5, 0.0, height)) for height in (0.85, 0.15)]
    return finding(seen == [1, 2], f"upper and lower half of a picture on a box: {channels(seen)}")


class _Meshes:
    """Meshes that no file has."""

    version = 0

    def find(self, file: str) -> MeshData | None:
        """Return a cone; nothing for one name."""
        if file == _MISSING:
            raise BadFile(f"{file}:1:1: there is no such mesh")
        return shape_mesh("cone", 1)


def _meshes(open_new: OpenNew) -> PixelFinding:
    notes: list[str] = []
    camera, around = eye(), (-0.3, 0.42, 0.95)
    with open_new(notes.append, _Meshes()) as renderer:
        cone = render(renderer, rows_of(entity(visuals=(Visual("mesh", mesh="cone.stl"),))), camera)
        rows = rows_of(entity(visuals=(Visual("mesh", mesh=_MISSING),)))
        boxes = [render(renderer, rows, camera) for _ in range(3)]
    seen = [hue_at(cone, camera, (0.0, 0.0, 0.4)), hue_at(cone, camera, around), hue_at(boxes[-1], camera, around)]
    return all_of(
        finding(seen == [0, -1, 0], f"a cone, beside its tip, a box in its place: {channels(seen)}"),
        finding(len(notes) == 1 and _MISSING in notes[0], f"a missing file is told {len(notes)} times, once expected"),
    )


def _cloth() -> list[EntityRow]:
    side = (0.1, 0.1, 0.1)
    return [
        entity(f"s_{i}_{j}", "sphere", (0.0, i - 2.0, j - 1.0), size=side, color=GREEN, whole="s", cell=(i, j), body=-1)
        for i, j in product(range(1, 4), repeat=2)
    ]


def _skins(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(*_cloth())
    between = (0.0, 0.5, 0.75)
    seen = [hue_at(render(renderer, rows, camera), camera, between)]
    for number in range(9):  # it is carried to the left
        rows.model.entity_poses[number, 1] += 5.0
    rows.update()
    seen.append(hue_at(render(renderer, rows, camera), camera, between))
    return finding(seen == [1, -1], f"between the nodes of a cloth, and after it has gone: {channels(seen)}")


def _shadows(renderer: SceneRenderer) -> PixelFinding:
    camera, parts = eye(-6.0, height=2.0), []
    rows = rows_of(floor(), entity(at=(0.0, 0.0, 1.5), size=(2.0, 2.0, 0.2)))
    light = render(renderer, rows, camera)
    row, column = pixel_of(camera, (-0.7, 0.6, 0.0))  # the light comes from ahead, the right, and above
    for shadows in get_args(Shadows)[1:]:
        shaded = render(renderer, rows, camera, quality=Quality(shadows, 1, map_size=1024))
        share = float(shaded[row, column].mean() / max(1.0, light[row, column].mean()))
        parts.append(finding(share < _DARKER, f"{shadows}: {share:.2f} of the light under a plate, below {_DARKER}"))
    return all_of(*parts)


def _outlines(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(entity(color=BLUE))
    plain = render(renderer, rows, camera)
    rows.mark(frozenset({"box"}))
    marked = render(renderer, rows, camera)
    inside = hue(marked[pixel_of(camera, (-0.5, 0.0, 0.5))])
    changed = (plain.astype(int) != marked).any(axis=2) & ~is_hue(plain, 2)
    return finding(
        inside == 2 and int(changed.sum()) > 20,
        f"{int(changed.sum())} pixels around what is selected changed, more than 20; inside {channels([inside])}",
    )


CHECKS: tuple[PixelCheck | LifeCheck, ...] = (
    PixelCheck("lines are drawn, and only once", _lines, "ribbons"),
    PixelCheck("pictures on shapes stand upright", _textures, "textures"),
    LifeCheck("meshes come from their source, a box where there is none", _meshes, "meshes"),
    PixelCheck("cloths are surfaces that move", _skins, "skins"),
    PixelCheck("things throw shadows", _shadows, "shadows"),
    PixelCheck("what is selected is outlined", _outlines, "outlines"),
)
