"""The systems of components of a run: their models, the newest values of their data, parameters of their leaves."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.errors import CoopsimError
from coopsim.features.amsa.components import SystemModel, load_system
from coopsim.features.amsa.components.draft import initial_values
from coopsim.features.amsa.components.files import BUILT_IN, SYSTEM
from coopsim.features.amsa.components.model import DataLink
from coopsim.features.amsa.components.whole_text import model_of, whole_text
from coopsim.features.desktop.curves import PlotChannel
from coopsim.features.desktop.module_watch import WatchedModule, seen_now
from coopsim.features.desktop.session import ViewerSession
from coopsim.interfaces import Value
from coopsim.message.targets import DATA_FOLDER, robot_and_module

if TYPE_CHECKING:
    from coopsim.client import Client

_SYSTEM = "system"
_EVERY = 1.0
"""Interval at which the parameters of a leaf are read [s]."""
_MOST_FILES = 50  # of a folder; a list to choose from, not a file browser


class RunSystems:
    """Follows the systems on board of robots.

    Args:
        session: Whose run is asked.

    Attributes:
        texts: Text of each system with its templates, by robot.
        module: The leaf that is looked at, None = it is not known yet.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self.texts: dict[str, str] = {}
        self.module: WatchedModule | None = None
        self._names: tuple[str, ...] = ()
        self._target, self._due, self._is_asking = "", 0.0, False

    def update(self) -> None:
        """Look for systems anew where the modules of the run are others; called with each picture."""
        names = self._session.link.names
        if names != self._names:
            self._names = names
            targets = [name for name in names if robot_and_module(name)[1] == _SYSTEM]
            self._session.link.ask(lambda simulation: _texts(simulation, targets), then=self._set_texts)

    def model(self, robot: str) -> SystemModel:
        """Return the system of a robot."""
        return model_of(self.texts[robot])

    def runs(self, robot: str, model: SystemModel) -> bool:
        """Return whether a robot has a system of this structure on board, whatever its parameters are."""
        return _structure(self.model(robot)) == _structure(model)

    def reload(self, file: Path) -> None:
        """Load the scenario of the run anew, and with it the model file that lies beside it."""
        scenario = self._session.link.facts.scenario
        if not Path(scenario).is_file() or Path(scenario).parent.resolve() != file.parent.resolve():
            self._session.note(
                f"{file.name} does not lie beside {scenario}, which takes another one: copy that here, and open it"
            )
            return
        self._session.link.ask(
            lambda simulation: simulation.module("/sim/world").load(scenario),
            then=lambda _: self._reloaded(scenario),
            failed=lambda problem: self._session.note(str(problem).partition("\n")[0]),
        )

    def value(self, robot: str, data: str) -> float | None:
        """Return the newest value of data in what is shown, None = it is not known."""
        readings = self._session.readings
        if readings is None or robot not in readings.robots:
            return None
        face = getattr(readings[robot], DATA_FOLDER + data, None)
        return None if face is None else float(face.value)

    def watch(self, robot: str, leaf: str) -> None:
        """Follow the parameters of a leaf; called with each picture."""
        target = f"/{robot}/{leaf}"
        if target != self._target:
            self._target, self.module, self._due = target, None, 0.0
        if target in self._session.link.names and not self._is_asking and time.monotonic() >= self._due:
            self._is_asking, self._due = True, time.monotonic() + _EVERY
            self._session.link.ask(
                lambda simulation: seen_now(simulation, target), then=self._see, failed=self._see_nothing
            )

    def plot(self, robot: str) -> None:
        """Plot what a system evaluates, with the value that it should have; or no more."""
        evaluation = self.model(robot).evaluation
        if evaluation is not None:
            channel = PlotChannel(robot, DATA_FOLDER + evaluation.data, "value")
            self._session.curves.references[channel] = evaluation.reference
            self._session.curves.toggle(channel)

    def is_plotted(self, robot: str) -> bool:
        """Return whether what a system evaluates is plotted."""
        evaluation = self.model(robot).evaluation
        chosen = self._session.curves.chosen
        return evaluation is not None and PlotChannel(robot, DATA_FOLDER + evaluation.data, "value") in chosen

    def file_of(self, robot: str) -> Path | None:
        """Return the model file on this machine that the run has on a robot, None = there is none."""
        folders = [Path(self._session.link.facts.scenario).parent, BUILT_IN]
        for path in [path for folder in folders for path in sorted(folder.glob(f"*{SYSTEM}"))[:_MOST_FILES]]:
            try:
                if load_system(path) and whole_text(path) == self.texts[robot]:
                    return path
            except (CoopsimError, OSError):
                continue  # another model, which has mistakes
        return None

    def _reloaded(self, scenario: str) -> None:
        self._names = ()  # to be asked for anew
        self._session.note(f"runs anew, with the models as they are now: {scenario}")

    def _set_texts(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def _see(self, module: WatchedModule) -> None:
        self._is_asking = False
        if module.target == self._target:
            self.module = module

    def _see_nothing(self, _problem: CoopsimError) -> None:
        self._is_asking, self.module = False, None


def _structure(model: SystemModel) -> tuple[object, ...]:
    leaves = [
        (leaf.name, leaf.template.name, leaf.kind, leaf.rate, leaf.priority, _links(leaf.reads), _links(leaf.writes))
        for leaf in model.leaves.values()
    ]
    return tuple(leaves)


def _links(links: Iterable[DataLink]) -> frozenset[tuple[str, str]]:
    return frozenset((link.port, link.data) for link in links)


def unstarted(model: SystemModel, leaf: str) -> WatchedModule:
    """Return a leaf that no run has, with the values of its file."""
    leaf_model = model.leaves[leaf]
    values: dict[str, Value] = {name: _plain(value) for name, value in initial_values(leaf_model).items()}
    parameters = tuple(parameter.parameter for parameter in leaf_model.template.parameters)
    return WatchedModule(f"/{leaf}", leaf_model.template.name, parameters, values, 0, frozenset(), 0.0)


def _plain(value: Value | bool) -> Value:
    return int(value) if isinstance(value, bool) else value


def _texts(simulation: "Client", targets: list[str]) -> dict[str, str]:
    texts = {}
    for target in targets:
        module = simulation.module(target)
        if module.interface.kind == _SYSTEM:
            texts[robot_and_module(target)[0]] = str(module.get_parameter("model"))
    return texts
