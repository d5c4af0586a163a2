"""What all runs of a study have in common, as it travels to the processes that do them."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from coopsim import plugins
from coopsim.components import SystemModel
from coopsim.components.scenario import ScenarioStep
from coopsim.components.trial import SETTLING
from coopsim.robots import RunSpec

Row: TypeAlias = dict[str, Any]
"""One run: values, seed, success, goals, metrics, ticks, state_hash; of one that failed `error`."""


def carried_plugins() -> tuple[tuple[str, bytes], ...]:
    """Return the loose plugins of this process with their texts."""
    return tuple((each.spelled, each.path.read_bytes()) for each in plugins.loose_files())


@dataclass(frozen=True)
class Jitter:
    """How far robots begin from where their file puts them.

    Attributes:
        distance: At most [m].
        angle: At most [rad].
    """

    distance: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True)
class Job:
    """What all runs have in common.

    Attributes:
        spec: What is run before values are changed.
        duration: Simulated time after which a run ends [s].
        jitter: Of the robots' first poses; each seed has its own.
        allow_commands: Whether controllers may be commands.
        record: Which runs are recorded: "none", "failures" or "all".
        folder: Where recordings go; "" = nowhere.
        plugins: Loose plugins: path and text.
        is_real_time: Whether runs keep pace with the clock on the wall, each control law in a process of its own.
    """

    spec: RunSpec
    duration: float
    jitter: Jitter = Jitter()
    allow_commands: bool = False
    record: str = "none"
    folder: str = ""
    plugins: tuple[tuple[str, bytes], ...] = field(default_factory=carried_plugins)
    is_real_time: bool = False

    @property
    def weight(self) -> float:
        """What a simulated second costs, where that of one robot is 1."""
        return len(self.spec.scenario.robots)

    @property
    def has_commands(self) -> bool:
        """Whether controllers are commands of this machine."""
        return bool(self.spec.commands)


@dataclass(frozen=True)
class SystemJob:
    """The same for a system of components.

    Attributes:
        model: What is run before values are changed.
        duration: Simulated time of a run [s].
        scenarios: What can be played, by name; () = parameters stay.
        settling: What of the beginning of each phase does not count [s].
        is_cut: Whether the duration was asked for; else each scenario has its own.
        plugins: Loose plugins: path and text.
        weight: What a simulated second costs, where that of one robot is 1.
        has_commands: Whether controllers are commands of this machine.
    """

    model: SystemModel
    duration: float
    plugins: tuple[tuple[str, bytes], ...] = field(default_factory=carried_plugins)
    weight: float = 0.01
    has_commands: bool = False
    scenarios: tuple[tuple[str, tuple[ScenarioStep, ...]], ...] = ()
    settling: float = SETTLING
    is_cut: bool = False


AnyJob: TypeAlias = Job | SystemJob


@dataclass(frozen=True)
class Task:
    """One run.

    Attributes:
        number: From 0, in the order of the study.
        values: What is changed, by name, as on the command line.
        seed: Of all noise, and of the jitter.
    """

    number: int
    values: Mapping[str, str]
    seed: int


@dataclass(frozen=True)
class _CarriedPlugin:
    """A loose plugin that was loaded for a study, and the folder of its copy, if it needed one."""

    path: Path
    folder: "tempfile.TemporaryDirectory[str] | None"


_PREFIX = "coopsim-plugin-"
_carried: dict[str, _CarriedPlugin] = {}
"""Loose plugins that were loaded for a study, by hash."""


def load_plugins(job: AnyJob) -> None:
    """Load the loose plugins of a study into this process, from copies where their files are not on this machine.

    Those of studies that this process did before are forgotten: their metrics, and older texts, are none of this one.
    """
    wanted = {hashlib.sha256(raw).hexdigest(): (name, raw) for name, raw in job.plugins}
    _forget(_carried.keys() - wanted.keys())
    known = {each.sha256 for each in plugins.loose_files()}
    for digest in [each for each in wanted if each not in known]:
        name, raw = wanted[digest]
        (path, law), folder = plugins.spelled_path(name), None
        if not _holds(path, raw):
            folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
            path = _copied(path, raw, Path(folder.name))
        _carried[digest] = _CarriedPlugin(path, folder)
        plugins.add(f"{path}::{law}" if law else path)


@contextmanager
def with_copies(job: AnyJob) -> Iterator[AnyJob]:
    """Give a job whose loose plugins are all in files, which are removed at the end: who needs them may be killed."""
    missing = [(name, raw) for name, raw in job.plugins if not _holds(plugins.spelled_path(name)[0], raw)]
    if not missing:
        yield job
        return
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        copies = {}
        for number, (name, raw) in enumerate(missing):
            own = Path(folder, str(number))
            own.mkdir()
            path, law = plugins.spelled_path(name)
            copies[name, raw] = f"{_copied(path, raw, own)}{f'::{law}' if law else ''}"
        yield replace(job, plugins=tuple((copies.get((name, raw), name), raw) for name, raw in job.plugins))


def _holds(path: Path, raw: bytes) -> bool:
    return path.is_file() and path.read_bytes() == raw


def _copied(path: Path, raw: bytes, folder: Path) -> Path:
    copy = folder / path.name
    copy.write_bytes(raw)
    return copy


def forget_plugins() -> None:
    """Forget the loose plugins of all studies, and remove their copies."""
    _forget(set(_carried))


def _forget(digests: Iterable[str]) -> None:
    for digest in digests:
        carried = _carried.pop(digest)
        plugins.forget(carried.path)
        if carried.folder is not None:
            carried.folder.cleanup()
