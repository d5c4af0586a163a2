"""Consequences of who is there: the layout of records, the room that these take, and the world that devices sense."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from coopsim.engines import PhysicsEngine
from coopsim.errors import BadArgument, EngineCannot
from coopsim.geometry import all_finite
from coopsim.robots import RobotBlueprint, body_names, command_width, floor_body
from coopsim.robots.entities import entity_rows
from coopsim.sensing.world import EngineSensingWorld
from coopsim.simulation.joined import Joined
from coopsim.simulation.scene import Scene
from coopsim.simulation.tables import RobotTables
from coopsim.state import HEADER_BYTES, Layout, RobotPlace
from coopsim.state.layout import LAYOUT_BYTES, JointRow


def next_layout(
    before: Layout, scene: Scene, tables: RobotTables, bodies: Sequence[str], joints: Iterable[Joined]
) -> Layout:
    """Return the layout of a scene: of the next generation, or the one before where nothing differs.

    Args:
        before: The layout so far.
        scene: Who is there.
        tables: Arrays of its robots.
        bodies: Names of the moving bodies, by row.
        joints: Between bodies.
    """
    rows = {name: row for row, name in enumerate(bodies)}
    places = []
    command_offset = reading_offset = 0
    for block in tables.blocks:
        for name in block.robots:
            # its base first, then links
            own = [rows[body_name] for body_name in body_names(name, block.blueprint.links)]
            places.append(RobotPlace(name, block.layout, command_offset, reading_offset, own[0], tuple(own[1:])))
            command_offset += block.layout.command_width
            reading_offset += block.layout.reading_width
    layout = Layout(
        before.generation,
        tuple(block.layout for block in tables.blocks),
        tuple(places),
        entity_rows(scene.entities(), scene.types, rows),
        tuple(bodies),
        command_offset,
        reading_offset,
        tuple(JointRow(joint.spec.name, joint.spec.kind, joint.spec.a, joint.spec.b, *joint.ends) for joint in joints),
    )
    # an edit that changes no row keeps the generation: clients need not be told
    return layout if layout == before else replace(layout, generation=before.generation + 1)


def sensing_world(engine: PhysicsEngine, scene: Scene, layout: Layout) -> EngineSensingWorld:
    """Return what devices of a scene sense of it."""
    robots, targets = layout.robots, scene.targets
    radii = [0.5 * max(scene.types[place.type.name].size[:2]) for place in robots]
    world = EngineSensingWorld(
        engine,
        scene.bodies,
        tuple(targets),
        np.array([target.position for target in targets.values()], np.float64).reshape(-1, 3),
        tuple(place.name for place in robots),
        np.array([place.body for place in robots], np.int64),
        np.array(radii, np.float64),
    )
    world.floor = floor_body(scene.floor)
    world.areas = tuple((area.kind, area.corners) for area in scene.areas.values())
    return world


def check_commands(layout: Layout, added: Iterable[RobotBlueprint], limit: int) -> None:
    """See to it that the commands of robots that come have room beside those that are there.

    Raises:
        BadArgument: There are more values than the limit.
    """
    wider = sum(map(command_width, added))
    if wider and layout.command_size + wider > limit:
        raise BadArgument("there is no room for more robots; start the run with a larger --max-robots")


def check_sound(engine: PhysicsEngine, name: str) -> None:
    """See to it that all bodies of an engine are somewhere.

    Raises:
        EngineCannot: One has a place or a velocity that is not finite.
    """
    if not all_finite(engine.planar):
        row = int(np.flatnonzero(~np.isfinite(engine.planar).all(axis=1))[0])
        state = ", ".join(f"{value:g}" for value in engine.planar[row].tolist())
        raise EngineCannot(
            f"the {name} engine gives {engine.names[row]!r} the place and velocity {state}; expected finite numbers: "
            "use smaller sizes, masses and distances"
        )


def check_room(tables: RobotTables, bodies: int, entities: int, limit: int) -> None:
    """See to it that records have room.

    Args:
        tables: Commands and readings that they would hold.
        bodies: How many move.
        entities: How many names the layout would have.
        limit: Of a record with its layout [bytes].

    Raises:
        BadArgument: They would be larger.
    """
    # a pose and a twist of each body
    floats = 13 * bodies + tables.readings.size + tables.commands.size
    size = HEADER_BYTES + 8 * floats + LAYOUT_BYTES * entities
    if size > limit:
        raise BadArgument(
            f"a record would have {size} bytes, and there is room for {limit}; start the run with a larger --max-robots"
        )
