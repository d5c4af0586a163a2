"""Calls of kernels that devices come to, so that a tick can be one compiled call; see `simulation.compiled_tick`.

A device says calls or has methods. Of calls the method follows (`perform`); a device that has the method alone, or no
calls with its present parameters, is called between the kernels of the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from coopsim.devices.contract import Bodies, Scanners, SensingWorld
from coopsim.geometry import Floats, Ints

if TYPE_CHECKING:  # devices are described without numba
    from coopsim.engines.calls import ContactCalls
    from coopsim.kernels.sequence import KernelCall


class MayChange(Protocol):
    """Facts that calls follow from; once they are stale, other calls would be made."""

    is_stale: bool


@dataclass(frozen=True, slots=True)
class DeviceCalls:
    """Calls of kernels that a method of a device comes to.

    Attributes:
        calls: In their order; where one does not return what it expects, the method is called instead of all of them.
        sources: What they follow from.
    """

    calls: "tuple[KernelCall, ...]"
    sources: tuple[MayChange, ...] = ()

    def followed_by(self, *calls: "KernelCall", source: MayChange | None) -> "DeviceCalls":
        """Return them with further calls after them, which follow from something else, too, None = from nothing."""
        return DeviceCalls((*self.calls, *calls), self.sources if source is None else (*self.sources, source))


class CallableWorld(SensingWorld, Protocol):
    """A world that says what its answers come to as calls, arguments as those of its methods; None = it cannot."""

    def ray_calls(self, rows: Ints, bearings: Floats, reach: Floats, out: Floats, ring: Floats) -> DeviceCalls | None:
        """Return what `cast_rays` comes to."""

    def scan_calls(self, rows: Ints, angles: Floats, scanners: Scanners, out: Floats) -> DeviceCalls | None:
        """Return what `scan` comes to."""

    def nearest_calls(self, rows: Ints, reach: Floats, out: Ints) -> DeviceCalls | None:
        """Return what `nearest_robots` comes to."""

    def nearest_seen_calls(self, rows: Ints, limits: Floats, out: Ints) -> DeviceCalls | None:
        """Return what `nearest_seen` comes to."""

    def contact_calls(self) -> "ContactCalls | None":
        """Return what `contacts` comes to."""

    def nearest_in_space_calls(self, rows: Ints, reach: Floats, out: Ints) -> DeviceCalls | None:
        """Return what `nearest_in_space` comes to once poses are up to date."""

    def joint_state_calls(self, out: Floats) -> DeviceCalls | None:
        """Return what writes `bodies.joint_state` into `out`, shape (j, 6)."""

    def motion_calls(self, accelerations: Floats | None = None) -> DeviceCalls | None:
        """Return what brings poses and twists up to date, and writes accelerations if they are asked for."""


class AnsweringWorld:
    """A world that answers while it is asked, so that no calls are left to be made; any world can do that."""

    def __init__(self, world: SensingWorld) -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def ray_calls(self, rows: Ints, bearings: Floats, reach: Floats, out: Floats, ring: Floats) -> DeviceCalls:
        """Cast the rays."""
        self._world.cast_rays(rows, bearings, reach, out, ring)
        return DeviceCalls(())

    def scan_calls(self, rows: Ints, angles: Floats, scanners: Scanners, out: Floats) -> DeviceCalls:
        """Scan."""
        self._world.scan(rows, angles, scanners, out)
        return DeviceCalls(())

    def nearest_calls(self, rows: Ints, reach: Floats, out: Ints) -> DeviceCalls:
        """Write the nearest robots."""
        self._world.nearest_robots(rows, reach, out)
        return DeviceCalls(())

    def nearest_in_space_calls(self, rows: Ints, reach: Floats, out: Ints) -> DeviceCalls:
        """Write the nearest robots in space."""
        self._world.nearest_in_space(rows, reach, out)
        return DeviceCalls(())

    def joint_state_calls(self, out: Floats) -> DeviceCalls:
        """Write what the joints did."""
        out[:] = self._world.bodies.joint_state()
        return DeviceCalls(())

    def motion_calls(self, accelerations: Floats | None = None) -> DeviceCalls:
        """Write the accelerations; poses and twists are up to date whenever they are read."""
        if accelerations is not None:
            accelerations[:] = self._world.bodies.accelerations
        return DeviceCalls(())


def motion_calls(bodies: Bodies, accelerations: Floats | None = None) -> DeviceCalls | None:
    """Return what brings poses and twists of bodies up to date, and writes their accelerations if they are asked for.

    None where an engine does not say it. Accelerations are those of a step that was made.
    """
    engine: Any = bodies
    return DeviceCalls(engine.motion_calls(accelerations)) if says_itself(bodies, "fill", "motion_calls") else None


def says_itself(owner: object, method: str, calls: str) -> bool:
    """Return whether the class of an object, or a subclass of it, that has a method says what that comes to.

    Whoever overrides the method alone is called.
    """
    defines = [next((base for base in type(owner).__mro__ if name in vars(base)), None) for name in (method, calls)]
    of_method, of_calls = defines
    is_replaced = method in getattr(owner, "__dict__", ())
    return of_method is not None and of_calls is not None and issubclass(of_calls, of_method) and not is_replaced


def perform(device_calls: DeviceCalls | None, tick: int) -> None:
    """Make the calls of a device one after the other.

    Raises:
        NotImplementedError: It has none, so that it needs the method.
    """
    from coopsim.kernels.sequence import call_each

    if device_calls is None:
        raise NotImplementedError("a device whose calls may be None needs the method that they stand for")
    call_each(device_calls.calls, tick)


def all_of(said: Sequence[DeviceCalls | None]) -> DeviceCalls | None:
    """Return the calls of all, one after the other; None where one has none."""
    all_calls = [device_calls for device_calls in said if device_calls is not None]
    if len(all_calls) < len(said):
        return None
    return DeviceCalls(
        tuple(call for group in all_calls for call in group.calls),
        tuple(source for group in all_calls for source in group.sources),
    )
