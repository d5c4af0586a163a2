"""`policy`: robots are driven by a policy that was learnt, with the observations that it was trained on.

python -m coopsim.features.learning.policy --robots robot1 robot2 --file policy.onnx
"""

import logging
import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.errors import BadArgument, CoopsimError
from coopsim.features.laws import options
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import need_modules, one_type
from coopsim.features.learning.encoding import Encoder
from coopsim.features.learning.out_rules import OutRobots
from coopsim.features.learning.policy_commands import CommandedRobots, is_stepped
from coopsim.features.learning.policy_file import Policy
from coopsim.features.learning.section import MESSAGES
from coopsim.features.learning.team_messages import TeamMessages
from coopsim.geometry import Floats
from coopsim.interfaces import FileParameter, Parameter, WordsParameter

_log = logging.getLogger(__name__)
_SUMMARY = "Robots are driven by a policy that was learnt."

_TEAM_CURE = "This policy talks: drive all robots that it learnt with, or name them all by --team, in their order."

PARAMETERS: tuple[Parameter, ...] = (
    FileParameter("file", str, "policy.onnx", summary="file of the policy"),
    WordsParameter("team", str, "", summary="all robots that talk, as they learnt, if other programs drive some"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots by a policy; return the exit code."""
    chosen = options.parser("policy", _SUMMARY, PARAMETERS).parse_args(arguments)
    return drive_by(chosen.law_file, chosen.robots, chosen.endpoint, chosen.law_team.split())


def drive_by(file: str, robots: Sequence[str], endpoint: str | None, team: Sequence[str] = ()) -> int:
    """Drive robots by the policy in a file until the run ends; return the exit code, 1 where it does not fit.

    Args:
        file: Of the policy.
        robots: Their names.
        endpoint: Where the simulation answers; None = COOPSIM_ENDPOINT or the default.
        team: Names of all robots that talk, if other programs drive some of them; see `TeamMessages`.
    """
    try:
        policy = Policy(file)
    except CoopsimError as problem:
        sys.stderr.write(f"policy: {problem}. {problem.cure}\n")
        return 1
    rate = 1.0 / policy.facts.period
    return drive("policy", robots, endpoint, lambda sim, stepper: _make_law(sim, stepper, policy, (file, team)), rate)


def _make_law(sim: Client, stepper: Stepper, policy: Policy, chosen: tuple[str, Sequence[str]]) -> Law:
    """Return the law of robots whose commands a STEP brings; drive others until the run ends."""
    facts, (file, team) = policy.facts, chosen
    acting = facts.acting
    modules = sorted({seen.module for seen in facts.observed} - {MESSAGES} | {rule.module for rule in facts.outs})
    need_modules(stepper, *modules, acting.module)
    kind = one_type(stepper, f"{file}: a policy drives robots of one type")
    messages = TeamMessages(sim, stepper.robots, team, acting.messages)
    _check(stepper, kind, policy, file, messages.size)
    encoder = Encoder(facts.observed)
    robots = OutRobots(facts.outs, stepper.robots, lambda text: _log.info("%s", text))

    def values_of(rows: Floats) -> Floats:
        readings = {module: rows[:, slice(*_span(stepper, kind, module))] for module in modules}
        out = robots.judge(readings)
        seen = {module: messages.of_team(table) for module, table in readings.items()}
        actions = policy(encoder.advance({**seen, MESSAGES: messages.heard()})[messages.own])
        actions[out] = 0.0
        messages.say(actions)
        values = acting.values(actions)
        values[out] = acting.still
        return values

    if not is_stepped(sim, stepper, acting):
        every = max(1, round(policy.facts.period / sim.clock.status().step))
        CommandedRobots(sim, stepper, acting, every).drive(values_of)

    takes = stepper.layout.types[kind].takes
    if takes.width < len(acting.low):
        raise BadArgument(f"{file}: it gives {len(acting.low)} numbers to {acting.command}, and {kind} takes {takes}")
    given = np.zeros((len(stepper.robots), takes.width))

    def decide(seen: Readings) -> Floats:
        given[:, : len(acting.low)] = values_of(seen.of(kind).table)
        return given

    return decide


def _check(stepper: Stepper, kind: str, policy: Policy, file: str, count: int) -> None:
    """Check that robots read as much as those of the task.

    Raises:
        BadArgument: They read more or less.
    """
    seen, width = policy.facts, 0
    for observed in seen.observed:
        if observed.module == MESSAGES:
            width += observed.width((count - 1) * seen.acting.messages)
            continue
        first, last = _span(stepper, kind, observed.module)
        width += observed.width(observed.own or last - first)
        most = observed.own * count
        if most > last - first:
            raise BadArgument(
                f"{file}: {count} robots need as many slots of {observed.module} of their own, "
                f"and {kind} has {last - first} readings for them"
            )
    if width != seen.width:
        misfit = BadArgument(
            f"{file}: it learnt {seen.task} with {seen.width} numbers for each robot, and those here give {width}"
        )
        raise misfit.advise(_TEAM_CURE if seen.acting.messages else misfit.cure)


def _span(stepper: Stepper, kind: str, module: str) -> tuple[int, int]:
    """Return the first column of a module, and the one after its last."""
    columns = stepper.layout.types[kind].gives.modules[module].values()
    return min(column.offset for column in columns), max(column.offset + column.length for column in columns)


if __name__ == "__main__":
    sys.exit(main())
