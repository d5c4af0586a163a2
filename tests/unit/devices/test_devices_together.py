"""What holds for every built-in device."""

import numpy as np
import pytest
from device_standins import FlatBodies, SmallWorld, command, prepare_kernels, readings_of, rig_for

from coopsim.devices import _receiver, differential_drive, noise, odometry, sampled
from coopsim.devices._array_device import ArrayDevice
from coopsim.devices.differential_drive import DifferentialDrive
from coopsim.devices.odometry import Odometry
from coopsim.devices.sonars import Sonars
from coopsim.features.sensors import bumpers, target
from coopsim.features.sensors.bumpers import Bumpers
from coopsim.features.sensors.compass import Compass
from coopsim.features.sensors.gps import Gps
from coopsim.features.sensors.target import Target

FILES = (_receiver, bumpers, differential_drive, noise, odometry, sampled, target)
KINDS = (DifferentialDrive, Sonars, Target, Odometry, Bumpers, Compass, Gps)


def outfit(n: int, **settings: float) -> list[ArrayDevice]:
    """Return one device of each kind; settings go to those that know them."""
    devices: dict[str, ArrayDevice] = {}
    for kind in KINDS:
        parameters = {parameter.name for parameter in kind.interface.parameters}
        own = {name: value for name, value in settings.items() if name in parameters}
        devices[kind.interface.kind] = kind(rig_for(kind, n, targets=("red",), siblings=dict(devices), **own))
    return list(devices.values())


def drive_on(devices: list[ArrayDevice], n: int, ticks: int = 50) -> list[list[float]]:
    """Drive and look; return all readings of the last tick."""
    bodies = FlatBodies(n)
    bodies.planar[:, 0] = np.arange(n)
    world = SmallWorld(bodies, {"red": (3.0, 1.0, 0.0)})
    world.touching = [(0, -1, 0.25, 0.0, 1.0)]
    outs = [readings_of(device, n) for device in devices]
    slots = command(1, 10, 0.3, 0.2, n=n)
    for tick in range(ticks):
        for device in devices:
            device.act(slots, bodies, bodies.wrench, 0.01)
        bodies.step(0.01)
        for device, out in zip(devices, outs, strict=True):
            device.sense(world, tick, out)
    return [out.tolist() for out in outs]


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("interval", [1, 2])
def test_nothing_is_compiled_during_a_run_after_warm(n, interval) -> None:
    prepare_kernels()
    kernels = [var for file in FILES for var in vars(file).values() if hasattr(var, "signatures")]
    before = {kernel.py_func.__name__: len(kernel.signatures) for kernel in kernels}
    drive_on(outfit(n, interval=interval, noise=0.01, noise_distance=0.1), n)
    assert len(kernels) > 10
    assert {kernel.py_func.__name__: len(kernel.signatures) for kernel in kernels} == before


@pytest.mark.parametrize("noise_level", [0.0, 0.05])
def test_two_runs_of_the_same_seed_are_equal_bit_by_bit(noise_level) -> None:
    settings = {"noise": noise_level, "noise_distance": noise_level, "noise_angle": noise_level}
    assert drive_on(outfit(3, **settings), 3) == drive_on(outfit(3, **settings), 3)


def test_memory_and_parameters_carry_a_robot_over_into_a_new_instance() -> None:
    settings = {"noise": 0.02, "interval": 3, "watchdog": 0.2}
    old, new = outfit(2, **settings), outfit(2)
    drive_on(old, 2)
    for before, after in zip(old, new, strict=True):
        for arrays_before, arrays_after in ((before.memory, after.memory), (before.parameters, after.parameters)):
            for name, array in arrays_after.items():
                array[:] = arrays_before[name]
    assert drive_on(old, 2) == drive_on(new, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_memory_has_one_row_for_each_robot_and_numbers_alone(kind) -> None:
    device = outfit(4)[KINDS.index(kind)]
    for array in device.memory.values():
        assert array.shape[0] == 4
        assert array.dtype in (np.float64, np.int64, np.uint64)
        assert array.flags.c_contiguous


@pytest.mark.parametrize("kind", KINDS)
def test_a_parameter_is_one_column_and_fixed_ones_have_none(kind) -> None:
    device = outfit(4)[KINDS.index(kind)]
    assert list(device.parameters) == [parameter.name for parameter in kind.interface.parameters if not parameter.fixed]
    for parameter in kind.interface.parameters:
        if not parameter.fixed:
            assert device.parameters[parameter.name].tolist() == [parameter.default] * 4


def test_a_type_whose_last_robot_left_still_ticks() -> None:
    bodies = FlatBodies(1)
    world = SmallWorld(bodies, {"red": (1.0, 0.0, 0.0)})
    for device in outfit(0, interval=2):
        device.act(command(n=0), bodies, bodies.wrench, 0.01)
        device.sense(world, 0, readings_of(device, 0))
    assert not bodies.wrench.any()
