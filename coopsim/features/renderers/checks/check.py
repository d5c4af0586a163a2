"""All pixel checks of a renderer, one after another."""

import contextlib
import traceback
from typing import Self

from coopsim.errors import CoopsimError, PluginFailed
from coopsim.features.desktop.rendering import ABILITIES, SceneRenderer
from coopsim.features.desktop.rendering.choosing import renderer_class
from coopsim.features.renderers.checks import colors, distances, extras, lasting
from coopsim.features.renderers.checks.report import (
    BROKEN,
    KEPT,
    LEFT_OUT,
    LifeCheck,
    PixelCheck,
    PixelFinding,
    PixelReport,
)

CHECKS: tuple[PixelCheck | LifeCheck, ...] = (
    *colors.CHECKS,
    *distances.CHECKS,
    *extras.CHECKS,
    *lasting.CHECKS,
)


def check_renderer(renderer: str | type[SceneRenderer]) -> PixelReport:
    """Hold a renderer to the contract (`coopsim.features.desktop.rendering.SceneRenderer`).

    Source: SwarmSimX, section 2.1 (the framework does not depend on a rendering library).

    Args:
        renderer: The class, or the name under which it is registered.

    Returns:
        One line for each check: passed, or not offered by a renderer that does not claim the ability.

    Raises:
        PluginFailed: The renderer breaks the contract; the text lists every failure with its numbers.
        BadArgument: No renderer of this name is registered.
        CannotDraw: It cannot be used on this machine.
    """
    kind = renderer_class(renderer) if isinstance(renderer, str) else renderer
    name = renderer if isinstance(renderer, str) else f"{kind.__module__}.{kind.__qualname__}"
    claims = _claims(kind)
    if claims.result == BROKEN:
        raise _failure(PixelReport(name, (claims,)))
    with CheckedRenderer(kind) as checked:  # where it cannot be used at all, that is no fault of its author
        report = PixelReport(name, (claims, *(checked.run(check) for check in CHECKS)))
    if report.failures:
        raise _failure(report)
    return report


def _failure(report: PixelReport) -> PluginFailed:
    lines = "\n".join(f"  {finding}" for finding in report.failures)
    return PluginFailed(
        f"the renderer {report.renderer} breaks the contract in {len(report.failures)} places:\n{lines}"
    )


def _claims(kind: type[SceneRenderer]) -> PixelFinding:
    name = "it says what it draws"
    claimed = getattr(kind, "abilities", None)
    if not isinstance(claimed, frozenset):
        return PixelFinding(BROKEN, f"`abilities` is {claimed!r}, expected a frozenset of {', '.join(ABILITIES)}", name)
    unknown = sorted(claimed - ABILITIES.keys())
    if unknown:
        return PixelFinding(BROKEN, f"unknown abilities {unknown}; expected {', '.join(ABILITIES)}", name)
    return PixelFinding(KEPT, ", ".join(sorted(claimed)) or "colours alone", name)


class CheckedRenderer:
    """A renderer that is opened once for all checks, and once more where it failed in one.

    Args:
        kind: Its class.

    Raises:
        CannotDraw: It cannot be used on this machine.
    """

    def __init__(self, kind: type[SceneRenderer]) -> None:
        self._kind = kind
        self._renderer: SceneRenderer | None = kind(_silent, None)

    def run(self, check: PixelCheck | LifeCheck) -> PixelFinding:
        """Carry out one check; a renderer that raises anything has not kept the promise."""
        if check.needs and check.needs not in self._kind.abilities:
            return PixelFinding(LEFT_OUT, "", check.name)
        try:
            measured = check.run(self._kind) if isinstance(check, LifeCheck) else check.run(self._opened())
            return measured._replace(name=check.name)
        except CoopsimError as problem:
            text = f"{type(problem).__name__}: {problem}"
        except Exception as problem:  # foreign code may raise anything; whatever it is, the author learns where
            frame = traceback.extract_tb(problem.__traceback__)[-1]
            text = f"{frame.filename}:{frame.lineno}: {type(problem).__name__}: {problem}"
        self.close()
        return PixelFinding(BROKEN, text, check.name)

    def close(self) -> None:
        """Close what is open; whether that works is a check of its own."""
        renderer, self._renderer = self._renderer, None
        if renderer is not None:
            with contextlib.suppress(Exception):
                renderer.close()

    def _opened(self) -> SceneRenderer:
        if self._renderer is None:
            self._renderer = self._kind(_silent, None)
        return self._renderer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _silent(_text: str) -> None:
    """Take a note, and say nothing."""
