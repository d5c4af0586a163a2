"""Renderers keep the contract by the pixels of known scenes, and broken ones are told where (S-2, S-8, S-12, S-76)."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from coopsim import plugins
from coopsim.errors import BadArgument, CannotDraw, PluginFailed
from coopsim.features.desktop.quality import Quality
from coopsim.features.desktop.rendering import SceneRenderer, renderer_names
from coopsim.features.desktop.rendering.opengl import OpenGlRenderer
from coopsim.features.renderers.checks import check_renderer
from coopsim.features.renderers.checks.check import CHECKS, CheckedRenderer
from coopsim.features.renderers.checks.report import BROKEN, PixelFinding
from coopsim.features.renderers.mujoco_renderer import MujocoRenderer

LEFT_OUT = {"opengl": [], "mujoco": ["what is selected is outlined"]}


def finding_of(kind: type[SceneRenderer], promise: str) -> PixelFinding:
    (check,) = [check for check in CHECKS if check.name == promise]
    with CheckedRenderer(kind) as checked:
        return checked.run(check)


@pytest.mark.parametrize("name", [name for name in renderer_names() if not plugins.is_foreign("renderers", name)])
def test_every_built_in_renderer_passes_the_same_pixel_checks(name: str) -> None:
    """S-12: the framework does not depend on a concrete rendering library."""
    report = check_renderer(name)
    assert report.failures == ()
    assert len(report.findings) == len(CHECKS) + 1
    assert [finding.name for finding in report.findings if finding.result == "not offered"] == LEFT_OUT[name]
    assert str(report).splitlines()[0].startswith(f"{name}: ")
    assert "  passed      the depth of a wall is that along the axis: 0.5 m: off by " in str(report)


class Altered(OpenGlRenderer):
    """Draws as the built-in one, and then changes its pixels."""

    def begin(self, rows: Any, camera: Any, order: Any) -> Callable[[], NDArray[Any]]:
        read = super().begin(rows, camera, order)
        return lambda: self.altered(read(), order.kind)

    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        raise NotImplementedError


class Inverted(Altered):
    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        return pixels[::-1]


class Mirrored(Altered):
    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        return np.ascontiguousarray(pixels[:, ::-1])


class Radial(Altered):
    """Its depths are distances from the eye."""

    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        if kind != "depth":
            return pixels
        height, width = pixels.shape
        y, x = (np.mgrid[0:height, 0:width] + 0.5 - np.array([height, width])[:, None, None] / 2) / height
        return (pixels * np.sqrt(1.0 + (x**2 + y**2) * 4.0 / 3.0)).astype(np.float32)


class Bounded(Altered):
    """It says 0 where there is nothing."""

    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        return np.where(np.isfinite(pixels), pixels, 0).astype(pixels.dtype) if kind == "depth" else pixels


class Bytes(Altered):
    """Its labels are bytes."""

    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        return (pixels & 0xFF).astype(np.uint16) if kind == "labels" else pixels


class Noisy(Altered):
    chance = np.random.default_rng(1)

    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        return pixels ^ self.chance.integers(0, 4, pixels.shape).astype(np.uint32) if kind == "colors" else pixels


class Hoarder(Altered):
    """It keeps a copy of each picture."""

    kept: list[NDArray[Any]]

    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        self.kept = [*getattr(self, "kept", []), np.repeat(np.ascontiguousarray(pixels), 4, axis=0)]
        return pixels


class Lazy(OpenGlRenderer):
    """It draws when pixels are asked for, of rows that may be others by then."""

    def begin(self, rows: Any, camera: Any, order: Any) -> Callable[[], NDArray[Any]]:
        def read() -> NDArray[Any]:
            return OpenGlRenderer.begin(self, rows, camera, order)()

        return read


class Static(OpenGlRenderer):
    """It never notices that another scene came."""

    def begin(self, rows: Any, camera: Any, order: Any) -> Callable[[], NDArray[Any]]:
        self.first = getattr(self, "first", rows)
        return super().begin(self.first, camera, order)


class Plain(OpenGlRenderer):
    """It claims shadows, and draws none."""

    def begin(self, rows: Any, camera: Any, order: Any) -> Callable[[], NDArray[Any]]:
        return super().begin(rows, camera, replace(order, quality=Quality("off", 1)))


class FixedSize(Altered):
    def altered(self, pixels: NDArray[Any], kind: str) -> NDArray[Any]:
        return np.resize(pixels, (120, 160))


class Crude(OpenGlRenderer):
    def begin(self, rows: Any, camera: Any, order: Any) -> Callable[[], NDArray[Any]]:
        raise KeyError(order.kind)


@pytest.mark.parametrize(
    ("kind", "promise", "numbers"),
    [
        (Inverted, "pictures begin at the top, left is left", "row and column of what is above"),
        (Mirrored, "pictures begin at the top, left is left", "left"),
        (Radial, "the depth of a wall is that along the axis", "off by"),
        (Bounded, "where there is nothing depths are infinite", "expected inf"),
        (Bytes, "labels go beyond one byte", "of 700 boxes"),
        (Noisy, "the same scene gives the same picture", "pixels of the same picture differ"),
        (Hoarder, "pictures leave no memory behind", "MB, at most 16"),
        (Lazy, "rows may change once a picture is begun", "it shows no colour, expected red"),
        (Static, "scenes may take each other's place", "red, red, red"),
        (Static, "shapes have their colours", "expected green"),
        (Plain, "things throw shadows", "1.00 of the light under a plate"),
        (FixedSize, "pictures have the size of their camera", r"64 x 48: shape \(120, 160, 3\)"),
        (Crude, "near things hide what is behind them", r"test_renderers_contract\.py:\d+: KeyError: 'colors'"),
    ],
)
def test_a_broken_renderer_is_told_which_promise_it_breaks(
    kind: type[SceneRenderer], promise: str, numbers: str
) -> None:
    finding = finding_of(kind, promise)
    assert finding.result == BROKEN
    assert finding.name == promise
    assert re.search(numbers, finding.numbers), finding.numbers


def test_a_report_of_a_broken_renderer_lists_every_failure() -> None:
    with pytest.raises(PluginFailed, match=r"the renderer .*\.Crude breaks the contract in 29 places") as caught:
        check_renderer(Crude)
    lines = str(caught.value).splitlines()
    assert len(lines) == 30
    assert all("failed" in line for line in lines[1:])


class Vague(OpenGlRenderer):
    abilities = frozenset({"depth", "smell"})


class Wordless(OpenGlRenderer):
    abilities = ("depth",)  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("kind", "text"), [(Vague, r"unknown abilities \['smell'\]"), (Wordless, "expected a frozenset of depth, labels")]
)
def test_a_renderer_has_to_say_what_it_draws(kind: type[SceneRenderer], text: str) -> None:
    with pytest.raises(PluginFailed, match=text):
        check_renderer(kind)


class Absent(OpenGlRenderer):
    def __init__(self, tell: Callable[[str], object] = print, source: Any = None) -> None:
        raise CannotDraw("there is no graphics card here")


def test_a_renderer_that_cannot_be_used_here_is_no_fault_of_its_author() -> None:
    with pytest.raises(CannotDraw, match="no graphics card"):
        check_renderer(Absent)


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(BadArgument, match="no renderer 'mujcoo'; known: opengl, mujoco; did you mean 'mujoco'"):
        check_renderer("mujcoo")


class Modest(MujocoRenderer):
    abilities = frozenset()


def test_a_renderer_may_draw_colours_alone() -> None:
    with CheckedRenderer(Modest) as checked:
        results = {check.name: checked.run(check).result for check in CHECKS if check.needs}
    assert set(results.values()) == {"not offered"}
    assert len(results) == 12
