"""Checks of a recorded layout, before its rows and columns are used."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, NotRequired, TypedDict

from coopsim.interfaces import Effect, Value, width
from coopsim.recording.limits import MOST_COLUMNS, MOST_LIST
from coopsim.state import Layout, RobotPlace, TypeLayout
from coopsim.state.layout import VALUES
from coopsim.state.plain import Count, Misfit
from coopsim.state.plain_entities import PlainEntities

_Offset = Annotated[int, -1]  # -1: the robot has none
_Width = Annotated[int, 0, MOST_LIST]  # bounds before anything is allocated by a file's numbers
_Columns = Annotated[int, 0, MOST_COLUMNS]  # bounds before anything is allocated by a file's numbers


class _Field(TypedDict):
    name: str
    unit: str
    summary: str
    count: int | str
    default: NotRequired[Value | None]
    low: NotRequired[float]
    high: NotRequired[float]
    choices: NotRequired[list[Value]]
    place: NotRequired[str]
    refers_to: NotRequired[str]
    columns: NotRequired[list[str]]
    steps: NotRequired[list[int]]


class _Command(TypedDict):
    number: int
    name: str
    summary: str
    takes: list[_Field]
    gives: list[_Field]
    effect: str


class _Parameter(TypedDict):
    name: str
    kind: str
    default: Value
    unit: str
    low: float | None
    high: float | None
    summary: str
    fixed: bool
    choices: NotRequired[list[Value]]


class _Input(TypedDict):
    name: str
    module: str
    field: str
    summary: str
    is_needed: bool


class _Output(TypedDict):
    name: str
    module: str
    commands: list[str]
    summary: str
    is_needed: bool


class _Interface(TypedDict):
    kind: str
    summary: str
    commands: list[_Command]
    parameters: list[_Parameter]
    inputs: NotRequired[list[_Input]]
    outputs: NotRequired[list[_Output]]
    signals: NotRequired[list[_Field]]


class _Module(TypedDict):
    name: str
    interface: Count
    counts: dict[str, _Width]
    labels: list[str]
    command_offset: _Offset
    reading_offset: Count
    reading_width: _Width
    paces: bool


class _Type(TypedDict):
    name: str
    modules: list[_Module]
    command_width: _Width
    reading_width: _Width


class _Robot(TypedDict):
    name: str
    type: str
    command_offset: Count
    reading_offset: Count
    body: Count
    links: NotRequired[list[Count]]


class PlainLayout(PlainEntities):
    """A layout as it stands in the file."""

    generation: Count
    interfaces: list[_Interface]
    types: list[_Type]
    robots: list[_Robot]
    bodies: list[str]
    command_size: _Columns
    reading_size: _Columns


def check_layout(layout: Layout) -> None:
    """Check that names are unique and that every reference leads somewhere.

    Raises:
        Misfit: One does not.
    """
    for place, names in (
        ("types", [kind_of_robot.name for kind_of_robot in layout.types]),
        ("robots", [robot_row.name for robot_row in layout.robots]),
        ("entities", [entity.name for entity in layout.entities]),
        ("bodies", layout.bodies),
        ("joints", [joint.name for joint in layout.joints]),
    ):
        _check_unique(place, names)
    for kind in layout.types:
        _check_type(kind)
    for index, robot in enumerate(layout.robots):
        _check_robot(f"robots[{index}]", robot, layout)
    _check_total("reading_size", layout.reading_size, sum(robot_row.type.reading_width for robot_row in layout.robots))
    _check_total("command_size", layout.command_size, sum(robot_row.type.command_width for robot_row in layout.robots))
    if sum(kind_of_robot.reading_width + kind_of_robot.command_width for kind_of_robot in layout.types) > MOST_COLUMNS:
        raise Misfit(f"rows of at most {MOST_COLUMNS} columns", len(layout.types), "types")
    for index, row in enumerate(layout.entities):
        if row.body >= len(layout.bodies):
            raise Misfit(f"one of {len(layout.bodies)} bodies", row.body, f"entities[{index}].body")


def _check_unique(place: str, names: Iterable[str]) -> None:
    name, count = next(iter(Counter(names).most_common(1)), ("", 0))
    if count > 1:
        raise Misfit("every name once", name, place)


def _check_total(place: str, stated: int, expected: int) -> None:
    if stated != expected:
        raise Misfit(f"{expected}, as wide as all in it are", stated, place)


def _check_type(kind: TypeLayout) -> None:
    _check_total(
        f"{kind.name}: reading_width", kind.reading_width, sum(module_row.reading_width for module_row in kind.modules)
    )
    _check_unique(f"modules of {kind.name!r}", [module_row.name for module_row in kind.modules])
    for module in kind.modules:
        place = f"module {module.name!r} of {kind.name!r}"
        for command in module.interface.commands:
            if command.effect is Effect.SET and width(command.takes, module.counts) > MOST_LIST:
                raise Misfit(f"at most {MOST_LIST} values", command.name, place)
        for field in (
            *(
                command_field
                for command in module.interface.commands
                for command_field in (*command.takes, *command.gives)
            ),
        ):
            _check_count(place, field.count)
        _check_total(f"{place}: reading_width", module.reading_width, width(module.interface.readings, module.counts))
        if module.reading_offset + module.reading_width > kind.reading_width:
            raise Misfit(f"columns within {kind.reading_width}", module.reading_offset, f"{place}: reading_offset")
        if module.command_offset >= 0:
            end = module.command_offset + VALUES + module.interface.setting_width
            if end > kind.command_width:
                raise Misfit(f"columns within {kind.command_width}", end, f"{place}: command_offset")


def _check_count(place: str, count: Any) -> None:
    if not isinstance(count, str) and not 0 <= count <= MOST_LIST:
        raise Misfit(f"a count from 0 to {MOST_LIST}", count, place)


def _check_robot(place: str, robot: RobotPlace, layout: Layout) -> None:
    for row in (robot.body, *robot.links):
        if row >= len(layout.bodies):
            raise Misfit(f"one of {len(layout.bodies)} bodies", row, f"{place}.body")
    if robot.reading_offset + robot.type.reading_width > layout.reading_size:
        raise Misfit(f"columns within {layout.reading_size}", robot.reading_offset, f"{place}.reading_offset")
    if robot.command_offset + robot.type.command_width > layout.command_size:
        raise Misfit(f"columns within {layout.command_size}", robot.command_offset, f"{place}.command_offset")
