"""Types of options that several commands share."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A number within a range that is neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


SPEED = FiniteRange(0.1, 100.0)
STEP = FiniteRange(1e-4, 1.0)
DURATION = FiniteRange(0.0, min_open=True)


class Wanted(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Robots to wait for: how many, or their names with commas between."""

    name = "N|NAMES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | tuple[str, ...]:
        """Return a number, or names."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]  # click converts a value twice
        if value.isdecimal():
            return int(value)
        names = tuple(name.strip() for name in value.split(","))
        if not all(names) or value.startswith("-"):
            self.fail(f"{value!r} is neither a number nor names such as robot1,robot2.", param, ctx)
        return names


def endpoint_option(command: Any) -> Any:
    """Add `--endpoint` to a command that talks to a running simulation."""
    option = click.option(
        "--endpoint", envvar="COOPSIM_ENDPOINT", metavar="ADDRESS", help="Where it answers [tcp://127.0.0.1:5570]."
    )
    return option(command)
