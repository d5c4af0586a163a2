"""Base classes for authors: `Sensor` and the driver, which they import as `coopsim.devices.artifacts.Driver`."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from coopsim.devices.artifacts.artifact import Artifact
from coopsim.devices.artifacts.environment import Environment
from coopsim.devices.artifacts.running import AuthoredDevice, DriverDevice, SensorDevice
from coopsim.devices.checking import check_method, code_location
from coopsim.devices.robot_view import DeviceParameters
from coopsim.errors import PluginFailed
from coopsim.interfaces import Interface


class Authored:
    """An object for one artifact: create, configure, run, destroy (SwarmSimX, section 2.2).

    It is made, gets its artifact and environment, is configured, runs in each tick and is destroyed. Whenever artifacts
    come or go all of this begins anew: numbers that must outlive it stand in `artifact.memory`.

    Attributes:
        interface: Its network face: commands, parameters.
        remembers: Numbers in `artifact.memory`, by name, with what they begin as.
        artifact: What it belongs to.
        environment: All artifacts.
    """

    # not in the dictionary of each: ten thousand, made first and furnished later, would share no keys
    __slots__ = ("__dict__", "__weakref__", "artifact", "environment")

    interface: ClassVar[Interface]
    remembers: ClassVar[Mapping[str, float]] = {}
    artifact: Artifact
    environment: Environment
    _device: ClassVar[type[AuthoredDevice]]
    _base: ClassVar[type[AuthoredDevice] | None] = None

    @classmethod
    def for_settings(cls, _settings: Mapping[str, Any]) -> type[AuthoredDevice]:
        """Return the device that runs objects of this class, one for each artifact.

        Raises:
            PluginFailed: The class derives from neither `Driver` nor `Sensor`.
        """
        if cls._base is None:
            raise PluginFailed(f"{code_location(cls)}: {cls.__name__} must derive from Driver or Sensor")
        if "_device" not in vars(cls):
            facts = {"interface": cls.interface, "author": cls, "__module__": cls.__module__}
            cls._device = type(f"{cls.__name__}Device", (cls._base,), facts)
        return cls._device

    @classmethod
    def check_contract(cls, name: str) -> None:
        """Check that objects of this class can be used.

        Raises:
            PluginFailed: They cannot.
        """
        cls.for_settings({})
        for method in ("run", "configure", "destroy"):
            check_method(f"device {name}", cls, Authored, method)

    def configure(self, descriptor: DeviceParameters) -> None:
        """Begin; `descriptor["range"]` is a parameter as the artifact's file sets it."""

    def run(self) -> Any:
        """Do what is to be done in one tick."""
        raise NotImplementedError(f"{type(self).__name__} needs a method run(self)")

    def destroy(self) -> None:
        """End; the artifact left, all artifacts are made anew, or the run is over."""


class ArtifactDriver(Authored):
    """The program of an artifact: it runs before the engine, may command any device, and pushes its own body.

    `run` returns the readings that its interface declares, None without any.
    """

    _base = DriverDevice

    def run(self) -> float | Sequence[float] | None:
        """Do one simulation step."""
        raise NotImplementedError(f"{type(self).__name__} needs a method run(self)")


class Sensor(Authored):
    """Sensor of an artifact, or a variable of the simulator: `run` returns the readings of a tick.

    For thousands of artifacts a class may also have a class method `together(sensors, parameters)`. It gets the sensors
    of all artifacts of a type once they are configured, and their changeable parameters by name, shape (n,) each, as
    they are whenever they are read. It returns what measures for many of them in one call, to the bit what `run` gives
    (`running.Measure`). What that call raises switches off all of them.
    """

    _base = SensorDevice

    def run(self) -> float | Sequence[float]:
        """Return the readings, in the order of the interface's READ commands."""
        raise NotImplementedError(f"{type(self).__name__} needs a method run(self)")
