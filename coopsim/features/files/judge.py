"""`coopsim judge`."""

from typing import TYPE_CHECKING

import click

from coopsim.app import completing, talk
from coopsim.app.options import plugin_option
from coopsim.errors import CoopsimError
from coopsim.features.presentation.reading import reads_recordings

if TYPE_CHECKING:
    from coopsim.replay.judging import Judgement


@click.command(short_help="Judge a recording by the goals of its scenario.")
@plugin_option
@click.argument("file", shell_complete=completing.files)
@click.option("--goals", metavar="SCENARIO", help="Judge by the goals of this scenario, not by its own.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@reads_recordings("file")
def judge(file: str, goals: str | None, as_json: bool) -> int:
    """Judge the recording FILE: which goals were met and when, and its metrics.

    The exit code is 1 where a goal was missed.
    """
    from coopsim.app.table import table

    verdict = verdict_on(file, goals)
    rows = [(name, f"{value:.6g}") for name, value in verdict.metrics.items()]
    talk.answer(f"{table(('metric', 'value'), rows)}\n{verdict.text}", verdict.to_json() if as_json else None)
    return int(verdict.is_missed)


def verdict_on(file: str, goals: str | None = None) -> "Judgement":
    """Return what became of the goals of a recording.

    Args:
        file: The recording.
        goals: A scenario whose goals count in place of its own.
    """
    # goals are judged by plugins' metrics, too: those modules are imported when the plugins are there
    from coopsim.recording import Recording
    from coopsim.replay.judging import judged_recording
    from coopsim.replay.run_json import spec_of
    from coopsim.robots import load

    # another scenario lends its goals alone: robots and settings stay those of the recording
    other_goals = None if goals is None else load(goals).scenario.goals
    with Recording.open(file) as recording:
        spec = spec_of(recording)
        return judged_recording(recording, spec, spec.scenario.goals if other_goals is None else other_goals)


def goal_lines(file: str) -> list[str]:
    """Return a line for each goal of a recording: when it was met or broken; none where it cannot be judged."""
    from coopsim.recording import Recording
    from coopsim.replay.run_json import spec_of

    try:
        with Recording.open(file) as recording:
            # the metrics of a crowd take minutes: without goals nobody asks for them
            if not spec_of(recording).scenario.goals:
                return []
        return [goal.text for goal in verdict_on(file).goals]
    except CoopsimError:  # a damaged one is shown as far as it goes
        return []
