"""Table of the names on the wire: the module, its commands by number, and those that change something."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from coopsim.errors import CoopsimError
from coopsim.interfaces import CAMERA, Command, Interface
from coopsim.interfaces.rights import ChangingCommand, changing_commands
from coopsim.message.targets import robot_and_module
from coopsim.server.edits import EditForwarder
from coopsim.server.lockstep.coordinator import LockstepCoordinator
from coopsim.server.modules.camera import CameraModule, ImageSource
from coopsim.server.modules.offered import OfferedModule, RecordedModule
from coopsim.server.modules.offered_names import OfferedNames
from coopsim.server.modules.robot import RobotModule, RobotWithoutModule
from coopsim.server.modules.served import ServedModule
from coopsim.state import Layout, ModuleLayout, RobotPlace


class UnknownTarget(Exception):
    """No module has the name that was asked for."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout


class NamedModule(NamedTuple):
    """A module under its name.

    Attributes:
        module: What answers.
        commands: By number.
        changing: Those that change something, by number.
    """

    module: ServedModule
    commands: Mapping[int, Command]
    changing: Mapping[int, ChangingCommand]


class ModuleTable:
    """Modules by name; those of robots as long as their layout is in force.

    Args:
        coordinator: Has the layout that is in force.
        edits: Way to the source.
        fixed: Modules under `/sim`, by name.
        elsewhere: Returns the refusal for a module that lives elsewhere, None if it does not.
        offers: Modules that programs offer.
        images: Returns where images of cameras come from.

    Attributes:
        fixed: Modules under `/sim`, by name.
        generation: Number of the layout.
    """

    def __init__(
        self,
        coordinator: LockstepCoordinator,
        edits: EditForwarder,
        fixed: Mapping[str, ServedModule],
        elsewhere: Callable[[str], CoopsimError | None],
        offers: OfferedNames,
        images: Callable[[], ImageSource],
    ) -> None:
        self._coordinator, self._edits, self._elsewhere = coordinator, edits, elsewhere
        self._offers, self._images = offers, images
        self.fixed = dict(fixed)
        self._fixed_names = {
            name: NamedModule(module, _by_number(module.interface), changing_commands(module.interface, of_robot=False))
            for name, module in self.fixed.items()
        }
        self._resolved: dict[str, NamedModule] = {}
        self._by_kind: dict[int, tuple[Mapping[int, Command], Mapping[int, ChangingCommand]]] = {}
        self.generation = -1

    def find(self, target: str) -> NamedModule:
        """Return what answers under a name.

        Raises:
            UnknownTarget: No module has it.
            CoopsimError: It lives elsewhere.
            SimulationEnded: There is no record yet.
        """
        layout = self._coordinator.link.now[0]
        if layout.generation != self.generation:
            self.generation, self._resolved = layout.generation, {}
            self._by_kind = {}  # an id is only good as long as its layout lives
        named = self._resolved.get(target)
        if named is None:
            named = self._resolve(target, layout)
            if not isinstance(named.module, OfferedModule | RecordedModule):  # those go without a new generation
                self._resolved[target] = named
        return named

    def last_found(self, target: str) -> NamedModule | None:
        """Return what `find` returned, None if it was found in no layout or another one."""
        return self._resolved.get(target)

    def _resolve(self, target: str, layout: Layout) -> NamedModule:
        if target in self._fixed_names:
            return self._fixed_names[target]
        name = target[1:] if target.startswith("/") else ""
        place = layout.robot.get(name)
        if place is not None:
            itself = RobotWithoutModule(place)
            return NamedModule(itself, {}, changing_commands(itself.interface, of_robot=True))
        robot, last = robot_and_module(name)
        place = layout.robot.get(robot)
        module = place.type.module(last) if place is not None else None
        if place is None or module is None:
            return self._offered(target, layout)
        key = id(module.interface)
        if key not in self._by_kind:
            self._by_kind[key] = _by_number(module.interface), changing_commands(module.interface, of_robot=True)
        return NamedModule(self._module_of(place, module), *self._by_kind[key])

    def _offered(self, target: str, layout: Layout) -> NamedModule:
        module = self._offers.find(target)
        if module is None:
            raise self._elsewhere(target) or UnknownTarget(layout)
        return NamedModule(module, _by_number(module.interface), changing_commands(module.interface, of_robot=True))

    def _module_of(self, place: RobotPlace, module: ModuleLayout) -> RobotModule:
        if module.interface.kind == CAMERA.kind:
            return CameraModule(place, module, self._coordinator, self._edits, self._images())
        return RobotModule(place, module, self._coordinator, self._edits)


def _by_number(interface: Interface) -> Mapping[int, Command]:
    return {command.number: command for command in interface.commands}
