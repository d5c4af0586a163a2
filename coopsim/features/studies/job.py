"""Jobs and tasks: the common part of all runs of a study, which travels to other processes, and each run of it."""

import hashlib
import tempfile
import traceback
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from coopsim import plugins
from coopsim.errors import CoopsimError
from coopsim.features.studies.row_checks import KEYS, flaw_of

AnyJob = TypeVar("AnyJob", bound="Job")
Row: TypeAlias = dict[str, Any]
"""One run: values, seed, success, goals, metrics, ticks, state_hash; of one that failed `error`."""


def carried_plugins() -> tuple[tuple[str, bytes], ...]:
    """Return the loose plugins of this process with their texts."""
    return tuple((loose_file.spelled, loose_file.path.read_bytes()) for loose_file in plugins.loose_files())


@dataclass(frozen=True)
class Jitter:
    """Largest shift of robots from where their file puts them.

    Attributes:
        distance: At most [m].
        angle: At most [rad].
    """

    distance: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True)
class Task:
    """A run.

    Attributes:
        number: From 0, in the order of the study.
        values: What is changed, by name, as on the command line.
        seed: Of all noise, and of the jitter.
    """

    number: int
    values: Mapping[str, str]
    seed: int


@dataclass(frozen=True, kw_only=True)
class Job(ABC):
    """The common part of all runs of a study: a frozen dataclass that can be pickled, and does a run.

    Attributes:
        plugins: Loose plugins: path and text.
    """

    plugins: tuple[tuple[str, bytes], ...] = field(default_factory=carried_plugins)

    @property
    def has_commands(self) -> bool:
        """Whether runs need commands of this machine, and so cannot be done on a cluster."""
        return False

    @property
    def keeps_pace(self) -> bool:
        """Whether runs keep pace with the clock on the wall."""
        return False

    def cost(self, _task: Task) -> float:
        """Return the cost of a run, where a simulated second of one robot costs 1; small studies use one process."""
        return 0.0

    @abstractmethod
    def run(self, task: Task) -> Row:
        """Do a run; return its row, `begun_row(task)` with `success`, `metrics`, `ticks` and `state_hash`.

        Whatever it raises becomes the `error` of the row.
        """


def run_task(job: Job, task: Task) -> Row:
    """Return the row of a run; whatever goes wrong in it is in its `error`."""
    try:
        row = job.run(task)
        return row if row.keys() >= KEYS and not flaw_of(row) else failed(task, _why_no_row(row))
    except CoopsimError as problem:
        return failed(task, str(problem))
    except Exception as problem:  # the study goes on, whatever a control law or a device raises
        where = traceback.extract_tb(problem.__traceback__)[-1]
        return failed(task, f"{type(problem).__name__}: {problem} ({Path(where.filename).name}:{where.lineno})")


def _why_no_row(row: Row) -> str:
    """Return what a kind of job does wrong that returns such a row."""
    missing = ", ".join(sorted(KEYS - row.keys()))
    return f"its job returned a row {f'without {missing}' if missing else f'with a mistake: {flaw_of(row)}'}"


def begun_row(task: Task) -> Row:
    """Return the row of a run that has not come to an end."""
    row = {"number": task.number, "values": dict(task.values), "seed": task.seed, "success": False}
    return {**row, "goals": [], "metrics": {}, "ticks": 0, "state_hash": ""}


def failed(task: Task, error: str) -> Row:
    """Return the row of a run that came to no end."""
    return {**begun_row(task), "error": error}


@dataclass(frozen=True)
class _CarriedPlugin:
    """A loose plugin that was loaded for a study, and the folder of its copy, if it needed one."""

    path: Path
    folder: "tempfile.TemporaryDirectory[str] | None"


_PREFIX = "coopsim-plugin-"
_carried: dict[str, _CarriedPlugin] = {}
"""Loose plugins that were loaded for a study, by hash."""


def load_plugins(job: Job) -> None:
    """Load the loose plugins of a study into this process, from copies where their files are not on this machine.

    Those of studies that this process did before are forgotten: their metrics, and older texts, are none of this one.
    """
    wanted = {hashlib.sha256(raw).hexdigest(): (name, raw) for name, raw in job.plugins}
    _forget(_carried.keys() - wanted.keys())
    loaded = {loose_file.sha256 for loose_file in plugins.loose_files()}
    for digest in [missing for missing in wanted if missing not in loaded]:
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
