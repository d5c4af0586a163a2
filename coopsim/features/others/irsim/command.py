"""`coopsim irsim`."""

from pathlib import Path
from typing import Any

import click

from coopsim.app import talk
from coopsim.features.others.quick_start import import_kernels
from coopsim.memory import collect_seldom, uncollected


@click.command(
    short_help="Run a script for IR-SIM with robots of coopsim.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("script", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Record everything to a file .mcap.")
@click.option("--overwrite", is_flag=True, help="Let --record replace an older recording.")
@click.option("--gui", is_flag=True, help="Show it in a window; then its steps take as long as they simulate.")
@click.option("--web", is_flag=True, help="Serve a page for browsers beside it; its steps take their time, too.")
@click.option("--fast", is_flag=True, help="Wait in no step, also where it is shown.")
def irsim(script: Path, arguments: tuple[str, ...], record: Path | None, **choices: Any) -> int:
    """Run a SCRIPT that imports irsim, as it is, with its ARGUMENTS.

    Its robots are those of a simulation that begins and ends with the script. Behaviours are those of IR-SIM, or
    control laws of coopsim. IR-SIM itself need not be installed. Options stand before SCRIPT.

    \b
    coopsim irsim --record loop.mcap loop.py
    coopsim verify loop.mcap
    """  # noqa: D301 - click's mark for lines it must not wrap
    with uncollected():
        import_kernels()
        from coopsim.features.others.irsim.session import IrsimSession, installed
        from coopsim.features.others.own_runs import ShownRun
        from coopsim.features.others.robotarium.script import report, run_script

        collect_seldom()  # what is imported stays
    is_shown = choices["gui"] or choices["web"]
    words = (*(() if choices["gui"] else ("--no-gui",)), *(("--web",) if choices["web"] else ()))
    session = IrsimSession(
        ShownRun(words, is_shown, record, choices["overwrite"]), is_paced=is_shown and not choices["fast"]
    )
    try:
        with installed(session, script, arguments):
            run_script(script)
    except Exception as problem:
        report(problem, script)
        return 1
    finally:
        session.end()
    for line in session.summary():
        talk.note(line)
    return 0 if session.environments else 1
