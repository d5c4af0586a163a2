"""Worlds that diverge are put back: the same for every engine that does not undo such a step itself.

What moved is kept before each step. Where a body is astray after it, an engine made anew goes on from there, since the
old one may remember contacts that are no numbers; the bodies to blame stand still, and pushes end.
"""

from typing import Any

import numpy as np

from coopsim.devices.calls import says_itself
from coopsim.engines import PhysicsEngine, is_spatial
from coopsim.engines.plane.footprints import FARTHEST
from coopsim.engines.straying import first_astray, keep
from coopsim.errors import BadArgument, CoopsimError, EngineCannot
from coopsim.geometry import Floats, Ints, all_finite, wrap
from coopsim.kernels.constants import FASTEST
from coopsim.kernels.sequence import KernelCall
from coopsim.robots import engine_like, world_with
from coopsim.simulation.exchange import EngineInstant, carried
from coopsim.simulation.stage import SimulationState

_MOST_NAMES = 3  # a message stays readable where a whole crowd strays


def undoes_steps(engine: PhysicsEngine) -> bool:
    """Return whether the step of an engine puts everything back itself where bodies go astray."""
    own: Any = engine
    return says_itself(engine, "step", "undoes_steps") and bool(own.undoes_steps)


class Straying:
    """Watches over the steps of an engine whose bodies stay who they are.

    Args:
        engine: One that does not undo its steps itself.
    """

    def __init__(self, engine: PhysicsEngine) -> None:
        self._engine = engine
        self._planar = np.array(engine.planar, np.float64)
        self._space: tuple[Floats, Floats] | None = None

    def calls(self) -> tuple[tuple[KernelCall, ...], tuple[KernelCall, ...]] | None:
        """Return what is to be called before a step, and after it: -1 = nobody strayed; None if Python must do it."""
        planar = self._engine.planar
        if is_spatial(self._engine) or not (planar.flags.c_contiguous and planar.dtype == np.float64):
            return None
        return (KernelCall(keep, (planar, self._planar)),), (KernelCall(first_astray, (planar,), -1),)

    def keep(self) -> None:
        """Note where everything is before a step."""
        engine = self._engine
        self._planar[:] = engine.planar
        if is_spatial(engine):
            self._space = engine.poses.copy(), engine.twists.copy()

    def is_astray(self) -> bool:
        """Return whether a body is astray after a step."""
        engine = self._engine
        if first_astray(np.ascontiguousarray(engine.planar, np.float64)) >= 0:
            return True
        return is_spatial(engine) and not (all_finite(engine.height) and all_finite(engine.poses))

    def rows(self) -> Ints:
        """Return who is astray, shape (k,)."""
        engine = self._engine
        planar = np.asarray(engine.planar, np.float64)
        # negated comparisons: what is no number is wild, too
        wild = ~(np.abs(planar[:, :2]) <= FARTHEST).all(axis=1) | ~np.isfinite(planar[:, 2])
        wild |= ~(np.abs(planar[:, 3:]) <= FASTEST).all(axis=1)
        if is_spatial(engine):
            wild |= ~(np.isfinite(engine.height) & np.isfinite(engine.poses).all(axis=1))
        return np.flatnonzero(wild)

    def before(self, stopped: Ints) -> EngineInstant:
        """Return everybody as before the step, but for bodies that stand still; headings that grew large are wrapped.

        Args:
            stopped: Their rows, shape (k,).
        """
        engine, planar = self._engine, self._planar.copy()
        planar[stopped, 3:] = 0.0
        # a heading beyond that has lost its digits, and no engine would accept it
        for row in np.flatnonzero(np.abs(planar[:, 2]) > FARTHEST).tolist():
            planar[row, 2] = wrap(float(planar[row, 2]))
        if self._space is None:
            poses, twists = _in_space(planar, np.asarray(engine.height, np.float64))
        else:
            poses, twists = self._space[0].copy(), self._space[1].copy()
            twists[stopped] = 0.0
        return EngineInstant(engine.abilities, engine.names, engine.joints, poses, twists, planar)


def put_back(stage: SimulationState, straying: Straying, problem: str = "") -> str:
    """Go on from before a step in which bodies went astray; return what is to be told.

    Args:
        stage: Its engine is made anew.
        straying: Knows where everything was.
        problem: What the engine raised, after which everybody stands still; "" = nothing.

    Raises:
        EngineCannot: The engine cannot hold what it held before.
    """
    rows = np.arange(len(stage.engine.names)) if problem else straying.rows()
    names = [stage.engine.names[row] for row in rows.tolist()]
    instant = straying.before(rows)
    try:
        _go_on_from(stage, instant)
    except CoopsimError:  # a joint that was made in the engine alone, or a foreign engine that does not take it
        _put_in_place(stage.engine, instant, stage.tick_count)
    stage.pushes = ()
    listed = ", ".join(map(repr, names[:_MOST_NAMES]))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    who = f"body {listed} is" if len(names) == 1 else f"bodies {listed}{more} are"
    why = problem or f"it would have gone astray, beyond {FASTEST:g} m/s or {FARTHEST:g} m"
    return f"{who} stopped, and nothing moved in this tick: {why}; pushes ended"


def _go_on_from(stage: SimulationState, instant: EngineInstant) -> None:
    """Have a new engine of the same kind in which everything is as it was."""
    world, joints = world_with(stage.scene.floor, stage.scene.bodies), tuple(stage.joints.values())
    with stage.all_or_nothing():
        stage.engine = carried(instant, engine_like(stage.engine), world, joints)
        stage.engine.check_step(stage.step_ns * 1e-9)
        stage.rewire()


def _put_in_place(engine: PhysicsEngine, instant: EngineInstant, tick: int) -> None:
    """Put everybody of an engine back.

    Raises:
        EngineCannot: What was kept before the step is not finite either: a program wrote it there.
    """
    rows = np.arange(len(instant.names))
    try:
        if is_spatial(engine):
            engine.set_spatial_state(rows, instant.poses, instant.twists)
        else:
            engine.set_state(rows, instant.planar)
    except BadArgument:
        raise EngineCannot(f"tick {tick}: the physics diverged, and cannot be put back") from None
    if not all_finite(engine.planar):
        raise EngineCannot(f"tick {tick}: the physics diverged, and cannot be put back")


def _in_space(planar: Floats, height: Floats) -> tuple[Floats, Floats]:
    """Return poses, shape (n, 7), and twists, shape (n, 6), of bodies that stand upright."""
    poses, twists = np.zeros((len(planar), 7)), np.zeros((len(planar), 6))
    poses[:, :2], poses[:, 2] = planar[:, :2], height
    poses[:, 3], poses[:, 6] = np.cos(planar[:, 2] / 2.0), np.sin(planar[:, 2] / 2.0)
    twists[:, :2], twists[:, 5] = planar[:, 3:5], planar[:, 5]
    return poses, twists
