"""The option `--scale` of commands that open a window."""

import os
from collections.abc import Callable
from typing import Any

import click

from coopsim.features.desktop.screen import LARGEST_SCALE, LEAST_SCALE

_VARIABLE = "COOPSIM_SCALE"


def scale_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--scale` to a command: its window, and those that it opens, have as many pixels for each unit."""
    return click.option(
        "--scale",
        type=click.FloatRange(LEAST_SCALE, LARGEST_SCALE),
        envvar=_VARIABLE,
        expose_value=False,
        callback=_choose,
        help="Pixels for each unit of the window: 2 on fine displays.  [$COOPSIM_SCALE, or as the display says]",
    )(command)


def _choose(_context: click.Context, _option: click.Parameter, scale: float | None) -> None:
    if scale is not None:
        os.environ[_VARIABLE] = f"{scale:g}"


def chosen_scale() -> float:
    """Return the scale that the option, or the environment, gave; 0 = none."""
    return float(os.environ.get(_VARIABLE) or 0.0)
