"""Checks of one picture after another: order, repetition, memory, several renderers at once."""

import os
from pathlib import Path

import numpy as np

from coopsim.features.desktop.rendering import PictureOrder, SceneRenderer
from coopsim.features.renderers.checks.report import LifeCheck, OpenNew, PixelCheck, PixelFinding, all_of, finding
from coopsim.features.renderers.checks.scenes import (
    BLUE,
    PLAIN,
    channels,
    entity,
    eye,
    floor,
    hue_at,
    render,
    rows_of,
)

_FRAMES, _WARM = 200, 40
_GROWTH = 16.0
"""Memory that may be added by that many pictures [MB]: a leak of one small picture each would be 15 and more."""
_SIDES = (256, 192)
_MEMORY = Path("/proc/self/statm")
_FILES = Path("/proc/self/fd")
_ROUNDS = 4
_SPARE = 2
"""Files that a driver may keep open for later."""


def _repeated(renderer: SceneRenderer) -> PixelFinding:
    rows, camera = rows_of(floor(), entity(), entity("ball", "sphere", (1.0, 1.0, 0.0))), eye()
    first, second = render(renderer, rows, camera), render(renderer, rows, camera)
    differing = int((first != second).any(axis=2).sum())
    return finding(differing == 0, f"{differing} pixels of the same picture differ when it is drawn again")


def _pipeline(renderer: SceneRenderer) -> PixelFinding:
    camera, order = eye(), PictureOrder("colors", PLAIN)
    first, second = rows_of(entity()), rows_of(entity(color=BLUE))
    reads = [renderer.begin(rows, camera, order) for rows in (first, second)]
    words = [read() for read in reads]
    seen = [hue_at(_split(picture), camera, (-0.5, 0.0, 0.5)) for picture in words]
    return all_of(
        finding(seen == [0, 2], f"two pictures that are begun before one is read: {channels(seen)}"),
        finding(words[0].dtype == np.uint32, f"pixels are {words[0].dtype}, expected uint32"),
    )


def _copied(renderer: SceneRenderer) -> PixelFinding:
    camera, rows = eye(), rows_of(entity())
    read = renderer.begin(rows, camera, PictureOrder("colors", PLAIN))
    rows.model.put(np.array([0]), np.array([[0.0, 50.0, 0.0, 1.0, 0.0, 0.0, 0.0]]))
    rows.update()
    seen = hue_at(_split(read()), camera, (-0.5, 0.0, 0.5))
    return finding(seen == 0, f"rows changed after a picture was begun; it shows {channels([seen])}, expected red")


def _models(renderer: SceneRenderer) -> PixelFinding:
    camera = eye()
    first, second = rows_of(entity()), rows_of(floor(), entity(shape="sphere", color=BLUE))
    pictures = [render(renderer, rows, camera) for rows in (first, second, first)]
    seen = [hue_at(picture, camera, (-0.4, 0.0, 0.5)) for picture in pictures]
    return finding(seen == [0, 2, 0], f"a scene, another one, the first again: {channels(seen)}")


def _leaks(renderer: SceneRenderer) -> PixelFinding:
    if not _MEMORY.exists():
        return finding(True, "not measured on this system")
    camera, before = eye(size=_SIDES), 0.0
    for frame in range(_WARM + _FRAMES):
        if frame == _WARM:
            before = _megabytes()
        shape = ("box", "sphere", "cone")[frame // 10 % 3]
        if frame % 10 == 0:  # scenes are edited, too
            rows = rows_of(floor(), entity(shape=shape), *(entity(f"b{n}", at=(3.0, n, 0.0)) for n in range(5)))
        render(renderer, rows, camera, ("colors", "depth")["depth" in renderer.abilities and frame % 2])
    grown = _megabytes() - before
    return finding(
        grown <= _GROWTH, f"{_FRAMES} pictures of {_FRAMES // 10} scenes take {grown:.1f} MB, at most {_GROWTH:g}"
    )


def _neighbours(open_new: OpenNew) -> PixelFinding:
    camera, seen = eye(), []
    with open_new(_silent, None) as first, open_new(_silent, None) as second:
        rows = rows_of(entity()), rows_of(entity(color=BLUE))
        for renderer, scene in ((first, rows[0]), (second, rows[1]), (first, rows[1]), (second, rows[0])):
            seen.append(hue_at(render(renderer, scene, camera), camera, (-0.5, 0.0, 0.5)))
    return finding(seen == [0, 2, 2, 0], f"two renderers by turns: {channels(seen)}")


def _opened(open_new: OpenNew) -> PixelFinding:
    camera, seen, counts = eye(), [], []
    for _ in range(_ROUNDS):
        with open_new(_silent, None) as renderer:
            seen.append(hue_at(render(renderer, rows_of(entity()), camera), camera, (-0.5, 0.0, 0.5)))
        counts.append(len(os.listdir(_FILES)) if _FILES.exists() else 0)
    return all_of(
        finding(set(seen) == {0}, f"opened and closed {_ROUNDS} times: {channels(seen)}"),
        finding(counts[-1] <= counts[0] + _SPARE, f"files open after each time {counts}"),
    )


def _silent(_text: str) -> None:
    """Take a note, and say nothing."""


def _split(words: np.ndarray) -> np.ndarray:
    """Return red, green and blue of pixels that are words."""
    return np.stack([words >> shift & 0xFF for shift in (0, 8, 16)], axis=-1).astype(np.uint8)


def _megabytes() -> float:
    """Return the memory that this process has [MB]."""
    return int(_MEMORY.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


CHECKS: tuple[PixelCheck | LifeCheck, ...] = (
    PixelCheck("the same scene gives the same picture", _repeated),
    PixelCheck("two pictures may be begun before one is read", _pipeline),
    PixelCheck("rows may change once a picture is begun", _copied),
    PixelCheck("scenes may take each other's place", _models),
    PixelCheck("pictures leave no memory behind", _leaks),
    LifeCheck("renderers draw beside each other", _neighbours),
    LifeCheck("a closed renderer leaves nothing open", _opened),
)
