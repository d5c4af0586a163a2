"""Options of `coopsim run` about images of cameras in a recording."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from coopsim.app.options import FiniteRange

if TYPE_CHECKING:
    from coopsim.transport.control import ImageChoice

IMAGE_OPTIONS = ("images", "images_rate", "images_limit")
"""Names of the options."""
_OPTIONS = (
    click.option(
        "--images",
        type=click.Choice(["color", "depth", "both"]),
        help="Record what cameras of robots take, too: as PNG files in the recording.",
    ),
    click.option(
        "--images-rate",
        type=FiniteRange(0.0, min_open=True),
        help="Largest number of images per simulated second of each camera. [all that it takes]",
    ),
    click.option(
        "--images-limit",
        type=FiniteRange(0.0, min_open=True),
        metavar="MB",
        help="Record no more images when they have taken so many megabytes. [no limit]",
    ),
)


def image_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def image_choice(choices: dict[str, Any]) -> "ImageChoice | None":
    """Take the options out of what the command line says; return what they mean."""
    from coopsim.transport.control import ImageChoice

    images, rate, limit = (choices.pop(name) for name in IMAGE_OPTIONS)
    for name, value in (("--images-rate", rate), ("--images-limit", limit)):
        if value is not None and images is None:
            raise click.UsageError(f"{name} belongs to --images color, depth or both")
    if images is not None and choices["record"] is None:
        raise click.UsageError("--images belongs to --record FILE")
    return ImageChoice.of(images or "", rate or 0.0, round((limit or 0.0) * 1e6))
