"""Small scenes for the simulation room."""

from coopsim.robots import RunSpec, load_type
from coopsim.scene import Event, Object, RobotPlacement, Scenario, Settings, TargetSpec, World


def make_spec(robots: int = 2, *, kind: str = "single", events: tuple[Event, ...] = (), **settings: object) -> RunSpec:
    """Return a scene with robots in a row, a wall, a crate and a red target."""
    objects = (
        Object("wall_1", "box", (0.2, 10.0, 0.5), (5.0, 0.0, 0.0), is_wall=True),
        Object("crate", "box", (0.4, 0.4, 0.4), (2.0, 0.0, 0.0), mass=5.0),
    )
    placements = tuple(RobotPlacement(f"robot{i + 1}", kind, (-2.0, 1.5 * i, 0.0)) for i in range(robots))
    scenario = Scenario(
        World(objects=objects),
        (TargetSpec("red", (4.0, 3.0, 0.0)),),
        placements,
        events=events,
        settings=Settings(**settings),  # type: ignore[arg-type]
    )
    return RunSpec(scenario, {kind: load_type(kind)})
