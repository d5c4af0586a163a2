"""Worlds of a batch: many copies of a scenario in one process, ticked by one compiled call."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import xxhash
from numpy.typing import ArrayLike, NDArray

from coopsim.devices.noise import noise_key
from coopsim.errors import BadArgument
from coopsim.features.learning.arena import Arena
from coopsim.features.learning.arrays import BatchArrays
from coopsim.features.learning.log import CommandLog, run_again, save
from coopsim.features.learning.program import End, TickProgram
from coopsim.features.learning.ranges import Ranges, Vary, varied, vary_of
from coopsim.features.learning.resetting import Resetter, write_words
from coopsim.features.learning.sections import LEARNING
from coopsim.features.learning.starts import StartRule, Starts, solids_of, starts_of
from coopsim.features.learning.template import WorldTemplate
from coopsim.geometry import Bools, Floats, Ints
from coopsim.robots import RunSpec, load
from coopsim.scene import by_name
from coopsim.simulation import Simulation
from coopsim.simulation.hashing import hashed_from

MOST_WORLDS = 1 << 20
_SEEDS = 1 << 31
_END_TEXTS = {End.ASTRAY: "a body went astray", End.WILD_FORCE: "a force was not finite, or absurdly large"}


class Worlds(BatchArrays):
    """Copies of a scenario, each with a seed of its own; world k has the bits of that scenario run alone.

    Arrays that it gives are views into its memory, and stay where they are: nothing is copied in a step.

    Args:
        scenario: A path, the bare name of a built-in scenario, or what `coopsim.robots.load` returned.
        count: How many worlds.
        seed: Of world 0 before its first reset; the next worlds have the next ones. None = the scenario's.
        step: Simulated seconds of a tick, instead of the scenario's.
        starts: Where robots and targets begin by chance; None = as the section `[LEARNING]` of the scenario says.
        vary: Ranges of parameters by name, `{"all.sonars.noise": (0.0, 0.05)}`; None = as that section says.
        threads: Over how many cores a step is spread.

    Attributes:
        count: How many worlds.
        robots: Names of the robots, in the order of rows of `poses`.
        ticks: How many ticks each world has made since its reset, shape (count,).
        seeds: Of the present episodes, shape (count,).
        ends: Why each stands still, 0 = it does not, see `End`, shape (count,).
        dt: Simulated time of a tick [s].

    Raises:
        EngineCannot: Compiled code alone cannot tick this scenario; the text says what is in the way, and where.
        BadArgument: There are no worlds, or too many, or no threads, or a start or range does not fit.
    """

    def __init__(
        self,
        scenario: str | Path | RunSpec,
        count: int,
        *,
        seed: int | None = None,
        step: float | None = None,
        starts: Sequence[StartRule] | None = None,
        vary: Mapping[str, tuple[float, float]] | Sequence[Vary] | None = None,
        threads: int = 1,
    ) -> None:
        if not isinstance(count, int | np.integer) or not 1 <= count <= MOST_WORLDS:
            raise BadArgument(f"expected 1 to {MOST_WORLDS} worlds, got {count!r}")
        if not isinstance(threads, int | np.integer) or threads < 1:
            raise BadArgument(f"expected 1 or more threads, got {threads!r}")
        if not (seed is None or isinstance(seed, int | np.integer)):
            raise BadArgument(f"expected a whole number as seed, got {seed!r}")
        self._spec = spec = scenario if isinstance(scenario, RunSpec) else load(scenario)
        section = LEARNING.of(spec.scenario)
        if section is not None:
            starts, vary = starts_of(section) if starts is None else starts, vary_of(section) if vary is None else vary
        self._ranges = Ranges(spec, varied(vary or ()))
        super().__init__(*self._prepare(self._ranges.with_highest(spec), count, step))
        simulation, arena = self._template.simulation, self._arena
        self._starts = Starts(spec, simulation.scene.bodies, starts or ())
        self.count, self.dt = count, simulation.step_ns * 1e-9
        self._pool = ThreadPoolExecutor(int(threads) - 1) if threads > 1 else None
        self._threads, self._all = int(threads), np.arange(count)
        self.ticks, self.ends = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.robots = tuple(place.name for place in simulation.layout.robots)
        self._bodies = {name: row for row, name in enumerate(simulation.engine.names)}
        self.planar: Floats = arena.of_all(self._template.planar)
        self.poses: Floats = self._poses_of_robots()
        first = spec.scenario.settings.seed if seed is None else seed
        self.seeds: Ints = first + np.arange(count, dtype=np.int64)
        self._places = np.zeros((count, len(self._starts.robots) + len(self._starts.targets), 3))
        self._values = np.zeros((count, 0))
        self._episodes = np.zeros(count, np.int64)
        self._logs: dict[int, CommandLog] = {}
        self._is_closed = False
        self._commands: Floats = arena.of_all(simulation.tables.commands)
        self.reset(seeds=self.seeds)

    def _prepare(self, spec: RunSpec, count: int, step: float | None) -> tuple[WorldTemplate, Arena]:
        """Return what a world is, and the memory of all."""
        template = WorldTemplate(spec, step=step)
        arena = Arena(template.plan, count)
        self._program = TickProgram(template.calls, template.plan, arena, template.stale)
        self._resetter = Resetter(template, arena)
        self._keys = noise_keys_of(template)
        self._drawn = self._ranges.words(template.simulation, template.word_of)
        self._targets_at = template.word_of(template.simulation.world.target_positions)
        return template, arena

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Free the spaces; arrays stay readable, and nothing else is done with these worlds."""
        self._is_closed = True
        if self._pool is not None:
            self._pool.shutdown()
        self._resetter.close()

    def _poses_of_robots(self) -> Floats:
        """Return x y yaw vx vy w of the robots: a view where their rows lie side by side."""
        rows = [self._bodies[name] for name in self.robots]
        if rows == list(range(rows[0], rows[0] + len(rows))):
            return self.planar[:, rows[0] : rows[0] + len(rows)]
        raise BadArgument(
            "the robots' names are not next to each other among those of all things that move; "
            "rename things that move, so that they come before or after all robots"
        )

    # time

    def step(self, ticks: int = 1) -> None:
        """Make ticks in all worlds that have not ended.

        Args:
            ticks: How many.

        Raises:
            BadArgument: It is negative, or no whole number, or the worlds are closed.
        """
        self._check_open("step")
        if not isinstance(ticks, int | np.integer) or ticks < 0:
            raise BadArgument(f"expected a whole number of ticks from 0 on, got {ticks!r}")
        if ticks == 0:
            return
        for world, log in self._logs.items():
            if self.ends[world] == End.RUNNING:
                log.add(ticks, self._commands[world])
        self._run(self._all, ticks, 0)

    def _run(self, worlds: Ints, ticks: int, first: int) -> None:
        if self._pool is None or worlds.size < self._threads:
            self._program.run(worlds, self.ticks, self.ends, ticks, first)
            return
        parts = np.array_split(worlds, self._threads)
        futures = [
            self._pool.submit(self._program.run, part, self.ticks, self.ends, ticks, first) for part in parts[1:]
        ]
        self._program.run(parts[0], self.ticks, self.ends, ticks, first)
        for future in futures:
            future.result()

    def reset(self, mask: ArrayLike | None = None, seeds: ArrayLike | None = None) -> Ints:
        """Put worlds back to their beginning.

        Args:
            mask: Which, shape (count,); None = all.
            seeds: Of all worlds, or of those that are put back; None = new ones that follow from the present ones.

        Returns:
            Numbers of the worlds that were put back.

        Raises:
            BadArgument: The mask or the seeds have another shape, or the worlds are closed.
        """
        self._check_open("reset")
        worlds = self._all if mask is None else self._chosen(np.asarray(mask))
        if worlds.size:
            self.seeds[worlds] = self._seeds_of(worlds, seeds)
            chosen = self.seeds[worlds].tolist()
            self._begin(worlds, chosen)
        return worlds

    def _check_open(self, method: str) -> None:
        """Refuse what needs the spaces once they are freed: a step would read memory that is others' by then."""
        if self._is_closed:
            raise BadArgument(f"{method} needs worlds that are open, and close() freed these; make new ones")

    def _begin(self, worlds: Ints, seeds: list[int]) -> None:
        places, values = self._drawn_of(worlds, seeds)
        rows = np.array([self._bodies[name] for name in self._starts.robots], np.int64)
        robots = np.array([self._starts.headings(row) for row in places])
        self._resetter.put_back(worlds, robots, rows)
        self._write(worlds, seeds, places)
        self.ticks[worlds] = self.ends[worlds] = 0
        self._run(worlds, 0, self._template.sensors_from)
        self._change(worlds, values)

    def _drawn_of(self, worlds: Ints, seeds: list[int]) -> tuple[Floats, Floats]:
        """Draw and note where everything is in the new episodes, and parameters; return both, and forget commands."""
        places, values = self._starts.draw(seeds), self._ranges.draw(seeds)
        self._places[worlds] = places
        if self._values.shape[1] != values.shape[1]:
            self._values = np.zeros((self.count, values.shape[1]))
        self._values[worlds] = values
        for world in self._logs.keys() & set(worlds.tolist()):
            self._logs[world] = CommandLog()
        return places, values

    def _write(self, worlds: Ints, seeds: list[int], places: Floats) -> None:
        """Write what follows from seeds: noise, and where targets are."""
        arena = self._arena.words
        if self._keys:
            keys = [[noise_key(seed, robot, name) for robot, name, _ in self._keys] for seed in seeds]
            at = np.array([at for _, _, at in self._keys], np.int64)
            write_words(arena, worlds, at, np.array(keys, np.uint64).view(np.int64))
        if self._targets_at >= 0 and self._starts.targets:
            targets = np.ascontiguousarray(places[:, len(self._starts.robots) :, :2]).view(np.int64)
            at = self._targets_at + np.array([(3 * k, 3 * k + 1) for k in range(targets.shape[1])]).ravel()
            write_words(arena, worlds, at, targets.reshape(len(worlds), -1))

    def _change(self, worlds: Ints, values: Floats) -> None:
        """Carry out the events of time 0, which sensors of tick 0 do not see yet."""
        changed, (at, which) = self._template.changed, self._drawn
        if len(changed):
            write_words(
                self._arena.words, worlds, changed[:, 0].copy(), np.repeat(changed[np.newaxis, :, 1], len(worlds), 0)
            )
        if at.size:
            write_words(self._arena.words, worlds, at, np.ascontiguousarray(values[:, which]).view(np.int64))

    def _chosen(self, mask: NDArray[Any]) -> Ints:
        if mask.shape != (self.count,) or mask.dtype != np.bool_:
            raise BadArgument(f"expected a mask of {self.count} truth values, got {mask.dtype} of shape {mask.shape}")
        return np.flatnonzero(mask)

    def _seeds_of(self, worlds: Ints, seeds: ArrayLike | None) -> Ints:
        if seeds is None:
            # a number for each episode of each world that no other has in all likelihood
            self._episodes[worlds] += 1
            pairs = zip(self.seeds[worlds].tolist(), self._episodes[worlds].tolist(), strict=True)
            return np.array([noise_key(seed, str(episode), "") % _SEEDS for seed, episode in pairs], np.int64)
        chosen = np.asarray(seeds)
        if chosen.shape == (self.count,):
            chosen = chosen[worlds]
        if chosen.shape != worlds.shape or chosen.dtype.kind not in "iu":
            raise BadArgument(
                f"expected {self.count} or {worlds.size} whole seeds, got {chosen.dtype} of {chosen.shape}"
            )
        return chosen.astype(np.int64)

    # single worlds

    def reason(self, world: int) -> str:
        """Return why a world stands still, "" if it does not.

        Raises:
            BadArgument: There is no such world. All members of one world raise it then.
        """
        return _END_TEXTS.get(End(int(self.ends[self._checked(world)])), "")

    def spec(self, world: int) -> RunSpec:
        """Return the present episode of a world as a scenario, with its start and its parameters."""
        self._checked(world)
        begun = self._ranges.with_values(self._starts.spec(self._places[world]), self._values[world])
        settings = replace(begun.scenario.settings, seed=int(self.seeds[world]), step=self.dt)
        return replace(begun, scenario=replace(begun.scenario, settings=settings))

    def alone(self, world: int) -> Simulation:
        """Return the present episode of a world as a simulation of its own: before its first tick, or as it is now.

        Of a world whose commands are kept (`keep_commands`) it has made the same ticks, and goes on from there.
        """
        simulation = Simulation(self.spec(world))
        if world in self._logs:
            run_again(simulation, self._logs[world])
        return simulation

    def keep_commands(self, world: int) -> None:
        """Keep the commands of a world from its next reset on, so that episodes of it can be saved.

        Raises:
            BadArgument: There is no such world, or its episode has begun already.
        """
        if self.ticks[self._checked(world)] > 0:
            raise BadArgument(
                f"world {world} has made {self.ticks[world]} ticks; keep its commands before the first one"
            )
        self._logs.setdefault(world, CommandLog())

    def save(self, world: int, path: str | Path) -> None:
        """Write the present episode of a world as a recording: to be watched, verified and gone on from as any other.

        Raises:
            BadArgument: Its commands are not kept, or it ended: alone its bodies would be put back.
            CannotRecord: The file cannot be written.
        """
        if self._checked(world) not in self._logs:
            raise BadArgument(
                f"the commands of world {world} are not kept; call keep_commands({world}) before its first tick"
            )
        if self.ends[world] != End.RUNNING:
            raise BadArgument(f"world {world} ended, since {self.reason(world)}; its last tick cannot be done again")
        save(path, self.spec(world), self._logs[world], self.state_hash(world))

    def drawn(self, world: int) -> tuple[tuple[float, float], Floats, list[float]]:
        """Return what a picture of a world needs: size of the floor, what stands or lies on it, radii of robots [m].

        Solids are x y cos sin and half sizes as of `Starts`; those that move are where they are now.
        """
        self._checked(world)
        scene = self._template.simulation.scene
        bodies = []
        for body in scene.bodies:
            row, pose = self._bodies.get(body.name), body.pose
            if row is not None:
                x, y, yaw = self.planar[world, row, :3].tolist()
                pose = (x, y, pose[2], math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
            bodies.append(replace(body, pose=pose))
        radii = [0.5 * max(scene.types[scene.robots[name].type].size[:2]) for name in self.robots]
        return scene.floor.size[:2], solids_of(bodies, self.robots), radii

    def state_hash(self, world: int) -> bytes:
        """Return the 16 bytes that the simulation of its own has, see `Simulation.state_hash`."""
        self._checked(world)
        simulation, digest = self._template.simulation, xxhash.xxh3_128()
        engine = simulation.engine
        order = sorted(range(len(engine.names)), key=lambda row: by_name(engine.names[row]))
        for array in (engine.planar, engine.height):
            digest.update(np.ascontiguousarray(self._array(array, world)[order]).data)
        digest.update(np.ascontiguousarray(self._array(simulation.readings, world)).data)
        for block in simulation.tables.blocks:
            for device in block.devices.values():
                for key in sorted(device.memory):
                    memory = self._array(device.memory[key], world)
                    digest.update(np.ascontiguousarray(memory[:, hashed_from(device, key) :]).data)
        return digest.digest()

    def _array(self, array: NDArray[Any], world: int) -> NDArray[Any]:
        """Return an array of the template in a world; what no call takes is the same in all."""
        try:
            values: NDArray[Any] = self._arena.of_all(array)[world]
        except KeyError:
            return array
        return values

    @property
    def running(self) -> Bools:
        """Worlds that have not ended, shape (count,)."""
        running: Bools = self.ends == 0
        return running


def noise_keys_of(template: WorldTemplate) -> list[tuple[str, str, int]]:
    """Return robot, device, and word in a world of all keys of noise that calls take."""
    keys = []
    for block in template.simulation.tables.blocks:
        for name, device in block.devices.items():
            of_device = getattr(device, "keys", None)
            first = -1 if of_device is None or not of_device.size else template.word_of(of_device)
            if first >= 0:
                keys += [(robot, name, first + row) for row, robot in enumerate(block.robots)]
    return keys
