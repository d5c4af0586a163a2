"""What `coopsim screenshot` and `coopsim video` share."""

import re
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from coopsim.viewer.shown import Shown

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")
_SMALLEST, _LARGEST = 16, 8192
CAMERA_HELP = (
    "Look from `iso`, `top`, `front` or `side`, from behind a ROBOT, or by six numbers X,Y,Z,X,Y,Z: where the eye is "
    "and where it looks [m]."
)


class PictureSize(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Width and height of a picture: 1280x800."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return width and height [pixels]."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]  # click converts a value twice
        found = _SIZE.fullmatch(value.strip().lower())
        if found is None:
            self.fail(f"{value!r} is not of the form WIDTHxHEIGHT, such as 1280x800.", param, ctx)
        size = int(found[1]), int(found[2])
        if not all(_SMALLEST <= each <= _LARGEST for each in size):
            self.fail(f"{value!r}: width and height are from {_SMALLEST} to {_LARGEST} pixels.", param, ctx)
        return size


def picture_options(command: Any) -> Any:
    """Add the options of how to look at a scene."""
    for option in (
        click.option("--labels", is_flag=True, help="Write the names of robots and targets."),
        click.option("--trails", type=click.FloatRange(0.0), default=0.0, help="Draw the ways of the last seconds."),
        click.option("--camera", default="iso", show_default=True, metavar="VIEW|ROBOT|X,Y,Z,X,Y,Z", help=CAMERA_HELP),
        click.option("--size", type=PictureSize(), default="1280x800", show_default=True, help="Of the picture."),
    ):
        command = option(command)
    return command


def check_time(shown: "Shown", seconds: float, option: str) -> float:
    """Return an instant that a file shows.

    Args:
        shown: The file.
        seconds: The instant [s].
        option: What it is called on the command line.

    Raises:
        UsageError: The file does not show it.
    """
    if shown.begin == shown.end and seconds != shown.begin:
        raise click.UsageError(
            f"{option} {seconds:g}: a scenario or world is drawn as it begins; record a run of it first: "
            "coopsim run FILE --record run.mcap"
        )
    if not shown.begin <= seconds <= shown.end + 1e-9:
        raise click.UsageError(f"{option} {seconds:g}: the recording goes from {shown.begin:g} to {shown.end:g} s")
    return seconds
