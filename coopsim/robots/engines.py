"""Physics engines by name, and what of a scene they cannot represent."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, cast

from coopsim import plugins
from coopsim.engines import BodySpec, PhysicsEngine, WorldSpec
from coopsim.errors import CoopsimError, EngineCannot, NoSuchPlugin
from coopsim.robots.blueprint import RunSpec
from coopsim.robots.bodies import world_spec
from coopsim.scene import choices, find_entry, hint, quoted
from coopsim.scene.specs import MOST_SUBSTEPS, OPTION

_ONLY = ("auto",)
"""Integrators of an engine that says nothing of them."""
_WAYS = (
    *("integrator", "weighs_once", "is_loose", "is_together", "is_coupled"),
    *("is_grounded", "is_rubbing", "holds_bolted", "is_catching"),
)
"""Attributes of engines that go on as earlier versions did."""


def engine_type(name: str) -> type[PhysicsEngine]:
    """Return the physics engine of this name, which may have options: `mujoco+rk4+4` integrates by rk4, in 4 substeps.

    Raises:
        NoSuchPlugin: No engine of this name is registered; the text names the nearest one.
        PluginFailed: It cannot be imported; the text names what is missing.
        EngineCannot: It has no such option.
    """
    engines, (kind, *options) = plugins.registered("engines"), name.split(OPTION)
    if kind not in engines:
        raise NoSuchPlugin(f"no engine {quoted(kind)}{hint(kind, engines)}; known: {choices(engines)}")
    engine: type[PhysicsEngine] = plugins.load("engines", kind)
    return _with_options(engine, kind, tuple(options)) if options else engine


def engine_like(engine: PhysicsEngine) -> type[PhysicsEngine]:
    """Return the type of an engine, with the ways that it has: a snapshot may have brought others than its name.

    Snapshots of recordings of earlier versions do that, whose engines of the same name knew one way.
    """
    make = type(engine)
    ways = {name: getattr(engine, name) for name in _WAYS if hasattr(engine, name)}
    changed = tuple((name, way) for name, way in ways.items() if way != getattr(make, name))
    return _with_ways(make, changed) if changed else make


@cache
def _with_ways(make: type[Any], ways: tuple[tuple[str, object], ...]) -> type[PhysicsEngine]:
    content = {"__module__": make.__module__, "__doc__": make.__doc__, **dict(ways)}
    return cast("type[PhysicsEngine]", type(make.__name__, (make,), content))


@cache
def _with_options(make: type[Any], kind: str, options: tuple[str, ...]) -> type[PhysicsEngine]:
    integrators, parts = getattr(make, "integrators", _ONLY), 1
    content: dict[str, Any] = {"__module__": make.__module__, "__doc__": make.__doc__}
    for option in options:
        if option.isdecimal() and 1 <= int(option) <= MOST_SUBSTEPS:
            parts = int(option)
        elif option in integrators:
            content["integrator"] = option
        else:
            text = f"the engine {kind} has no integrator {quoted(option)}{hint(option, integrators)}"
            raise EngineCannot(f"{text}; it has: {choices(integrators)}; substeps are 1 to {MOST_SUBSTEPS}")

    def step(self: Any, dt: float, substeps: int = 1) -> None:
        make.step(self, dt, substeps * parts)

    if parts > 1:  # beside a step of its own what the engine says of its step counts no more, but for this
        content |= {"step": step, "substeps": parts, "undoes_steps": getattr(make, "undoes_steps", False)}
    return cast("type[PhysicsEngine]", type(make.__name__, (make,), content))


def unfit(spec: RunSpec, engine: str) -> list[str]:
    """Return everything in a scene that an engine cannot represent, each as a line that begins with its place.

    Args:
        spec: The scene.
        engine: Name of a registered engine.

    Raises:
        NoSuchPlugin: No engine of this name is registered.
        PluginFailed: It cannot be imported; the text names what is missing.
    """
    world = world_spec(spec)
    try:
        make = engine_type(engine)
    except EngineCannot as problem:
        return [_placed(spec, "integrator", problem)]
    try:
        with plugins.blamed(f"engine {engine}"):
            engine_made = make(world)
    except EngineCannot as problem:
        return list(_one_by_one(make, world)) or [str(problem)]
    return list(_step_flaw(engine_made, spec))


def _step_flaw(engine: PhysicsEngine, spec: RunSpec) -> Iterator[str]:
    """Yield why an engine cannot make the steps that a scenario asks for."""
    try:
        engine.check_step(spec.scenario.settings.step)
    except EngineCannot as problem:
        yield _placed(spec, "step", problem)


def _placed(spec: RunSpec, key: str, problem: EngineCannot) -> str:
    entry = find_entry(spec.scenario.settings.entries, key)
    return f"{entry.value_spans[0]}: {problem}" if entry else str(problem)


def _one_by_one(make: type[PhysicsEngine], world: WorldSpec) -> Iterator[str]:
    """Yield what is wrong with the floor, and with each body in an empty world with a level floor."""
    level = replace(world, floor_orientation=(0.0, 0.0, 0.0), joints=())
    for part in (replace(world, bodies=(), joints=()), *(replace(level, bodies=(body,)) for body in _once(world))):
        try:
            make(part)
        except CoopsimError as problem:
            yield str(problem)


def _once(world: WorldSpec) -> Iterator[BodySpec]:
    """Yield the bodies of a world, of a cloth or a soft body one node: the others are alike."""
    seen = set[str]()
    for body in world.bodies:
        if body.soft is None or body.soft.whole not in seen:
            seen |= {body.soft.whole} if body.soft else set()
            yield body
