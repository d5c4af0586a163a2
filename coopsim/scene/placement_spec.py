"""Robots of scenarios and artifacts of worlds, as data: which type stands where."""

from dataclasses import dataclass, field

from coopsim.geometry import Vector3
from coopsim.scene.spans import Entry, Span


@dataclass(frozen=True, slots=True)
class RobotPlacement:
    """A `[ROBOT_n]` or `[ARTIFACT_n]` section: which type stands where.

    With a count it stands for robots called name1, name2, ...

    Attributes:
        count: How many robots, None = one that has the name itself.
        grid: Columns, rows and the distance between neighbours [1, 1, m], around `position`.
        scatter: Where they are strewn, by chance: x and y of two corners [m], () = the floor.
        length: Of the bar of a team, or the diameter of its plate [m], None = the usual one.
        mass: Of the load of a team [kg], None = the usual one.
        model: File of a model that stands for the type, None = a type was named.
        size: Of the body of an artifact of a world [m], None = that of its type.
        set: Settings of its devices and their values as written, such as `belt.speed`.
        is_of_world: Whether it stands in a `.world` file, as an artifact; None = it is a robot of a scenario.
        settings_line: Where `set` stands.
        carriers: How many robots a team has [1], None = two.
    """

    name: str
    type: str
    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Vector3 = (0.0, 0.0, 0.0)
    color: Vector3 = (0.93, 0.45, 0.13)
    count: int | None = None
    grid: tuple[int, int, float] | None = None
    scatter: tuple[float, ...] | None = None
    length: float | None = None
    mass: float | None = None
    span: Span = field(default=Span(), compare=False)
    type_span: Span = field(default=Span(), compare=False)
    model: str | None = field(default=None, compare=False)
    size: Vector3 | None = None
    set: tuple[tuple[str, str], ...] | None = None
    is_of_world: bool | None = None
    settings_line: Entry | None = field(default=None, compare=False)
    carriers: int | None = None

    @property
    def members(self) -> tuple[str, ...]:
        """Names of the robots, or teams, that it stands for."""
        return (self.name,) if self.count is None else tuple(f"{self.name}{n}" for n in range(1, self.count + 1))
