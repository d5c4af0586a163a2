"""A checkpoint in space is the whole state of the solver: what is restored is what was there, bit by bit."""

import random
from pathlib import Path

import pytest

from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import checkpoint, restore, snapshot

HEAD = "[SIMULATION]\nengine mujoco\nstep 0.02\nseed 5\n[WORLD]\nfile things.world\n"
TYPES = ("scout", "quadrotor", "abb_irb_120", "single")
KINDS = {"box": "size 0.4 0.3 0.2", "sphere": "size 0.3 0.3 0.3", "cylinder": "size 0.3 0.3 0.5"}


def scene(seed: int) -> tuple[str, str]:
    """Return scenario and world of robots on wheels, in the air and with arms, and of free bodies, at random places."""
    chance, parts, things = random.Random(seed), [HEAD], [""]
    for number in range(1, 5):
        kind = TYPES[number % len(TYPES)] if number < 4 else chance.choice(TYPES)
        height = chance.uniform(0.8, 1.5) if kind == "quadrotor" else 0.0
        turn = chance.uniform(-3.0, 3.0)
        parts.append(f"[ROBOT_{number}]\ntype {kind}\nposition {2.5 * number} 0 {height}\norientation 0 0 {turn}\n")
    for number in range(1, 4):
        kind = chance.choice(sorted(KINDS))
        place = f"{chance.uniform(-1, 9):.3f} {chance.uniform(2, 4):.3f} {chance.uniform(0.2, 0.6):.3f}"
        turn = " ".join(f"{chance.uniform(-1, 1):.3f}" for _ in range(3))
        look = f"type {kind}\n{KINDS[kind]}\nposition {place}\norientation {turn}\nmass 2\n"
        things.append(f"[OBJECT_{number}]\nname body{number}\n{look}")
    return "".join(parts), "".join(things)


def driven(texts: tuple[str, str], folder: Path, ticks: int, seed: int) -> Simulation:
    path = folder / "scene.scenario"
    for file, text in zip((path, folder / "things.world"), texts, strict=True):
        file.write_text(text)
    simulation, chance = Simulation(load(path)), random.Random(seed)
    for name in simulation.scene.robots:
        block = simulation.tables.block_of(name)
        if block is not None and "motors" in block.devices:
            simulation.command(name, "motors", 10, (chance.uniform(-0.4, 0.4), chance.uniform(-1.0, 1.0)))
    simulation.engine.wrench[:, 0] = 3.0
    for _ in range(ticks):
        simulation.tick()
    return simulation


@pytest.mark.parametrize("seed", range(6))
def test_a_checkpoint_in_space_changes_no_bit_and_all_that_go_on_from_it_are_the_same(
    seed: int, tmp_path: Path
) -> None:
    simulation = driven(scene(seed), tmp_path, 20 + 7 * seed, seed)
    expected, raw = simulation.state_hash(), snapshot(simulation)
    checkpoint(simulation)
    assert simulation.state_hash() == expected
    assert snapshot(simulation) == raw, "a second checkpoint would be another one"
    restored = Simulation(simulation.origin)
    restore(restored, raw)
    assert (restored.state_hash(), snapshot(restored)) == (expected, raw)
    for _ in range(25):
        simulation.tick()
        restored.tick()
        assert simulation.state_hash() == restored.state_hash()


def test_a_snapshot_of_an_older_version_is_restored_and_written_as_it_did(tmp_path: Path) -> None:
    simulation = driven(scene(1), tmp_path, 30, 1)
    simulation.hash_rule = 2
    older = snapshot(simulation)
    restored, third = Simulation(simulation.origin), Simulation(simulation.origin)
    restore(restored, older)
    assert restored.hash_rule == 2
    assert len(snapshot(restored)) == len(older)
    restore(third, older)
    for _ in range(10):
        restored.tick()
        third.tick()
    assert restored.state_hash() == third.state_hash()
    restored.hash_rule = 3
    assert len(snapshot(restored)) > len(older)
