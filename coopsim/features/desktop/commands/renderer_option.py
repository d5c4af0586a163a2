"""The option `--renderer` of commands that draw, or begin processes that do."""

from collections.abc import Callable
from typing import Any

import click


class RendererName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Name of a renderer."""

    name = "NAME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of a renderer that is registered."""
        from coopsim.errors import BadArgument
        from coopsim.features.desktop.rendering import check_name

        try:
            return check_name(str(value))
        except BadArgument as problem:
            self.fail(str(problem), param, ctx)


def _names(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """Return the names that begin so."""
    from coopsim.features.desktop.rendering import renderer_names

    return [name for name in renderer_names() if name.startswith(begun)]


def renderer_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--renderer` to a command: this process, and those that it starts, draw with it."""
    return click.option(
        "--renderer",
        type=RendererName(),
        expose_value=False,
        callback=_choose,
        shell_complete=_names,
        metavar="NAME",
        help="Draw window, pictures and images of cameras with it.  [$COOPSIM_RENDERER, or opengl]",
    )(command)


def _choose(_context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name is not None:
        from coopsim.features.desktop.rendering import choose

        choose(name)
