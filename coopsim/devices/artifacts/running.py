"""The devices behind drivers and sensors: one for all artifacts of a type, an author's object for each of them."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from coopsim import plugins
from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.artifacts.artifact import Artifact
from coopsim.devices.artifacts.environment import Callback, Environment, Order
from coopsim.devices.calls import says_itself
from coopsim.devices.checking import code_location
from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.devices.program import OnBoardProgram, PartsOff
from coopsim.devices.robot_view import DeviceParameters, Memory, Moment
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadArgument, PluginFailed
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import Interface, width
from coopsim.interfaces.sampling import FIX_FIELDS
from coopsim.plugins import blame, is_interrupt, words

if TYPE_CHECKING:
    _Base = ArrayDevice
else:
    _Base = object
_OFF = "switched_off"
Measure: TypeAlias = Callable[[Ints, Floats], None]
"""Called with the rows of the sensors that measure, shape (k,), and room for their readings, shape (k, width)."""


class AuthorsObject(Protocol):
    """A driver or sensor of one artifact, see `authored.Authored`."""

    interface: ClassVar[Interface]
    remembers: ClassVar[Mapping[str, float]]
    artifact: Artifact
    environment: Environment

    def configure(self, descriptor: DeviceParameters) -> None:
        """Begin."""

    def run(self) -> Any:
        """Do what is to be done in one tick."""

    def destroy(self) -> None:
        """End."""


class AuthoredDevice(_Base):
    """A device whose work is done by objects of an author's class.

    An object that raises, or returns what is not finite, is switched off by itself until a reset; all others go on.

    Attributes:
        author: The class.
        objects: One for each artifact, by row.
    """

    author: ClassVar[type[AuthorsObject]]
    objects: list[AuthorsObject]

    def begin_artifacts(self, context: DeviceContext) -> None:
        """Create the objects."""
        n = len(context.robots)
        self.memory |= {name: np.full(n, float(start)) for name, start in self.author.remembers.items()}
        self.memory[_OFF] = np.zeros(n)
        self.descriptors = [DeviceParameters(context, self.parameters, row) for row in range(n)]
        self.objects = [self.author() for _ in range(n)]
        for row, held_object in enumerate(self.objects):
            held_object.artifact = Artifact(context, row, self.descriptors[row], Memory(self.memory, row))
        self.moment = Moment()
        for held_object in self.objects:
            held_object.artifact.share(self.moment)
        self.problems: list[tuple[str, str]] = []
        self.is_entered = False

    def enter(self, environment: Environment) -> None:
        """Give the objects their environment and configure them.

        Raises:
            PluginFailed: One cannot be configured.
        """
        self.environment, self.is_entered = environment, True
        self.moment.sense(environment.world, 0)
        for held_object, descriptor in zip(self.objects, self.descriptors, strict=True):
            held_object.environment = environment
            held_object.artifact.begin(environment)
            what = f"{self.author.interface.kind} of {held_object.artifact.name}"
            with plugins.blamed(what):
                try:
                    held_object.configure(descriptor)
                except BadArgument as problem:  # of a call that is not for `configure`: where it stands must be told
                    raise blame(what, problem) from problem

    def leave(self) -> Iterator[str]:
        """Destroy the objects; yield why one could not be."""
        for held_object in self.objects if self.is_entered else ():
            try:
                held_object.destroy()
            except BaseException as problem:
                if is_interrupt(problem):
                    raise
                yield f"{held_object.artifact.name}: {words(self._blame(problem))}"
        self.is_entered = False

    def listeners(self) -> Iterator[tuple[tuple[str, str, str], Callable[[Floats], None]]]:
        """Yield what is called with readings: artifact, sensor, name of the listening artifact, and the call."""
        for row, held_object in enumerate(self.objects):
            for artifact, sensor, callback in held_object.artifact.listening:
                yield (artifact, sensor, held_object.artifact.name), self._guarded(row, callback)

    def raise_problems(self) -> None:
        """Tell what was switched off since the last call.

        Raises:
            PartsOff: Something was.
        """
        if self.problems:
            parts, self.problems = self.problems, []
            raise PartsOff(parts)

    def switch_off(self, row: int, problem: BaseException) -> None:
        """Leave the object of one artifact out from now on.

        Raises:
            KeyboardInterrupt: The user ends the program.
        """
        if is_interrupt(problem):
            raise problem
        self.memory[_OFF][row] = 1.0
        artifact = self.objects[row].artifact
        artifact.asked = artifact.pushed = ()
        self.problems.append((f"{self.author.interface.kind} of {artifact.name}", words(self._blame(problem))))

    def working(self) -> list[bool]:
        """Return which objects are not switched off."""
        on: list[bool] = (self.memory[_OFF] == 0.0).tolist()
        return on

    def check_finite(self, values: Floats, rows: Ints, what: str) -> list[int]:
        """Switch off what wrote something that is not finite; return the places in `values` where that is."""
        if np.isfinite(values).all():
            return []
        bad: list[int] = np.flatnonzero(~np.isfinite(values).all(axis=1)).tolist()
        for place in bad:
            text = f"{code_location(self.author.run)}: {self.author.__name__} wrote {what} that is not finite"
            self.switch_off(int(rows[place]), PluginFailed(text))
        return bad

    def readings_of(self, given: Any, count: int) -> Floats:
        """Return what a driver or sensor gave as numbers.

        Args:
            given: A number, or a sequence of numbers.
            count: How many its interface declares.

        Raises:
            PluginFailed: It is another count.
        """
        values: Floats = np.asarray(given, np.float64).reshape(-1)
        if values.size != count:
            names = ", ".join(field.name for field in self.author.interface.readings if field not in FIX_FIELDS)
            place, what = code_location(self.author.run), self.author.__name__
            text = f"{place}: {what} returned {values.size} readings; expected {count}"
            raise PluginFailed(f"{text}: {names}" if names else text)
        return values

    def _guarded(self, row: int, callback: Callback) -> Callable[[Floats], None]:
        def call(readings: Floats) -> None:
            if self.memory[_OFF][row] == 0.0:
                try:
                    callback(readings)
                except BaseException as problem:
                    self.switch_off(row, problem)

        return call

    def _blame(self, problem: BaseException) -> PluginFailed:
        return blame(self.author.__name__, problem)


class DriverDevice(AuthoredDevice, OnBoardProgram):
    """The drivers of all artifacts of a type."""

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context)
        self.begin_artifacts(context)
        self._rows, self._wanted = np.arange(len(self.objects)), self.readings.copy()
        self._orders: list[tuple[Order, tuple[float, ...]]] = []

    def decide(self, tick: int, dt: float) -> None:
        """Run the drivers, in the order of the artifacts' names, and command on-board programs, which run after it.

        Args:
            tick: Number of the tick.
            dt: Length of the tick [s].

        Raises:
            PartsOff: Some were switched off.
        """
        wanted, environment = self.readings.copy(), self.environment
        environment.is_driving = True
        environment.refresh()
        self.moment.drive(environment.world, tick, dt)
        for row, (held_object, is_on) in enumerate(zip(self.objects, self.working(), strict=True)):
            if is_on:
                try:
                    given = held_object.run()
                    if given is not None:
                        wanted[row] = self.readings_of(given, wanted.shape[1])
                except BaseException as problem:
                    self.switch_off(row, problem)
        environment.is_driving = False
        for row in self.check_finite(wanted, self._rows, "a reading"):
            wanted[row] = self.readings[row]
        self._wanted = wanted
        asked = [request for held_object in self.objects for request in held_object.artifact.asked]
        for held_object in self.objects:
            held_object.artifact.asked = ()
        for order, values in asked:
            if order.is_of_program:
                order.give(values, tick)
        self._orders = [request for request in asked if not request[0].is_of_program]
        self.raise_problems()

    def run(self, tick: int, dt: float) -> None:
        """Write the readings, and command all other devices, after the programs of the artifacts."""
        self.readings[:] = self._wanted
        for order, values in self._orders:
            order.give(values, tick)
        self._orders = []

    def act(self, commands: Floats, bodies: Bodies, wrench: Floats, dt: float) -> None:
        """Let the forces act that drivers asked for."""
        pushes = [(row, push) for row, held_object in enumerate(self.objects) for push in held_object.artifact.pushed]
        if not pushes:
            return
        rows, values = np.array([row for row, _ in pushes]), np.array([push for _, push in pushes])
        bad = self.check_finite(values, rows, "a force")
        values[bad] = 0.0
        np.add.at(wrench, self.rows[rows], values)
        for instance in self.objects:
            instance.artifact.pushed = ()
        self.raise_problems()


class SensorDevice(AuthoredDevice, Sampled):
    """The sensors of all artifacts of a type."""

    def __init__(self, context: DeviceContext) -> None:
        readings = tuple(field for field in self.interface.readings if field not in FIX_FIELDS)
        super().__init__(context, width(readings, {}))
        self.begin_artifacts(context)
        self._last = np.zeros((len(self.objects), self.width))
        self.memory["last"] = self._last
        self._measure_together: Measure | None = None

    def enter(self, environment: Environment) -> None:
        """Configure the sensors, and ask their class whether it measures for all of them at once."""
        super().enter(environment)
        author: Any = self.author
        is_together = says_itself(self.objects[0], "run", "together") if self.objects else False
        self._measure_together = author.together(self.objects, self.parameters) if is_together else None

    def sense(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the readings; a sensor that is switched off keeps its last ones."""
        super().sense(world, tick, out)
        self.raise_problems()

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Run the sensors, in the order of the artifacts' names, or all together where their class does so."""
        which = self.every if rows is None else rows
        out[:] = self._last[which]
        self.environment.refresh()
        self.moment.sense(world, tick)
        if self._measure_together is None:
            self._measure_each(which, out)
        else:
            places = np.flatnonzero(self.memory[_OFF][which] == 0.0)
            values = np.empty((places.size, self.width))
            self._measure_together(which[places], values)
            out[places] = values
        for place in self.check_finite(out, which, "a reading"):
            out[place] = self._last[which[place]]
        self._last[which] = out

    def _measure_each(self, which: Ints, out: Floats) -> None:
        is_on, objects = self.working(), self.objects
        for place, row in enumerate(which.tolist()):
            if is_on[row]:
                try:
                    out[place] = self.readings_of(objects[row].run(), out.shape[1])
                except BaseException as problem:
                    self.switch_off(row, problem)
