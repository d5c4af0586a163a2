"""`coopsim check`."""

import click

from coopsim.app import talk
from coopsim.app.options import engine_option, plugin_option


@click.command(short_help="Print the mistakes in files.")
@plugin_option
@engine_option
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def check(files: tuple[str, ...], engine: str | None) -> int:
    """Print every mistake in world, scenario and robot files; exit code 1 if there is one.

    What its physics engine cannot represent is a mistake of a scenario, too; of a world only with --engine. Of a
    plugin the first mistake is printed; it is known to the files that follow.
    """
    found = 0
    for file in files:
        problems = _problems(file, engine)
        for line in problems:
            talk.data(line)
        if not problems:
            talk.note(f"{file}: ok")
        found += len(problems)
    return 1 if found else 0


def _problems(file: str, engine: str | None) -> list[str]:
    from coopsim.errors import CoopsimError
    from coopsim.robots import check as problems_of
    from coopsim.robots import plug

    try:
        if file.endswith(".py"):
            plug(file)
            return []
        return [str(problem) for problem in problems_of(file)] or _unfit(file, engine)
    except CoopsimError as problem:
        return [str(problem)]


def _unfit(file: str, engine: str | None) -> list[str]:
    """Return what the physics engine cannot represent of a file without mistakes."""
    from coopsim.robots import find_file, load, unfit

    kind = find_file(file).suffix
    if kind == ".robot" or (kind == ".world" and engine is None):
        return []
    spec = load(file)
    return unfit(spec, engine or spec.scenario.settings.engine)
