"""Types of options that several commands share."""

import json
import math
import re
from pathlib import Path
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A number within a range that is neither NaN nor infinite."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number

    def _describe_range(self) -> str:
        """Return the range for the help, "" without bounds: click would write `x<=None`."""
        return "" if self.min is None and self.max is None else super()._describe_range()


class Seconds(FiniteRange):
    """A time: a number of seconds, or one with a unit such as 500ms, 10s, 2min, 1h."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        word = str(value).strip()
        match = _TIME.fullmatch(word)
        if match is None:
            self.fail(
                f"{value!r} is no time; give seconds, as 10 or 2.5, or a unit, as 500ms, 10s, 2min, 1h", param, ctx
            )
        return super().convert(float(match[1]) * _UNITS[match[2] or "s"], param, ctx)


_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_TIME = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf|nan) ?(ms|s|min|h)?", re.IGNORECASE)

NO_WINDOW = "Open no window; where there is no display none is opened anyway."

SPEED = FiniteRange(0.1, 100.0)
STEP = FiniteRange(1e-4, 1.0)
DURATION = Seconds(0.0, 1e9, min_open=True)


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


class Engine(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Name of a registered physics engine; those of loose plugins are known once these are loaded."""

    name = "engine"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name."""
        from coopsim import plugins
        from coopsim.scene import choices, hint, quoted
        from coopsim.scene.specs import OPTION

        engines = plugins.registered("engines")
        if value.partition(OPTION)[0] not in engines:
            self.fail(f"no engine {quoted(value)}{hint(value, engines)}; known: {choices(engines)}", param, ctx)
        return str(value)


def engine_option(command: Any) -> Any:
    """Add `--engine` to a command that simulates."""
    option = click.option(
        "--engine",
        type=Engine(),
        metavar="NAME",
        help="Use this physics engine, not the scenario's, perhaps with options: mujoco+rk4+4.",
    )
    return option(command)


def web_option(command: Any) -> Any:
    """Add `--web` to a command that serves."""
    text = "Serve a page for browsers beside it, and print its links; needs the extra `web`."
    return click.option("--web", is_flag=True, help=text)(command)


def ready_option(command: Any) -> Any:
    """Add `--ready` to a command that serves."""
    text = "Write to a file, as JSON, where it answers, as soon as it does."
    path = click.Path(dir_okay=False, path_type=Path)
    return click.option("--ready", type=path, callback=_ready_place, help=text)(command)


def _ready_place(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a place where no file can be made, or where something is that must stay."""
    from coopsim.app.saving import check_place

    if path is not None:
        check_place(path, "--ready")
        if path.exists() and not _is_ready_file(path):
            raise click.UsageError(f"--ready {path}: there is a file that no run wrote; give another name")
    return path


def _is_ready_file(path: Path) -> bool:
    try:
        ready = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(ready, dict) and {"run", "pid", "zmq"} <= ready.keys()


def endpoint_option(command: Any) -> Any:
    """Add `--endpoint` to a command that talks to a running simulation."""
    option = click.option(
        "--endpoint",
        envvar="COOPSIM_ENDPOINT",
        metavar="ADDRESS",
        help="Where the run answers, HOST:PORT. [127.0.0.1:5570]",
    )
    return option(command)


def plugin_option(command: Any) -> Any:
    """Add `--plugin` to a command: each file is loaded before the command begins."""
    option = click.option(
        "--plugin",
        type=click.Path(path_type=Path),
        multiple=True,
        expose_value=False,
        is_eager=True,
        callback=_plug,
        metavar="FILE",
        help="Load what a file .py, .robot or .xml brings: devices, controllers, robots, ...; repeatable.",
    )
    return option(command)


def _plug(_context: click.Context, _option: click.Parameter, files: tuple[Path, ...]) -> None:
    if files:
        from coopsim.robots import plug

        for file in files:
            plug(file)
