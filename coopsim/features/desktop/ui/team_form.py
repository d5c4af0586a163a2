"""Fields of a team as a whole, for its manager."""

import math
from collections.abc import Callable
from functools import partial

from imgui_bundle import imgui

from coopsim.features.beginnings.crews import crews_in, is_robot, swung
from coopsim.features.desktop.placing import rounded
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.widgets import remember
from coopsim.geometry import Pose, heading
from coopsim.scene.entities import LONGEST_BAR, SHORTEST_BAR

_NAME = "team"
_LABELS = -96.0
"""Room for labels at the right [units of the window]."""
_LENGTHS, _MASSES, _CARRIERS = (SHORTEST_BAR, LONGEST_BAR), (0.001, 1000.0), (2, 6)
"""Smallest and largest values, as in files [m], [kg], [1]."""
_REBUILT = (
    "Two carry a bar, three to six a round plate of this diameter.\n"
    "The team is removed and inserted anew where it stands; its laws end."
)


class TeamForm:
    """Name, colour, place, heading and load of a team, and how many carry.

    Args:
        session: What is shown.
        leave: Takes the name of a robot that is about to get another one.
    """

    def __init__(self, session: ViewerSession, leave: Callable[[str], None]) -> None:
        self._session, self._leave = session, leave
        self._draft: dict[str, list[float]] = {}
        self._wanted = ""

    def draw(self, team: str) -> None:
        """Draw it into the window that is begun."""
        session, crew = self._session, crews_in(self._session.names).get(team, ())
        poses = {name: pose for name in crew if (pose := session.pose(name)) is not None}
        row = session.entity(crew[-1]) if crew else None
        if row is None or len(poses) < len(crew):
            return
        robots = [name for name in crew if is_robot(name)]
        imgui.separator_text(f"{team}  \N{MIDDLE DOT}  team of {len(robots)}")
        imgui.begin_disabled(bool(session.obstacle) or bool(session.locked.intersection(crew)))
        imgui.push_item_width(_LABELS)
        self._rename(team, crew)
        self._move(poses)
        self._load(team)
        hexadecimal = imgui.ColorEditFlags_.display_hex
        color = self._field("color", list(row.color), lambda now: imgui.color_edit3("Colour##team", now, hexadecimal))
        if color is not None:
            session.editor.paint(robots, (color[0], color[1], color[2]))
        imgui.pop_item_width()
        imgui.end_disabled()

    def _rename(self, team: str, crew: tuple[str, ...]) -> None:
        changed, shown = imgui.input_text("Name##team", self._wanted or team)
        remember(f"{_NAME}.name")
        self._wanted = shown if changed or imgui.is_item_active() else self._wanted
        if imgui.is_item_deactivated_after_edit():
            wanted = shown.strip()
            if wanted and wanted != team:
                for name in crew:
                    self._leave(name)
                self._session.editor.rename_team(team, wanted, self._session.names)
            self._wanted = ""
        elif not imgui.is_item_active():
            self._wanted = ""

    def _move(self, poses: dict[str, Pose]) -> None:
        middle = [sum(pose[axis] for pose in poses.values()) / len(poses) for axis in (0, 1)]
        turn = math.degrees(heading(*list(poses.values())[-1][3:]))
        place = self._field("place", middle, lambda now: imgui.drag_float2("Place [m]##team", now, 0.01, 0, 0, "%.3f"))
        if place is not None:
            x, y = place[0] - middle[0], place[1] - middle[1]
            self._session.editor.move({name: (pose[0] + x, pose[1] + y, *pose[2:]) for name, pose in poses.items()})
        angle = self._field("turn", [turn], self._angle)
        if angle is not None:
            about = (middle[0], middle[1], 0.0, 1.0, 0.0, 0.0, 0.0)
            by = math.radians(angle[0] - turn)
            self._session.editor.move({name: swung(pose, about, by) for name, pose in poses.items()})

    def _load(self, team: str) -> None:
        """Draw what it carries, and how many carry it."""
        values = _load_of(team, self._session)
        if not values:
            return
        fields = {
            "length": lambda now: imgui.drag_float("Length [m]##team", now[0], 0.01, *_LENGTHS, "%.2f"),
            "mass": lambda now: imgui.drag_float("Load [kg]##team", now[0], 0.05, *_MASSES, "%.2f"),
            "carriers": lambda now: imgui.slider_int("Carriers##team", round(now[0]), *_CARRIERS),
        }
        for key, draw in fields.items():
            wanted = self._field(key, [float(values[key])], partial(_as_list, draw))
            if imgui.is_item_hovered(imgui.HoveredFlags_.delay_normal):
                imgui.set_tooltip(_REBUILT)
            if wanted is not None and rounded(wanted[0]) != values[key]:
                for name in crews_in(self._session.names)[team]:
                    self._leave(name)
                self._session.editor.rebuild_team(team, {key: rounded(wanted[0])})

    @staticmethod
    def _angle(now: list[float]) -> tuple[bool, list[float]]:
        changed, value = imgui.drag_float("Heading [\N{DEGREE SIGN}]##team", now[0], 1.0, 0.0, 0.0, "%.1f")
        return changed, [value]

    def _field(
        self, key: str, now: list[float], draw: Callable[[list[float]], tuple[bool, list[float]]]
    ) -> list[float] | None:
        """Draw a field; return its values when they are final."""
        changed, shown = draw(list(self._draft.get(key, now)))
        remember(f"{_NAME}.{key}")
        if changed or imgui.is_item_active():
            self._draft[key] = list(shown)
        if imgui.is_item_deactivated_after_edit():
            return self._draft.pop(key, list(shown))
        if not imgui.is_item_active() and key != "color":
            self._draft.pop(key, None)
        return None


def _as_list(
    draw: Callable[[list[float]], tuple[bool, float]] | Callable[[list[float]], tuple[bool, int]], now: list[float]
) -> tuple[bool, list[float]]:
    changed, value = draw(now)
    return changed, [float(value)]


def _load_of(team: str, session: ViewerSession) -> dict[str, str]:
    """Return the values of a team's section that say its load and who carries it; nothing where it has no load."""
    crew = crews_in(session.names).get(team, ())
    load = next((row for name in crew if not is_robot(name) and (row := session.entity(name))), None)
    if load is None:
        return {}
    carriers = sum(map(is_robot, crew))
    return {"length": f"{load.size[1]:.6g}", "mass": f"{load.mass:.6g}", "carriers": str(carriers)}
