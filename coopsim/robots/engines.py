"""Physics engines by name, and what of a scene they cannot represent."""

from collections.abc import Iterator
from dataclasses import replace

from coopsim import plugins
from coopsim.engines import BodySpec, PhysicsEngine, WorldSpec
from coopsim.errors import CoopsimError, EngineCannot, NoSuchPlugin
from coopsim.robots.blueprint import RunSpec
from coopsim.robots.bodies import world_spec
from coopsim.scene import choices, find_entry, hint, quoted


def engine_type(name: str) -> type[PhysicsEngine]:
    """Return the physics engine of this name.

    Raises:
        NoSuchPlugin: No engine of this name is registered; the text names the nearest one.
        PluginFailed: It cannot be imported; the text names what is missing.
    """
    engines = plugins.registered("engines")
    if name not in engines:
        raise NoSuchPlugin(f"no engine {quoted(name)}{hint(name, engines)}; known: {choices(engines)}")
    engine: type[PhysicsEngine] = plugins.load("engines", name)
    return engine


def unfit(spec: RunSpec, engine: str) -> list[str]:
    """Return everything in a scene that an engine cannot represent, each as a line that begins with its place.

    Args:
        spec: The scene.
        engine: Name of a registered engine.

    Raises:
        NoSuchPlugin: No engine of this name is registered.
        PluginFailed: It cannot be imported; the text names what is missing.
    """
    make, world = engine_type(engine), world_spec(spec)
    try:
        with plugins.blamed(f"engine {engine}"):
            engine_made = make(world)
    except EngineCannot as problem:
        return list(_one_by_one(make, world)) or [str(problem)]
    return list(_step_flaw(engine_made, spec))


def _step_flaw(engine: PhysicsEngine, spec: RunSpec) -> Iterator[str]:
    """Yield why an engine cannot make the steps that a scenario asks for."""
    settings = spec.scenario.settings
    entry = find_entry(settings.entries, "step")
    try:
        engine.check_step(settings.step)
    except EngineCannot as problem:
        yield f"{entry.value_spans[0]}: {problem}" if entry else str(problem)


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
