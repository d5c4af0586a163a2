"""Run of a study: a function of scenario, values and seed that returns a row."""

import contextlib
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from coopsim import plugins
from coopsim.errors import RunError
from coopsim.features.laws.plain_law import main_of
from coopsim.features.studies.changes import with_values
from coopsim.features.studies.jittering import with_jitter
from coopsim.features.studies.job import Jitter, Job, Row, Task, begun_row
from coopsim.inprocess import DirectSource, LocalServer
from coopsim.launch.controllers import arguments_of
from coopsim.recording import Writer
from coopsim.replay.about import attachments, chosen, metadata
from coopsim.replay.judging import Judgement, RunJudge
from coopsim.robots import RunSpec
from coopsim.scene import Controller
from coopsim.simulation import Simulation
from coopsim.simulation.keyframes import KeyFrames
from coopsim.state import Layout, Record


class TakesRecord(Protocol):
    """Takes the records of a run, in order."""

    def __call__(self, layout: Layout, record: Record, simulation: Simulation | None = None, /) -> None:
        """Take a record of a simulation, if that is in this process."""
        ...


_STILL = Jitter()


@dataclass(frozen=True)
class ScenarioJob(Job):
    """The common part of all runs of a scenario.

    Attributes:
        spec: What is run before values are changed.
        duration: Simulated time after which a run ends [s].
        jitter: Of the robots' first poses; each seed has its own.
        allow_commands: Whether controllers may be commands.
        record: Which runs are recorded: "none", "failures" or "all".
        folder: Where recordings go; "" = nowhere.
        is_real_time: Whether runs keep pace with the clock on the wall, each control law in a process of its own.
    """

    spec: RunSpec
    duration: float
    jitter: Jitter = _STILL
    allow_commands: bool = False
    record: str = "none"
    folder: str = ""
    is_real_time: bool = False

    @property
    def has_commands(self) -> bool:
        """Whether controllers are commands of this machine."""
        return bool(self.spec.commands)

    @property
    def keeps_pace(self) -> bool:
        """Whether runs keep pace with the clock on the wall."""
        return self.is_real_time

    def cost(self, task: Task) -> float:
        """Return the simulated time of a run [s], times its robots."""
        return float(task.values.get("simulation.duration", self.duration)) * len(self.spec.scenario.robots)

    def run(self, task: Task) -> Row:
        """Return the row of a run."""
        verdict, ticks, state_hash = _run(self, task)
        ended = {"success": not verdict.is_missed, **verdict.to_json(), "ticks": ticks, "state_hash": state_hash}
        return {**begun_row(task), **ended}


def spec_of(job: ScenarioJob, task: Task) -> RunSpec:
    """Return what a run simulates."""
    spec = with_jitter(with_values(job.spec, task.values), job.jitter, task.seed)
    settings = replace(spec.scenario.settings, seed=task.seed, mode="real-time" if job.is_real_time else "lockstep")
    if "simulation.duration" not in task.values:
        settings = replace(settings, duration=job.duration)
    return replace(spec, scenario=replace(spec.scenario, settings=settings))


def _run(job: ScenarioJob, task: Task) -> tuple[Judgement, int, str]:
    spec = spec_of(job, task)
    judge = RunJudge(spec)
    has_processes, is_recorded = bool(spec.commands) or job.is_real_time, job.record != "none"
    runs = partial(_run_processes, job.allow_commands) if has_processes else partial(_run_laws, is_recorded)
    with _recorded(job, task, spec) as record:

        def keep_record(layout: Layout, new_record: Record, simulation: Simulation | None = None, /) -> None:
            judge.add(layout, new_record)
            if is_recorded:
                record(layout, new_record, simulation)

        ticks, state_hash = runs(spec, judge, keep_record)
        verdict = judge.verdict()
    if job.record == "failures" and not verdict.is_missed:
        recording_of(job, task).unlink(missing_ok=True)
    return verdict, ticks, state_hash


# control laws in this process


def _run_laws(is_recorded: bool, spec: RunSpec, judge: RunJudge, take: TakesRecord) -> tuple[int, str]:
    """Run the scenario and its control laws in this process; return ticks and state hash of the last one."""
    simulation = Simulation(spec)
    duration, controllers = spec.scenario.settings.duration, spec.scenario.controllers
    watched: dict[str, Any] = {"duration": duration, "is_over": lambda: judge.is_over, "is_hashed": is_recorded}
    watched["published"] = lambda record: take(simulation.layout, record, simulation)
    if not controllers:
        source = DirectSource(simulation, **watched)
        while not source.ended:
            source.grant_tick()
            source.work()
    else:
        robots = tuple(robot for controller in controllers for robot in controller.robots)
        server = LocalServer(simulation, wait_for=robots, **watched)
        _drive(server, [_program(controller) for controller in controllers])
    if simulation.failures.to_plain():
        raise RunError("; ".join(str(failure.get("text", failure)) for failure in simulation.failures.to_plain()))
    return simulation.tick_count, simulation.state_hash().hex()


def _drive(server: LocalServer, programs: list[Callable[[], Any]]) -> None:
    words, complaints = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(complaints):
        codes = server.run(*programs)
    if any(codes):
        lines = complaints.getvalue().strip().splitlines()
        raise RunError(lines[-1] if lines else f"a control law ended with code {next(filter(None, codes))}")


def _program(section: Controller) -> Callable[[], Any]:
    law = plugins.load("controllers", plugins.law_name(section.run))
    if hasattr(law, "compiled"):
        with plugins.blamed(f"control law {section.run}"):
            program = law.compiled()
    else:
        program = main_of(law)
    return partial(_called, section.run, program, arguments_of(section))


def _called(name: str, law: Callable[[list[str]], Any], arguments: list[str]) -> int:
    try:
        with plugins.blamed(f"control law {name}"):
            code = law(arguments)
    except SystemExit as problem:  # of its parser
        code = problem.code
    return code if isinstance(code, int) else 0


# controllers in processes of their own: commands of the user, and everything in real time


def _run_processes(allow_commands: bool, spec: RunSpec, judge: RunJudge, take: TakesRecord) -> tuple[int, str]:
    """Run the scenario with controllers that are processes of their own."""
    from coopsim.launch.launcher import Launcher
    from coopsim.launch.options import RunOptions

    options = RunOptions(port=0, allow_commands=allow_commands)
    report = Launcher(spec, options, _Silent(), judge=_Taking(judge, take)).run()
    if report.exit_code or report.summary is None:
        raise RunError(report.reason)
    return report.summary.ticks, report.summary.state_hash


class _Taking:
    """Takes the records of a run for a judge and a recording."""

    def __init__(self, judge: RunJudge, take: TakesRecord) -> None:
        self._judge, self.add = judge, take

    @property
    def is_over(self) -> bool:
        """Whether the goals are decided."""
        return self._judge.is_over


class _Silent:
    """Shows nothing of a run; why one failed is in its row."""

    def note(self, text: str) -> None:
        """Print nothing."""

    def complain(self, text: str) -> None:
        """Print nothing."""

    def printed(self, controller: str, line: str) -> None:
        """Print nothing."""

    def audited(self, text: str) -> None:
        """Print nothing."""

    def progress(self, status: Mapping[str, Any]) -> None:
        """Show nothing."""


# recordings


def recording_of(job: ScenarioJob, task: Task) -> Path:
    """Return where the recording of a run lies."""
    return Path(job.folder) / f"run-{task.number:06d}.mcap"


@contextlib.contextmanager
def _recorded(job: ScenarioJob, task: Task, spec: RunSpec) -> Iterator[TakesRecord]:
    """Give what takes the records; a run that fails keeps its recording."""
    if job.record == "none":
        yield lambda *_: None
        return
    path = recording_of(job, task)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)  # of a try before
    texts = attachments(spec)
    with Writer(path, metadata={**metadata(spec, {}), **chosen(texts, spec)}, attachments=texts) as writer:
        layouts: list[Layout] = []
        frames = KeyFrames()

        def keep_record(layout: Layout, record: Record, simulation: Simulation | None = None, /) -> None:
            if not layouts or layouts[-1] is not layout:
                layouts.append(layout)
                writer.layout(layout)
            writer.write(record, None if simulation is None else frames.next(simulation))

        yield keep_record
