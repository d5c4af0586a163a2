"""`coopsim sweep`."""

from typing import Any

import click

from coopsim.app import completing
from coopsim.features.studies.commands.studied import Seeds, do_study, study_options


@click.command(short_help="Run a scenario with many values of parameters.")
@click.argument("file", shell_complete=completing.scenes)
@click.option(
    "--set",
    "settings",
    multiple=True,
    required=True,
    metavar="NAME=VALUES",
    help="Vary robot.module.parameter, law.parameter, simulation.engine or box_3.mass: A:B:STEP, or v1,v2.",
)
@click.option("--seeds", type=Seeds(), default="1", show_default=True, help="How many, from 0, or which, as 5..14.")
@click.option(
    "--sample", type=click.IntRange(1), help="Do this number of combinations, a Latin hypercube, in place of all."
)
@study_options
def sweep(file: str, settings: tuple[str, ...], seeds: tuple[int, ...], sample: int | None, **choices: Any) -> int:
    """Run the scenario FILE with every combination of values and every seed, and judge each run.

    Metrics are told value by value: mean, standard deviation, number of runs; and the best values by --best.

    FILE may be a system of components, too: names are LEAF.PARAMETER then, and the best of each context is told. With
    --scenario each of its phases is a context; what is varied stays as it is, whatever the scenario sets.

    \b
    coopsim sweep challenge --set FollowerController.Kv=0.05:0.4:0.05 \\
        --set Leader.behavior=1,3,4 --seeds 20
    coopsim sweep challenge --set FollowerController.Kv=0.05,0.35 \\
        --scenario scenario1 --best overshoot
    coopsim sweep formation --set formation.spacing=0.6:1:0.2 \\
        --set robot2.target.noise_distance=0,0.1 --seeds 5
    """  # noqa: D301 - click's mark for lines it must not wrap
    return do_study(file, settings, seeds, sample, **choices)
