"""`coopsim trial`."""

from typing import Any

import click

from coopsim.app import completing
from coopsim.features.studies.commands.studied import Seeds, do_study, study_options


@click.command(short_help="Run a scenario with many seeds and judge each run.")
@click.argument("file", shell_complete=completing.scenes)
@click.option("--seeds", type=Seeds(), default="10", show_default=True, help="How many, from 0, or which, as 5..14.")
@click.option("--real-time", is_flag=True, help="Keep pace with the clock on the wall, each control law a process.")
@study_options
def trial(file: str, seeds: tuple[int, ...], **choices: Any) -> int:
    """Run the scenario FILE once with each seed, in all cores, and judge each run by its goals and metrics.

    \b
    coopsim trial formation --seeds 20 --jitter 0.1,5
    coopsim trial transport --seeds 10 --real-time --workers 1
    """  # noqa: D301 - click's mark for lines it must not wrap
    return do_study(file, (), seeds, **choices)
