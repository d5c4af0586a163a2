"""The top view of a run: floor, walls, objects, targets, and the way of every robot with marks of time."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from coopsim.features.pictures import legend
from coopsim.features.pictures.lights import tracked_colors
from coopsim.features.pictures.marks import DrawnMark, Paint, marks_of
from coopsim.features.pictures.palette import LIGHT, distinct_colors
from coopsim.features.pictures.scene import DrawnScene, scene_of_recording, scene_of_run
from coopsim.features.pictures.soft_shapes import draw_skins, draw_springs
from coopsim.features.pictures.svg import Drawing, Point, color, hull, simplified
from coopsim.geometry import Floats, heading, quaternion, times
from coopsim.launch.tracks import Track
from coopsim.recording import Recording
from coopsim.robots import RunSpec
from coopsim.scene import Floor
from coopsim.state import EntityRow

_INK, _QUIET, _PAPER, _FLOOR = (LIGHT[name] for name in ("ink", "quiet", "paper", "floor"))
# s; the first with ten marks at most, in steps that people count in
_INTERVALS = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
_LONGEST_SIDE = 860.0  # points; fits a screen with its legend
_LEGEND = 190.0  # points; see `legend`
_MARGIN = 0.5  # m around all ways, within the floor
_CROWD = 16  # up to this number whole paths are drawn; of more robots only the last part
_TRAIL = 10.0
_ROOM = 44.0
"""Between two coordinates, or two marks of time, at least [pixels]."""
_NEAR = 26.0  # points; labels that are nearer would overlap
_SMALL: dict[str, Any] = {"font_size": 11, "fill": _QUIET}


def top_view(
    scene: DrawnScene,
    tracks: Mapping[str, Track],
    others: Mapping[str, Mapping[str, Track]] | None = None,
    first: str = "",
) -> str:
    """Return an SVG of the world with the ways of its robots.

    Args:
        scene: Who was there.
        tracks: Ways of all bodies, by name.
        others: Ways of the same bodies in other runs, by name of the run; they are drawn dashed over the first.
        first: Name of the run that `tracks` are of.
    """
    return _TopView(scene, tracks, others or {}, first).draw()


def top_view_of_run(spec: RunSpec, tracks: Mapping[str, Track]) -> str:
    """Return an SVG of the world of a run with the ways of its robots."""
    return top_view(replace(scene_of_run(spec), lights=tracked_colors(tracks)), tracks)


def top_view_of_recording(
    recording: Recording, tracks: Mapping[str, Track], others: Mapping[str, Mapping[str, Track]], first: str
) -> str:
    """Return an SVG of the world of a recording with the ways of its robots; see `top_view`."""
    return top_view(scene_of_recording(recording), tracks, others, first)


class _TopView:
    """A picture: its parts in the order in which they are painted."""

    def __init__(
        self, scene: DrawnScene, tracks: Mapping[str, Track], others: Mapping[str, Mapping[str, Track]], first: str
    ) -> None:
        self._scene, self._tracks, self._others, self._first = scene, tracks, others, first
        self._objects, self._targets = scene.of_kind("object"), scene.of_kind("target")
        self._areas = sorted(scene.of_kind("area"), key=lambda entity: entity.size[2])
        self._robots = [robot for robot in scene.of_kind("robot") if robot.name in tracks]
        wanted = {robot.name: robot.color for robot in scene.of_kind("robot")}
        self._paints = distinct_colors(wanted, [target.color for target in self._targets]) | dict(scene.lights)
        self._is_crowd = len(self._robots) > _CROWD
        self._duration = max((float(track.points[-1, 0]) for track in tracks.values()), default=0.0)
        self._interval = next((i for i in _INTERVALS if self._duration / i <= 10), _INTERVALS[-1])
        low, high = self._frame()
        scale = min(160.0, _LONGEST_SIDE / max(high[0] - low[0], high[1] - low[1]))
        self._low, self._high = low, high
        self._on = Drawing(low, high, scale, (48, 64, 24 + _LEGEND, 72))

    def draw(self) -> str:
        """Return the SVG."""
        self._floor()
        for area in self._areas:
            self._area(area)
        for entity in sorted(self._objects, key=lambda entity: (not entity.is_wall, entity.pose[2] + entity.size[2])):
            if not entity.whole:
                self._object(entity)
        draw_skins(self._on, self._objects, self._tracks)
        draw_springs(self._on, self._scene.springs, self._scene.entities, self._tracks)
        for target in self._targets:
            self._target(target)
        for team in self._teams():
            self._shapes(team)
        for robot in self._robots:
            self._way(robot)
        for number, run in enumerate(self._others.values()):
            self._other(run, legend.DASHES[number % len(legend.DASHES)])
        if not self._is_crowd:
            self._times()
        for robot in self._robots:
            self._robot(robot)
        self._heading(self._scene.title)
        self._legend()
        self._ruler()
        return self._on.document(f"{self._scene.title}: top view after {self._duration:.1f} s")

    # the world

    def _frame(self) -> tuple[Point, Point]:
        """Return the corners of what is worth seeing, at most the floor."""
        seen = [
            point
            for entity in (*self._objects, *self._areas)
            for mark in marks_of(entity, entity.pose, entity.color)
            for point in mark.points
        ]
        seen += [entity.pose[:2] for kind in ("target", "robot") for entity in self._scene.of_kind(kind)]
        seen += [(float(x), float(y)) for track in self._tracks.values() for x, y in track.points[:, 1:3]]
        length, width, _ = next((floor.size for floor in self._scene.of_kind("floor")), Floor().size)
        if not seen:
            return (-length / 2, -width / 2), (length / 2, width / 2)
        xs, ys = [x for x, _ in seen], [y for _, y in seen]
        low = (max(min(xs) - _MARGIN, -length / 2), max(min(ys) - _MARGIN, -width / 2))
        high = (min(max(xs) + _MARGIN, length / 2), min(max(ys) + _MARGIN, width / 2))
        # robots that fell off the floor still count
        return (min(*xs, low[0]), min(*ys, low[1])), (max(*xs, high[0]), max(*ys, high[1]))

    def _floor(self) -> None:
        on, low, high = self._on, self._low, self._high
        on.add(f'<rect width="{on.width:.0f}" height="{on.height:.0f}" fill="{_PAPER}"/>')
        corners = (low, (high[0], low[1]), high, (low[0], high[1]))
        on.polygon(corners, fill=_FLOOR, stroke=LIGHT["floor-edge"])
        every = next(step for step in (0.5, 1, 2, 5, 10, 50, 100, 1000) if (high[0] - low[0]) / step <= 24)
        for x in np.arange(math.ceil(low[0] / every), math.floor(high[0] / every) + 1) * every:
            on.line(((x, low[1]), (x, high[1])), stroke=LIGHT["grid"])
            if self._is_named(x, every):
                on.text((x, low[1]), _coordinate(x), shift=(0, 14), text_anchor="middle", **_SMALL)
        for y in np.arange(math.ceil(low[1] / every), math.floor(high[1] / every) + 1) * every:
            on.line(((low[0], y), (high[0], y)), stroke=LIGHT["grid"])
            if self._is_named(y, every):
                on.text((low[0], y), _coordinate(y), shift=(-5, 4), text_anchor="end", **_SMALL)

    def _is_named(self, place: float, every: float) -> bool:
        """Return whether a line of the grid has its coordinate written at it: round ones, with room between them."""
        step = every * next(times for times in (1, 2, 5, 10, 20) if every * times * self._on.scale >= _ROOM)
        return bool(math.isclose(place / step, round(place / step), abs_tol=1e-9))

    def _area(self, area: EntityRow) -> None:
        self._paint(marks_of(area, area.pose, area.color))
        self._on.text(area.pose[:2], area.name, fill=color(area.color, 0.5), text_anchor="middle", font_size=11)

    def _object(self, entity: EntityRow) -> None:
        track, marks = self._tracks.get(entity.name), list(marks_of(entity, entity.pose, entity.color))
        if entity.is_wall or track is None or not _moved(track.points):
            self._paint(marks)
            return
        self._paint(marks, fill="none", stroke_width=1, stroke_dasharray="4 3")
        self._on.line(_line(track.points), stroke=color(entity.color, 0.6), stroke_dasharray="1 5", stroke_width=2)
        _, x, y, theta = track.points[-1].tolist()
        turn = quaternion(0.0, 0.0, theta - heading(*entity.pose[3:]))
        self._paint(marks_of(entity, (x, y, 0.0, *times(turn, entity.pose[3:])), entity.color))

    def _paint(self, marks: Iterable[DrawnMark], light: float = 1.0, **style: object) -> None:
        """Paint marks.

        Args:
            marks: From the lowest to the highest.
            light: Of what they are filled with; above 1 it is paler.
            style: What is other than the list says; arrows keep their shape.
        """
        for mark in marks:
            edge = {"stroke": style.get("stroke", _painted(mark.edge, mark.light)), "stroke_width": f"{mark.width:g}"}
            if mark.is_arrow:
                self._on.line(mark.points, **edge)
                continue
            filled: dict[str, object] = {"fill": _painted(mark.fill, light), "stroke_linejoin": "round"}
            filled |= {"fill_opacity": mark.alpha} if mark.alpha < 1.0 else {}
            filled |= (edge if mark.edge else {}) | style
            if mark.pixels:
                self._on.dot(mark.middle, mark.pixels, **filled)
            elif mark.radius:
                self._on.circle(mark.middle, mark.radius, **filled)
            else:
                self._on.polygon(mark.points, **filled)

    def _target(self, target: EntityRow) -> None:
        self._paint(marks_of(target, target.pose, target.color))
        style = {"fill": _QUIET, "text_anchor": "middle"}
        self._on.text(target.pose[:2], target.name, shift=(0, -32), halo=_FLOOR, **style)

    # the robots

    def _teams(self) -> list[list[EntityRow]]:
        """Return the robots that drive in a shape, as far as a picture of it can be seen."""
        by_name = {robot.name: robot for robot in self._robots}
        teams = [[by_name[name] for name in team if name in by_name] for team in self._scene.teams]
        return [team for team in teams if 2 <= len(team) <= 12]

    def _shapes(self, team: Sequence[EntityRow]) -> None:
        """Paint the outline of a team at each mark of time: one sees it break and form again."""
        for moment in self._marks():
            corners = hull(_at(self._tracks[robot.name].points, moment)[:2] for robot in team)
            shade = 0.04 + 0.08 * moment / max(self._duration, 1e-9)
            self._on.polygon(
                corners,
                fill=_INK,
                fill_opacity=f"{shade:.3f}",
                stroke=_INK,
                stroke_opacity=0.35,
                stroke_dasharray="3 4",
                stroke_linejoin="round",
            )

    def _way(self, robot: EntityRow) -> None:
        points = self._tracks[robot.name].points
        if self._is_crowd:
            trail = points[points[:, 0] >= points[-1, 0] - _TRAIL]
            self._on.line(_line(trail), stroke=color(self._paints[robot.name]), stroke_width=2, stroke_opacity=0.55)
            return
        way = _line(points)
        self._on.line(way, stroke=_PAPER, stroke_width=6, stroke_opacity=0.9)
        self._on.line(way, stroke=color(self._paints[robot.name]), stroke_width=3)

    def _other(self, tracks: Mapping[str, Track], dash: str) -> None:
        """Paint the ways of another run, and where they end."""
        things = {entity.name: entity.color for entity in self._objects}
        paints = things | self._paints
        for name, track in tracks.items():
            if name in paints and _moved(track.points):
                paint = color(paints[name], 0.5)
                self._on.line(_line(track.points), stroke=paint, stroke_width=1.8, stroke_dasharray=dash)
                _, x, y, _ = track.points[-1].tolist()
                self._on.dot((x, y), 3.5, fill=paint)

    def _times(self) -> None:
        written: list[Point] = []
        for moment in self._marks():
            places = [(robot, _at(self._tracks[robot.name].points, moment)[:2]) for robot in self._robots]
            for robot, place in places:
                self._on.dot(place, 4, fill=_PAPER, stroke=color(self._paints[robot.name], 0.85), stroke_width=2)
            if places and 0 < moment < self._duration:
                self._time(moment, [place for _, place in places], written)

    def _time(self, moment: float, places: Sequence[Point], written: list[Point]) -> None:
        """Write the time beside the uppermost robot, where it covers no time written before."""
        place = max(places, key=lambda entity: (entity[1], entity[0]))
        if any(math.dist(place, label_place) * self._on.scale < _NEAR for label_place in written):
            return
        written.append(place)
        style = {"font_size": 11, "fill": _QUIET, "text_anchor": "middle"}
        self._on.text(place, f"{moment:g} s", shift=(0, -10), halo=_FLOOR, **style)

    def _robot(self, robot: EntityRow) -> None:
        points = self._tracks[robot.name].points
        paint, dark = color(self._paints[robot.name]), color(self._paints[robot.name], 0.6)
        if not self._is_crowd:
            self._pose(robot, 0, 1.75, stroke=paint, stroke_dasharray="4 3")
        if self._is_crowd or robot.name in self._scene.lights or _moved(points):
            self._pose(robot, -1, 1.0, stroke=dark)
        if not self._is_crowd:
            self._name(robot, points[0], dark)

    def _name(self, robot: EntityRow, point: Floats, paint: str) -> None:
        """Write a robot's name behind its start, where its way does not run."""
        _, x, y, theta = point.tolist()
        away = robot.size[0] / 2 * self._on.scale + 8
        back = (-math.cos(theta), math.sin(theta))  # pixels count downwards
        anchor = "end" if back[0] < -0.4 else "start" if back[0] > 0.4 else "middle"
        shift = (away * back[0], away * back[1] + 4 + 6 * back[1])
        self._on.text((x, y), robot.name, shift=shift, halo=_FLOOR, fill=paint, text_anchor=anchor)

    def _pose(self, robot: EntityRow, moment: int, light: float, **style: object) -> None:
        """Paint all bodies of a robot at a point of their ways; arrows show where it looks to."""
        for body in dict.fromkeys(visual.body for visual in robot.drawn()):
            track = self._tracks.get(robot.body_name(body))
            if track is not None:
                self._body(robot, body, track.points[moment], light, style)

    def _body(self, robot: EntityRow, body: str, point: Floats, light: float, style: Mapping[str, object]) -> None:
        _, x, y, theta = point.tolist()
        pose = (x, y, 0.0, *quaternion(0.0, 0.0, theta))
        self._paint(marks_of(robot, pose, self._paints[robot.name], body), light, **style)

    def _marks(self) -> list[float]:
        count = int(self._duration / self._interval + 1e-9)
        return [float(self._interval * step) for step in range(count + 1)]

    # around it

    def _heading(self, name: str) -> None:
        words = f"{self._duration:.1f} s simulated" if self._tracks else "at the start"
        self._on.words((24, 32), name, font_size=20, fill=_INK, font_weight="600")
        self._on.words((24, 51), f"top view, {words}", fill=_QUIET)

    def _legend(self) -> None:
        ways = [
            (robot.name, color(self._paints[robot.name]), _length(self._tracks[robot.name].points))
            for robot in self._robots
        ]
        signs = [*legend.ROBOTS, legend.every(self._interval)] if self._robots else []
        if self._is_crowd:
            mean = sum(length for _, _, length in ways) / len(ways)
            signs = legend.crowd(
                len(ways), mean, min(_TRAIL, self._duration), color(self._paints[self._robots[0].name])
            )
            ways = []
        signs += [legend.TEAM] if self._teams() else []
        signs += legend.runs(self._first, self._others) if self._others else []
        signs += [legend.target(target.name, color(target.color)) for target in self._targets]
        legend.draw(self._on, (self._on.width - _LEGEND, 72.0), ways, signs)

    def _ruler(self) -> None:
        metres = next(step for step in (0.5, 1, 2, 5, 10, 50, 100, 1000) if step * self._on.scale >= 50)
        y, start, end = self._on.height - 30, 24.0, 24.0 + metres * self._on.scale
        self._on.add(
            f'<path d="M{start} {y - 5}v10m0 -5H{end:.1f}m0 -5v10" fill="none" stroke="{_INK}" stroke-width="1.5"/>'
        )
        self._on.words((end + 8, y + 4), f"{metres:g} m", fill=_INK)


def _painted(paint: Paint, light: float) -> str:
    """Return a colour of the list as SVG has it."""
    if isinstance(paint, str):
        return LIGHT.get(paint, "none")
    return color(paint, light)


def _coordinate(place: float) -> str:
    return f"{place + 0.0:.6g}".replace("-", "\u2212")


def _line(points: Floats) -> list[Point]:
    return simplified([(float(x), float(y)) for x, y in points[:, 1:3]], 0.004)


def _at(points: Floats, moment: float) -> tuple[float, float]:
    return float(np.interp(moment, points[:, 0], points[:, 1])), float(np.interp(moment, points[:, 0], points[:, 2]))


def _moved(points: Floats) -> bool:
    return bool(np.abs(points[:, 1:3] - points[0, 1:3]).max() > 0.02)


def _length(points: Floats) -> float:
    return float(sum(math.dist(a, b) for a, b in pairwise(points[:, 1:3].tolist())))
