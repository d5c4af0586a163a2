"""`coopsim robotarium`."""

from pathlib import Path
from typing import Any

import click

from coopsim.app import talk
from coopsim.app.options import endpoint_option
from coopsim.features.others.quick_start import import_kernels
from coopsim.memory import collect_seldom, uncollected


@click.command(
    short_help="Run a script for the Robotarium with robots of coopsim.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@endpoint_option
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Record everything to a file .mcap.")
@click.option("--overwrite", is_flag=True, help="Let --record replace an older recording.")
@click.option(
    "--no-gui", is_flag=True, help="Open no window of coopsim; where there is no display none is opened anyway."
)
@click.option("--web", is_flag=True, help="Serve a page for browsers beside it.")
@click.option("--figures", is_flag=True, help="Let the script open its own figures, and draw them in each step.")
@click.option("--fast", is_flag=True, help="Wait in no step, whatever the script asks for.")
def robotarium(script: Path, arguments: tuple[str, ...], endpoint: str | None, **choices: Any) -> int:
    """Run a SCRIPT for rps, the simulator of the Robotarium, as it is, with its ARGUMENTS.

    The robots are those of a simulation that begins and ends with the script, or with --endpoint those of a run or of
    real drivers. Controllers, barrier certificates, sensors and messages are those of the rps that is installed here.
    Options stand before SCRIPT.

    \b
    coopsim robotarium --record swap.mcap swap.py
    coopsim verify swap.mcap
    """  # noqa: D301 - click's mark for lines it must not wrap
    if endpoint is not None and choices["record"] is not None:
        raise click.UsageError("--record belongs to a simulation of this script's own; begin the other run with it")
    with uncollected():
        import_kernels()
        from coopsim.features.others.own_runs import ShownRun
        from coopsim.features.others.robotarium.arena import ScriptOptions, ScriptRobots
        from coopsim.features.others.robotarium.script import prepare, report, run_script

        collect_seldom()  # what is imported stays
    words = [f"--{name.replace('_', '-')}" for name in ("no_gui", "web") if choices[name]]
    is_shown = choices["web"] or not choices["no_gui"]
    own = ShownRun(tuple(words), is_shown, choices["record"], choices["overwrite"])
    with ScriptRobots(ScriptOptions(endpoint, own)) as arena:
        prepare(script, arguments, arena, is_drawn=choices["figures"], is_paced=not choices["fast"])
        try:
            run_script(script)
        except Exception as problem:
            report(problem, script)
            return 1
    for line in arena.summary():
        talk.note(line)
    return 0 if arena.has_run else 1
