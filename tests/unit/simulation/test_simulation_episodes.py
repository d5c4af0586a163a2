"""An episode is repeated with its noise: a reset that gives a seed makes the noise begin anew."""

import pytest
from simulation_scenes import make_spec

from coopsim.errors import BadArgument
from coopsim.robots import RunSpec, load_type
from coopsim.scene import RobotPlacement, Scenario, Settings
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Reset, SetParameter


def noisy_spec(seed: int = 5) -> RunSpec:
    """Return a scene of all sensors, each with noise, delays and losses as their files say."""
    placements = tuple(RobotPlacement(f"robot{i + 1}", "scout", (-2.0, 1.5 * i, 0.0)) for i in range(2))
    spec = make_spec(seed=seed)
    scenario = Scenario(spec.scenario.world, spec.scenario.targets, placements, settings=Settings(seed=seed))
    return RunSpec(scenario, {"scout": load_type("scout")})


def episode(simulation: Simulation, ticks: int = 120) -> list[bytes]:
    """Drive for some ticks; return the state hashes."""
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 10, (0.4, 0.2))
    hashes = []
    for _ in range(ticks):
        simulation.tick()
        hashes.append(simulation.state_hash())
    return hashes


def with_noise(simulation: Simulation) -> Simulation:
    for name in ("robot1", "robot2"):
        edit = SetParameter(name, "sonars", "noise", 0.05)
        apply(simulation, edit)
    return simulation


@pytest.mark.parametrize("before", [37, 120])
def test_an_episode_after_a_reset_with_its_seed_is_bit_equal(before: int) -> None:
    first = with_noise(Simulation(noisy_spec()))
    wanted = episode(first)
    second = with_noise(Simulation(noisy_spec(seed=9)))
    episode(second, before)
    apply(second, Reset(seed=5))
    assert episode(with_noise(second)) == wanted
    apply(second, Reset())
    assert episode(with_noise(second)) != wanted  # without a seed the noise goes on
    assert second.tick_count == before + 240


def test_another_seed_is_another_episode() -> None:
    simulation = with_noise(Simulation(noisy_spec()))
    wanted = episode(simulation)
    apply(simulation, Reset(seed=6))
    assert episode(with_noise(simulation)) != wanted


def test_a_snapshot_in_an_episode_goes_on_with_its_noise() -> None:
    simulation = with_noise(Simulation(noisy_spec()))
    episode(simulation, 50)
    apply(simulation, Reset(seed=6))
    episode(with_noise(simulation), 30)
    saved = snapshot(simulation)
    again = Simulation(noisy_spec())
    restore(again, saved)
    assert episode(again, 30) == episode(simulation, 30)


@pytest.mark.parametrize("seed", [-1, 1 << 63, 0.5, "7"])
def test_what_is_no_seed_is_refused(seed: object) -> None:
    simulation = Simulation(make_spec())
    with pytest.raises(BadArgument, match="seed must be a whole number"):
        apply(simulation, Reset(seed=seed))


def test_poses_alone_with_the_seed_is_bit_equal_too() -> None:
    first = with_noise(Simulation(noisy_spec()))
    wanted = episode(first)
    apply(first, Reset("poses", 5))
    assert episode(first) == wanted
