"""Entities and joints as JSON holds them, in recordings and for clients: rows, and the looks that rows share."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, NotRequired, TypedDict

from coopsim.geometry import Pose, Vector3
from coopsim.state.layout import EntityRow, JointRow
from coopsim.state.plain import Count, Misfit
from coopsim.state.visuals import MOST_VISUALS, POLYGON, SHAPES, Visual

KINDS = ("floor", "object", "target", "robot", "area")
_Index = Annotated[int, -1]  # -1: no parent
_USUAL = Visual("")
_CELLS = (1, 1)
"""Of no node."""
_POLYGON_NUMBERS = range(6, 402, 2)
"""How many numbers its corners have."""
_VISUAL = tuple(field.name for field in fields(Visual))
_JOINT = tuple(field.name for field in fields(JointRow))
_ROW = tuple(field.name for field in fields(EntityRow))


class PlainVisual(TypedDict):
    """A visual; what is as usual is left out."""

    shape: str
    size: NotRequired[Vector3]
    pose: NotRequired[Pose]
    color: NotRequired[Vector3]
    parent: NotRequired[_Index]
    body: NotRequired[str]
    texture: NotRequired[str]
    mesh: NotRequired[str]
    points: NotRequired[list[float]]


class PlainEntity(TypedDict):
    """A row; `visuals` is its place among the looks."""

    name: str
    kind: str
    type: str
    body: _Index
    pose: Pose
    size: Vector3
    mass: float
    color: Vector3
    friction: float
    is_wall: NotRequired[bool]
    visuals: NotRequired[Count]
    whole: NotRequired[str]
    cell: NotRequired[list[Count]]


class PlainJoint(TypedDict):
    """A joint; springs have the anchors, besides."""

    name: str
    kind: str
    a: str
    b: str
    anchor: NotRequired[Vector3]
    far_anchor: NotRequired[Vector3]


class PlainEntities(TypedDict):
    """Rows, the looks that they share, and joints; recordings of older versions have none of these two."""

    looks: NotRequired[list[list[PlainVisual]]]
    entities: list[PlainEntity]
    joints: NotRequired[list[PlainJoint]]


def entities_to_plain(rows: Iterable[EntityRow], joints: Sequence[JointRow] = ()) -> dict[str, Any]:
    """Return rows and joints as `PlainEntities`."""
    rows = list(rows)
    # a dictionary in place of a set: the order of looks must not depend on hashes of texts
    shared = dict.fromkeys(row.visuals for row in rows if row.visuals)
    looks = {visuals: number for number, visuals in enumerate(shared)}
    plain = [[_visual(visual) for visual in visuals] for visuals in looks]
    tied = [{name: said for name in _JOINT if (said := getattr(joint, name)) is not None} for joint in joints]
    return {"looks": plain, "entities": [_row(row, looks) for row in rows]} | ({"joints": tied} if tied else {})


def entities_from_plain(plain: Mapping[str, Any]) -> tuple[EntityRow, ...]:
    """Return the rows of `PlainEntities`; what this version does not know is left out.

    Raises:
        Misfit: They cannot be drawn.
    """
    looks = [tuple(map(_visual_of, look)) for look in plain.get("looks", ())]
    for number, visuals in enumerate(looks):
        check_visuals(visuals, f"looks[{number}]")
    return tuple(_row_of(entity, looks, f"entities[{number}]") for number, entity in enumerate(plain["entities"]))


def joints_from_plain(plain: Mapping[str, Any]) -> tuple[JointRow, ...]:
    """Return the joints of `PlainEntities`; what this version does not know is left out."""
    return tuple(JointRow(**_known(row, _JOINT)) for row in plain.get("joints", ()))


def check_visuals(visuals: Sequence[Visual], place: str) -> None:
    """Check that visuals are a tree of known shapes.

    Args:
        visuals: Of one entity.
        place: What to call them.

    Raises:
        Misfit: They are not.
    """
    if len(visuals) > MOST_VISUALS:
        raise Misfit(f"at most {MOST_VISUALS} visuals", len(visuals), place)
    for index, visual in enumerate(visuals):
        if visual.shape == POLYGON or visual.points:
            _check_polygon(visual, f"{place}[{index}]")
        elif visual.shape not in SHAPES:
            raise Misfit(", ".join(SHAPES), visual.shape, f"{place}[{index}].shape")
        # a visual that hangs on a later one could hang on itself: who draws it would never end
        if visual.parent >= index:
            raise Misfit("an earlier visual", visual.parent, f"{place}[{index}].parent")


def _check_polygon(visual: Visual, place: str) -> None:
    if visual.shape != POLYGON:
        raise Misfit(f"points of a {POLYGON} alone", visual.shape, f"{place}.shape")
    if len(visual.points) not in _POLYGON_NUMBERS:
        raise Misfit("x and y of 3 to 200 corners", len(visual.points), f"{place}.points")


def _visual(visual: Visual) -> dict[str, Any]:
    return {name: value for name in _VISUAL if (value := getattr(visual, name)) != getattr(_USUAL, name)}


def _row(row: EntityRow, looks: Mapping[tuple[Visual, ...], int]) -> dict[str, Any]:
    plain = {name: getattr(row, name) for name in _ROW}
    is_wall, visuals = plain.pop("is_wall"), plain.pop("visuals")
    whole, cell = plain.pop("whole"), plain.pop("cell")
    # what most rows lack is left out: a layout of thousands of entities is sent to each viewer
    plain |= {"is_wall": True} if is_wall else {}
    plain |= {"visuals": looks[visuals]} if visuals else {}
    return plain | ({"whole": whole, "cell": cell} if whole else {})


def _visual_of(plain: Mapping[str, Any]) -> Visual:
    return Visual(**_known(plain, _VISUAL))


def _row_of(plain: Mapping[str, Any], looks: Sequence[tuple[Visual, ...]], place: str) -> EntityRow:
    number, kind = plain.get("visuals"), plain["kind"]
    if kind not in KINDS:
        raise Misfit(", ".join(KINDS), kind, f"{place}.kind")
    if number is not None and number >= len(looks):
        raise Misfit(f"one of {len(looks)} looks", number, f"{place}.visuals")
    if ("whole" in plain) != ("cell" in plain) or len(plain.get("cell", _CELLS)) not in (2, 3):
        raise Misfit("a name and two or three numbers of a node", plain.get("cell"), f"{place}.cell")
    return EntityRow(**{**_known(plain, _ROW), "visuals": () if number is None else looks[number]})


def _known(plain: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return what this version knows, with tuples in the place of lists."""
    return {name: tuple(value) if isinstance(value := plain[name], list) else value for name in names if name in plain}
