"""Session of a script for IR-SIM: the module that it imports, where its worlds lie, and what is kept of their runs."""

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from coopsim.errors import BadArgument, NoSuchFile, NoSuchPlugin
from coopsim.features.others.irsim.environment import IrsimEnvironment
from coopsim.features.others.own_runs import ShownRun
from coopsim.interpreter import install_command

_MODULE = "irsim"


@dataclass
class IrsimSession:
    """Options of a script, and the environments that it made.

    Attributes:
        options: What is kept of its runs, and who sees them.
        is_paced: Whether a step that is drawn takes as long as it simulates.
        environments: In the order of their making.
    """

    options: ShownRun = field(default_factory=ShownRun)
    is_paced: bool = False
    environments: list[IrsimEnvironment] = field(default_factory=list)

    def make(
        self, world_name: str | None = None, _projection: str | None = None, step_mode: str | None = None, **_: Any
    ) -> IrsimEnvironment:
        """Return the environment of a world; options of IR-SIM's own figure mean nothing here.

        Args:
            world_name: Its file; None = that of the script, with the suffix `.yaml`.
            step_mode: `internal`, or None.

        Raises:
            BadArgument: The script wants to move robots by itself.
            NoSuchFile: There is no such file.
            BadFile: The world has mistakes.
        """
        if step_mode not in {None, "internal"}:
            raise BadArgument(f"step_mode: expected 'internal', got {step_mode!r}: robots are moved by coopsim")
        file = _world_file(world_name)
        for environment in self.environments:
            environment.end()
        number, options = len(self.environments) + 1, self.options
        if options.record is not None and number > 1:
            record = options.record.with_stem(f"{options.record.stem}-{number}")
            options = ShownRun(options.words, options.is_shown, record, options.overwrite)
        environment = IrsimEnvironment(file, options, is_paced=self.is_paced)
        self.environments.append(environment)
        return environment

    def summary(self) -> list[str]:
        """Return what happened, in lines."""
        if not self.environments:
            return ["the script made no environment: nothing was simulated"]
        lines = [
            f"{environment.steps} steps of {environment.step_time:g} s; {environment.status.lower()}"
            for environment in self.environments
        ]
        return lines + [f"recorded to {file}" for environment in self.environments for file in environment.recorded]

    def end(self) -> None:
        """End all runs."""
        for environment in self.environments:
            environment.end()


def _world_file(name: str | None) -> Path:
    script = Path(sys.argv[0])
    wanted = Path(name) if name is not None else Path(script.name).with_suffix(".yaml")
    for file in (wanted, script.resolve().parent / wanted):
        if file.is_file():
            return file
    raise NoSuchFile(f"there is no world {wanted}, neither here nor beside the script")


def make(world_name: str | None = None, *arguments: Any, **options: Any) -> IrsimEnvironment:
    """Return the environment of a world: nothing of it is shown or recorded.

    Args:
        world_name: Its file; None = that of the script, with the suffix `.yaml`.
        arguments: Of IR-SIM's own figure, they mean nothing here.
        options: So do these, but `step_mode`.

    Raises:
        NoSuchFile: There is no such file.
        BadFile: The world has mistakes.
    """
    return IrsimSession().make(world_name, *arguments, **options)


@contextmanager
def installed(session: IrsimSession, script: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Make this process what the script expects, for a while.

    Modules below `irsim`, such as planners, are those of the package that is installed, if one is.

    Args:
        session: Makes its environments.
        script: The program.
        arguments: Its own.
    """
    words, path, before = sys.argv[:], sys.path[:], sys.modules.get(_MODULE)
    sys.argv[:] = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))
    sys.modules[_MODULE] = _module(session)
    try:
        yield
    except ModuleNotFoundError as problem:
        if not (problem.name or "").startswith(f"{_MODULE}."):
            raise
        text = f"{problem.name} is a part of IR-SIM itself, whose package is not installed"
        refusal = NoSuchPlugin(text).advise(install_command("ir-sim"))
        raise refusal.with_traceback(problem.__traceback__) from problem
    finally:
        sys.argv[:], sys.path[:] = words, path
        if before is not None:
            sys.modules[_MODULE] = before
        else:
            del sys.modules[_MODULE]


def _module(session: IrsimSession) -> ModuleType:
    """Return the module that a script imports."""
    package = importlib.util.find_spec(_MODULE)
    module = ModuleType(_MODULE, "Environments of IR-SIM with robots of coopsim.")
    module.make, module.EnvBase = session.make, IrsimEnvironment  # type: ignore[attr-defined]
    # a path makes a package of it: what is below comes from there
    module.__path__ = [] if package is None else list(package.submodule_search_locations or [])
    return module
