"""`coopsim import robot`."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import click

from coopsim.app import completing, talk
from coopsim.app.saving import save

_SUFFIX = ".robot"


@click.command(short_help="Write a robot that is a model of URDF, xacro, MJCF or SDF.")
@click.argument("file", type=click.Path(path_type=Path), shell_complete=completing.files)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file that is written. It is never overwritten.  [NAME.robot in this folder]",
)
@click.option("--free", is_flag=True, help="Its base moves; without it the base stays where the model says.")
@click.option(
    "--arg",
    "given",
    multiple=True,
    metavar="NAME:=VALUE",
    help="An argument of a file with macros; repeatable.",
)
@click.option("--report", is_flag=True, help="Print all that is left out or changed, with lines.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def robot(file: Path, out: Path | None, free: bool, given: Sequence[str], report: bool, as_json: bool) -> int:
    """Write a `.robot` file that names the model FILE, with its modules in it, to be changed, and room for devices.

    The model is read anew whenever the robot is: keep it where it is.

    \b
    coopsim import robot panda.urdf
    coopsim import robot go1.xml -o walker.robot --free --report
    coopsim import robot ur.urdf.xacro --arg ur_type:=ur5e --arg name:=ur
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.models.extended_models import model_arguments
    from coopsim.features.models.left_out import LossList
    from coopsim.features.models.robot_text import check_robot_text, read_source, robot_text

    target = out if out is not None else Path(f"{_name_of(file)}{_SUFFIX}")
    _check_target(target)
    losses, arguments = LossList(), model_arguments(given)
    _check_arguments(given)
    model = read_source(file, losses, arguments)
    text = robot_text(model, file, target, is_free=free, arguments=arguments)
    check_robot_text(text, target)
    save(target, text)
    if as_json:
        talk.data(json.dumps(losses.plain()))
    elif report:
        for line in losses.lines():
            talk.data(line)
    talk.note(losses.summary())
    talk.note(f"wrote {target}: {len(model.links)} links, {len(model.joints)} joints")
    return 0


def _name_of(file: Path) -> str:
    """Return the name of a file as that of a robot type, `go_1` of `go-1.urdf.xacro`."""
    word = re.sub(r"\W", "_", file.name.partition(".")[0], flags=re.ASCII)
    return word if word and not word[0].isdigit() else f"robot_{word}"


def _check_arguments(given: Sequence[str]) -> None:
    """Check the words of arguments.

    Raises:
        UsageError: One is no `NAME:=VALUE`, or has white space, which no robot file can hold.
    """
    for word in given:
        if not re.fullmatch(r"\w+:=\S+", word):
            raise click.UsageError(f"--arg {word!r}: expected NAME:=VALUE, without blanks")


def _check_target(target: Path) -> None:
    """Check that a file can be written.

    Raises:
        UsageError: It is there, is called otherwise than robots are, or its folder is missing.
    """
    if target.suffix != _SUFFIX or not re.fullmatch(r"[A-Za-z_]\w*", target.stem, flags=re.ASCII):
        raise click.UsageError(f"-o {target}: expected NAME{_SUFFIX}, with letters, digits and _ in its name")
    if target.exists():
        raise click.UsageError(f"{target}: there already, and not overwritten; give another name by -o")
    if not target.resolve().parent.is_dir():
        raise click.UsageError(f"-o {target}: there is no folder {target.resolve().parent}")
