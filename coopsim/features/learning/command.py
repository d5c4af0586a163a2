"""`coopsim policy`."""

import click

from coopsim.app import completing, talk
from coopsim.app.groups import Suggesting
from coopsim.app.options import endpoint_option

_EPISODES = click.option(
    "--episodes", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Episodes, each with its seed."
)


@click.group(cls=Suggesting, short_help="Train, score and run policies that robots learn.")
def policy() -> None:
    """Train a policy on a task, score it against a plain law, and drive robots by it.

    \b
    coopsim policy train target policy.onnx
    coopsim policy score policy.onnx
    coopsim policy run policy.onnx --robots robot1
    """  # noqa: D301 - click's mark for lines it must not wrap


@policy.command(short_help="Drive robots of a run by a policy.")
@click.argument("file", shell_complete=completing.files)
@click.option("--robots", multiple=True, required=True, metavar="ROBOT", help="Drive this robot; may be given again.")
@click.option(
    "--team", multiple=True, metavar="ROBOT", help="Name all robots that talk, if other programs drive some; in order."
)
@endpoint_option
def run(file: str, robots: tuple[str, ...], team: tuple[str, ...], endpoint: str | None) -> int:
    """Drive robots of a run, or real ones, by the policy in FILE until the run ends.

    The same policy is the law `policy` of `[CONTROLLER_n]`. Exit code 0: the run has ended. 1: it failed.
    """
    from coopsim.features.learning.policy import drive_by

    return drive_by(file, robots, endpoint, team)


@policy.command(short_help="Train a policy by evolution.")
@click.argument("task")
@click.argument("file", shell_complete=completing.files)
@click.option("--generations", type=click.IntRange(1, 100_000), default=40, show_default=True, help="How many.")
@click.option("--seed", type=click.IntRange(0, 1 << 20), default=1, show_default=True, help="Of the search.")
def train(task: str, file: str, generations: int, seed: int) -> int:
    """Train a small network on TASK by evolution (CMA-ES) and write the best one to FILE.

    TASK is a built-in task, or a scenario with a section [LEARNING].
    """
    from coopsim.features.learning.evolving import Evolution
    from coopsim.features.learning.tasks import task_of

    evolution = Evolution(task_of(task), episodes=8, seed=seed)
    try:
        for _ in range(generations):
            best, mean = evolution.advance()
            talk.note(f"generation {evolution.generation}: best {best:.3f}, mean {mean:.3f}")
        evolution.save(file)
    finally:
        evolution.close()
    talk.answer(f"{file}: {evolution.task.name}, {generations} generations, best return {evolution.returned:.3f}")
    return 0


@policy.command(short_help="Score a policy against a plain law and chance.")
@click.argument("file", shell_complete=completing.files)
@_EPISODES
@click.option("--task", default="", help="Score it in this task, or scenario, instead of the one that it learnt.")
@click.option("--json", "as_json", is_flag=True, help="Print the scores as JSON.")
def score(file: str, episodes: int, task: str, as_json: bool) -> int:
    """Score the policy in FILE in new episodes of its task, beside a plain law and actions by chance.

    A task of a scenario has no plain law, and is named by --task.

    Reached is the part of the episodes that reached their goal, return the mean sum of rewards.
    """
    from coopsim.app.table import table
    from coopsim.features.learning.policy_file import Policy
    from coopsim.features.learning.scoring import scores_beside
    from coopsim.features.learning.tasks import task_of

    learnt = Policy(file)
    scores = scores_beside(task_of(task or learnt.facts.task), learnt, episodes)
    rows = [(name, f"{reached:.2f}", f"{returned:.3f}") for name, (reached, returned) in scores.items()]
    facts = {name: {"reached": reached, "return": returned} for name, (reached, returned) in scores.items()}
    talk.answer(table(("driven by", "reached", "return"), rows), facts if as_json else None)
    return 0
