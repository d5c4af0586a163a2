"""Checks of depths and labels."""

import numpy as np

from coopsim.features.desktop.rendering import SceneRenderer
from coopsim.features.renderers.checks.report import PixelCheck, PixelFinding, all_of, finding
from coopsim.features.renderers.checks.scenes import (
    BLUE,
    entity,
    eye,
    floor,
    pixel_of,
    render,
    rows_of,
)

_STEP, _SQUARE = 2e-3, 1e-3
"""Error of depths: a constant [m], and a factor on the square of the depth [1/m]; buffers of 24 bits are finer."""


def _walls(renderer: SceneRenderer) -> PixelFinding:
    camera, parts = eye(), []
    for away in (0.5, 1.0, 3.0, 10.0, 40.0):
        wall = entity("wall", at=(-4.0 + away + 0.5, 0.0, -49.0), size=(1.0, 200.0, 100.0))
        depth = render(renderer, rows_of(wall), camera, "depth")
        off, most = float(np.abs(depth - away).max()), _STEP + _SQUARE * away**2
        parts.append(
            finding(off <= most, f"{away:g} m: off by {1000 * off:.3g} mm in the worst pixel, at most {1000 * most:g}")
        )
    return all_of(*parts)


def _nothing(renderer: SceneRenderer) -> PixelFinding:
    depth = render(renderer, rows_of(entity()), eye(), "depth")
    return finding(
        bool(np.isposinf(depth[0]).all()) and depth.dtype == np.float32,
        f"depths of the sky {depth[0].min():g} to {depth[0].max():g}, expected inf; {depth.dtype}, expected float32",
    )


def _order(renderer: SceneRenderer) -> PixelFinding:
    camera = eye()
    rows = rows_of(entity("far", at=(1.5, 0.0, 0.0), size=(1.0, 4.0, 4.0)), entity("near", at=(-1.0, 0.0, 0.0)))
    depth = render(renderer, rows, camera, "depth")
    near, far = depth[pixel_of(camera, (-1.5, 0.0, 0.5))], depth[pixel_of(camera, (1.0, 1.5, 0.5))]
    return finding(abs(near - 2.5) < 0.01 and abs(far - 5.0) < 0.03, f"{near:.4f} m and {far:.4f} m, expected 2.5, 5")


def _names(renderer: SceneRenderer) -> PixelFinding:
    camera = eye()
    rows = rows_of(floor(), entity("left", at=(0.0, 1.2, 0.0)), entity("right", at=(0.0, -1.2, 0.0), color=BLUE))
    labels = render(renderer, rows, camera, "labels")
    points = ((-0.5, 1.2, 0.5), (-0.5, -1.2, 0.5), (-2.0, 0.0, 0.0))
    seen = [int(labels[pixel_of(camera, point)]) for point in points]
    values = sorted(np.unique(labels).tolist())
    return all_of(
        finding(seen == [2, 3, 1], f"labels of two boxes and the floor {seen}, expected [2, 3, 1]"),
        finding(values == [0, 1, 2, 3], f"labels {values}, expected [0, 1, 2, 3]: 0 where there is nothing"),
        finding(labels.dtype == np.uint16, f"{labels.dtype}, expected uint16"),
    )


def _many_names(renderer: SceneRenderer) -> PixelFinding:
    count = 700  # two bytes are needed
    camera, side = eye(-20.0, (320, 240), 5.0), 0.3
    places = [(0.0, (number % 35 - 17) * 0.5, number // 35 * 0.5) for number in range(count)]
    boxes = [entity(f"b{number}", at=place, size=(side, side, side)) for number, place in enumerate(places)]
    labels = render(renderer, rows_of(*boxes), camera, "labels")
    seen = [int(labels[pixel_of(camera, (-side / 2, y, z + side / 2))]) for _, y, z in places]
    wrong = sum(label != number for number, label in enumerate(seen, 1))
    return finding(wrong == 0, f"{count - wrong} of {count} boxes have their label at their pixel")


def _same_edges(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(entity(shape="sphere"), entity("cone", "cone", (1.0, 1.0, 0.0)))
    labels, depth = render(renderer, rows, camera, "labels"), render(renderer, rows, camera, "depth")
    differing = int(((labels > 0) != np.isfinite(depth)).sum())
    return finding(differing == 0, f"{differing} pixels have a label and no depth, or the other way round")


CHECKS = (
    PixelCheck("the depth of a wall is that along the axis", _walls, "depth"),
    PixelCheck("where there is nothing depths are infinite", _nothing, "depth"),
    PixelCheck("depths are those of what is nearest", _order, "depth"),
    PixelCheck("labels are numbers of entities", _names, "labels"),
    PixelCheck("labels go beyond one byte", _many_names, "labels"),
    PixelCheck("labels and depths have the same edges", _same_edges, "labels"),
)
