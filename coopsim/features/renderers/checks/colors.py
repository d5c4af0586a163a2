"""Checks of colours: what is where, what hides what."""

from dataclasses import replace

import numpy as np

from coopsim.features.desktop.rendering import SceneRenderer
from coopsim.features.renderers.checks.report import PixelCheck, PixelFinding, all_of, finding
from coopsim.features.renderers.checks.scenes import (
    BLUE,
    GREEN,
    HUES,
    RED,
    SIZE,
    channels,
    entity,
    eye,
    floor,
    hue_at,
    is_hue,
    pixel_of,
    render,
    rows_of,
)

_EDGE = 1.0  # pixels; where the middle of a pixel decides, an edge is half a pixel off, and rounding adds the rest
_AREA = 0.04  # of the pixels that perspective says; a row and a column of a face of 60 pixels are 0.034
_MANY = 100
_SIDES = (0.6, 0.12)
"""Distance and size of many small things [m]."""


def _shapes(renderer: SceneRenderer) -> PixelFinding:
    camera, parts = eye(), []
    for shape in ("box", "sphere", "cylinder", "cone", "capsule", "arrow"):
        for color, channel in HUES.items():
            place = (-0.5, 0.0, 0.5) if shape == "arrow" else (0.0, 0.0, 0.0)
            picture = render(renderer, rows_of(entity(shape=shape, at=place, color=color)), camera)
            seen = hue_at(picture, camera, (0.0, 0.0, 0.45))
            parts.append(finding(seen == channel, f"{shape}: {channels([seen])}, expected {channels([channel])}"))
    return all_of(*parts)


def _upright(renderer: SceneRenderer) -> PixelFinding:
    camera = eye()
    rows = rows_of(
        entity("above", at=(0.0, 0.0, 1.2), size=(0.4, 0.4, 0.4)),
        entity("left", at=(0.0, 1.2, 0.3), size=(0.4, 0.4, 0.4), color=GREEN),
        entity("right", at=(0.0, -1.2, 0.3), size=(0.4, 0.4, 0.4), color=BLUE),
    )
    picture = render(renderer, rows, camera)
    height, width = picture.shape[:2]
    places = [np.argwhere(is_hue(picture, channel)).mean(axis=0) for channel in range(3)]
    up, left, right = (place.round(1).tolist() for place in places)
    is_kept = up[0] < height / 3 and left[1] < width / 3 and right[1] > 2 * width / 3
    return finding(is_kept, f"row and column of what is above {up}, left {left}, right {right} of {height} x {width}")


def _edges(renderer: SceneRenderer) -> PixelFinding:
    camera = eye(size=(320, 240))
    picture = render(renderer, rows_of(entity(color=RED)), camera)
    shown = np.argwhere(is_hue(picture, 0))
    if not len(shown):
        return finding(False, "a red box is nowhere")
    (top, left), (bottom, right) = shown.min(axis=0), shown.max(axis=0) + 1
    corners, _ = camera.project(np.array([(-0.5, 0.5, 1.0), (-0.5, -0.5, 0.0)]))
    expected = np.array([240.0 - corners[0, 1], corners[0, 0], 240.0 - corners[1, 1], corners[1, 0]])
    off = float(np.abs(np.array([top, left, bottom, right]) - expected).max())
    area = (expected[2] - expected[0]) * (expected[3] - expected[1])
    share = abs(len(shown) / area - 1.0)
    return all_of(
        finding(off <= _EDGE, f"edges of a box off by {off:.2f} pixels, at most {_EDGE:g}"),
        finding(share <= _AREA, f"its area off by {100 * share:.2f} %, at most {100 * _AREA:g} %"),
    )


def _moving(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(entity(size=(0.4, 0.4, 0.4)))
    before = render(renderer, rows, camera)
    rows.model.put(np.array([0]), np.array([[0.0, 1.0, 0.5, 1.0, 0.0, 0.0, 0.0]]))
    rows.update()
    after = render(renderer, rows, camera)
    seen = [
        hue_at(before, camera, (0.0, 0.0, 0.2)),
        hue_at(after, camera, (0.0, 0.0, 0.2)),
        hue_at(after, camera, (0.0, 1.0, 0.7)),
    ]
    return finding(seen == [0, -1, 0], f"before, at the old place, at the new one: {channels(seen)}")


def _turning(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(entity(size=(0.2, 2.0, 0.2), at=(0.0, 0.0, 0.4)))
    half = np.sqrt(0.5)
    lying = render(renderer, rows, camera)
    rows.model.put(np.array([0]), np.array([[0.0, 0.0, 0.5, half, half, 0.0, 0.0]]))  # a quarter about x
    rows.update()
    standing = render(renderer, rows, camera)
    seen = [
        *(hue_at(lying, camera, (0.0, 0.9, 0.5)), hue_at(lying, camera, (0.0, 0.0, 1.4))),
        *(hue_at(standing, camera, (0.0, 0.9, 0.5)), hue_at(standing, camera, (0.0, -0.1, 1.4))),
    ]
    return finding(seen == [0, -1, -1, 0], f"a beam that lies, aside and above, then stands: {channels(seen)}")


def _occlusion(renderer: SceneRenderer) -> PixelFinding:
    camera, near, far = eye(), (-1.0, 0.0, 0.0), (1.5, 0.0, 0.0)
    parts = []
    for order in (1, -1):  # whatever is drawn first
        rows = rows_of(*[entity("far", at=far, size=(1.0, 4.0, 4.0), color=BLUE), entity("near", at=near)][::order])
        picture = render(renderer, rows, camera)
        seen = [hue_at(picture, camera, (-1.5, 0.0, 0.5)), hue_at(picture, camera, (1.0, 1.5, 0.5))]
        parts.append(finding(seen == [0, 2], f"a red box before a blue wall, and the wall: {channels(seen)}"))
    return all_of(*parts)


def _hidden(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(entity("box"), entity("wall", at=(2.0, 0.0, 0.0), size=(1.0, 6.0, 6.0), color=BLUE))
    rows.mark(frozenset(), frozenset({"box"}))
    seen = [hue_at(render(renderer, rows, camera), camera, (-0.5, 0.0, 0.5))]
    rows.mark(frozenset(), frozenset())
    seen.append(hue_at(render(renderer, rows, camera), camera, (-0.5, 0.0, 0.5)))
    return finding(seen == [2, 0], f"where a box is hidden, and where it is shown again: {channels(seen)}")


def _background(renderer: SceneRenderer) -> PixelFinding:
    camera = eye()
    picture = render(renderer, rows_of(floor()), camera).astype(float)
    row, column = pixel_of(camera, (0.0, 0.0, 0.0))
    ground, sky = picture[row, column], picture[2, column]
    is_grey = float(np.ptp(ground)) < 60.0 and float(ground.mean()) > 60.0
    is_other = float(np.abs(ground - sky).max()) > 8.0
    return finding(is_grey and is_other, f"floor {ground.tolist()}, sky {sky.tolist()}: grey, and another colour")


def _many(renderer: SceneRenderer) -> PixelFinding:
    camera, (distance, side) = eye(-9.0, (320, 240), 3.0), _SIDES
    colors = list(HUES)
    places = [(0.0, (number % 10 - 4.5) * distance, number // 10 * distance + 0.3) for number in range(_MANY)]
    things = [
        entity(f"thing{number}", ("box", "sphere", "cylinder")[number % 3], place, size=(side, side, side))
        for number, place in enumerate(places)
    ]
    things = [replace(thing, color=colors[number % 7 % 3]) for number, thing in enumerate(things)]
    picture = render(renderer, rows_of(*things), camera)
    wrong = [
        thing.name
        for number, (thing, (x, y, z)) in enumerate(zip(things, places, strict=True))
        if hue_at(picture, camera, (x, y, z + side / 2)) != number % 7 % 3
    ]
    return finding(not wrong, f"{_MANY - len(wrong)} of {_MANY} things have their colour at their pixel {wrong[:5]}")


def _sizes(renderer: SceneRenderer) -> PixelFinding:
    rows, parts = rows_of(entity()), []
    for size in (SIZE, (64, 48), (200, 100), (33, 17), (17, 33), SIZE):
        camera = eye(size=size)
        picture = render(renderer, rows, camera)
        seen = hue_at(picture, camera, (-0.5, 0.0, 0.5)) if picture.shape == (size[1], size[0], 3) else -1
        parts.append(finding(seen == 0, f"{size[0]} x {size[1]}: shape {picture.shape}, {channels([seen])}"))
    return all_of(*parts)


CHECKS = (
    PixelCheck("shapes have their colours", _shapes),
    PixelCheck("pictures begin at the top, left is left", _upright),
    PixelCheck("edges are where perspective says", _edges),
    PixelCheck("what moves is drawn where it went", _moving),
    PixelCheck("what turns is drawn as it turned", _turning),
    PixelCheck("near things hide what is behind them", _occlusion),
    PixelCheck("hidden entities are not drawn", _hidden),
    PixelCheck("the floor is no sky", _background),
    PixelCheck("a hundred things are each where they are", _many),
    PixelCheck("pictures have the size of their camera", _sizes),
)
