"""Makes the pictures of squads in docs/games.md, each of a match that is played in this process.

python docs/game_figures.py gather     docs/game_gather.png: a wedge, before (white) and after (black), figure 4
python docs/game_figures.py avoid      docs/game_avoid.png: two squads step aside for each other, figure 5 a to c
python docs/game_figures.py capture    docs/game_capture.png: the way of a squad around the water, figure 6

Source of the figures: swarm gaming, section 4.3 and section 5.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from coopsim.features.games.logic.field import FieldArea
from coopsim.features.games.logic.match import Match
from coopsim.geometry import Floats
from coopsim.inprocess import LocalServer
from coopsim.robots import find_file, load
from coopsim.simulation import Simulation

FOLDER = Path(__file__).parent
SCALE, FINER, COLORS = 46, 3, 64
"""Pixels of a metre; drawn so many times as large, then made smaller; colours of a file."""
_AREAS = {"border": ("white", "black"), "water": ("#b9d7ea", "#5b8fb0"), "base": ("#eeeeee", "#999999")}
_TEAMS = {"a": "#c0392b", "b": "#1f618d"}
_MEETING = """\
[AREA_1]
type border
points -7 -3  7 -3  7 3  -7 3
[GAME]
rules death_match
[PLAYER_1]
name west
[PLAYER_2]
name east
[SQUAD_1]
name a
player west
robots a*
power 0
[SQUAD_2]
name b
player east
robots b*
power 0
[ROBOT_1]
type game_infantry
name a
count 3
grid 1x3 0.8
position -5 0 0
[ROBOT_2]
type game_infantry
name b
count 3
grid 1x3 0.8
position 5 0 0
orientation 0 0 180
"""
_SCATTERED = ((-4.2, 1.6), (-2.0, -2.2), (1.2, 2.2), (3.4, -1.8), (4.6, 1.2))


def main(arguments: Sequence[str]) -> int:
    """Make what the words say."""
    if not arguments or not set(arguments) <= set(PICTURES):
        sys.stderr.write(__doc__ or "")
        return 2
    for name in arguments:
        image = PICTURES[name]()
        image.quantize(COLORS).save(FOLDER / f"game_{name}.png", optimize=True)
    return 0


@dataclass
class PlayedMatch:
    """A match that is played step by step.

    Attributes:
        ways: Places of all robots at each look, shape (n, 2) [m].
    """

    match: Match
    step: Callable[[], None]
    ways: list[Floats] = field(default_factory=list)

    def play_until(self, holds: Callable[[], bool], most: float = 100.0) -> None:
        """Play until something holds; give up after so much time [s]."""
        for _ in range(round(10.0 * most)):
            self.step()
            self.ways.append(self.match.model.positions.copy())
            if holds():
                return
        raise SystemExit("the match did not come to what the picture shows")

    def rows(self, squad: str) -> list[int]:
        """Return the rows of the robots of a squad."""
        return [robot.index for robot in self.match.model.squads[squad].robots]


@contextmanager
def played(text: str) -> Iterator[PlayedMatch]:
    """Begin the match of a scenario."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "match.scenario").write_text(text, encoding="utf-8")
        server = LocalServer(Simulation(load(f"{folder}/match.scenario")), is_hashed=False)
        with server.connect() as sim, sim.stepper(every=10) as stepper:
            match = Match(sim, stepper)

            def step() -> None:
                match.decide(stepper.step({}))

            played_match = PlayedMatch(match, step)
            played_match.play_until(lambda: True)
            yield played_match


class BattlefieldDrawing:
    """A battlefield from above.

    Args:
        low: Least x and y [m].
        high: Greatest x and y [m].
    """

    def __init__(self, low: tuple[float, float], high: tuple[float, float]) -> None:
        self._low, self._high, unit = low, high, SCALE * FINER
        self._size = round((high[0] - low[0]) * SCALE), round((high[1] - low[1]) * SCALE)
        self._image = Image.new("RGB", ((self._size[0]) * FINER, self._size[1] * FINER), "white")
        self._draw, self._unit = ImageDraw.Draw(self._image), unit

    def areas(self, areas: Sequence[FieldArea]) -> None:
        """Draw water, borders and bases."""
        for area in sorted(areas, key=lambda it: list(_AREAS).index(it.kind) if it.kind in _AREAS else 0):
            fill, edge = _AREAS.get(area.kind, ("white", "black"))
            self._draw.polygon([self._at(point) for point in area.corners], fill, edge, 2 * FINER)

    def way(self, points: Sequence[Floats], color: str) -> None:
        """Draw a way."""
        self._draw.line([self._at(point) for point in points], color, 2 * FINER, "curve")

    def robot(self, place: Floats, radius: float, fill: str, edge: str = "black") -> None:
        """Draw a robot."""
        (x, y), r = self._at(place), radius * self._unit
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill, edge, 2 * FINER)

    def arrow(self, begin: Floats, end: Floats, color: str) -> None:
        """Draw an arrow."""
        along = (end - begin) / max(float(np.hypot(*(end - begin))), 1e-9)
        across = np.array([-along[1], along[0]])
        self._draw.line([self._at(begin), self._at(end - 0.15 * along)], color, 3 * FINER)
        corners = (end, end - 0.25 * along + 0.11 * across, end - 0.25 * along - 0.11 * across)
        self._draw.polygon([self._at(corner) for corner in corners], color)

    def text(self, place: tuple[float, float], words: str) -> None:
        """Write beside a place."""
        self._draw.text(self._at(np.array(place)), words, "black", ImageFont.load_default(13 * FINER), "lm")

    def done(self) -> Image.Image:
        """Return the picture."""
        return self._image.resize(self._size, Image.Resampling.LANCZOS)

    def _at(self, point: Floats) -> tuple[float, float]:
        return (point[0] - self._low[0]) * self._unit, (self._high[1] - point[1]) * self._unit


def gather() -> Image.Image:
    """Draw robots before they gathered in a wedge, and after."""
    robots = "".join(
        f"[ROBOT_{place}]\ntype game_infantry\nname a{place}\nposition {x} {y} 0\n"
        for place, (x, y) in enumerate(_SCATTERED, 1)
    )
    enemy = "[ROBOT_6]\ntype game_infantry\nname b1\nposition 6.5 -2.5 0\n"
    with played(_MEETING[: _MEETING.index("[ROBOT_1]")] + robots + enemy) as game:
        before = game.match.model.positions.copy()
        game.match.order("west", "a gather 0 0 wedge")
        intelligence, rows = game.match.intelligences["a"], game.rows("a")
        game.play_until(lambda: game.match.model.time > 1.0 and intelligence.is_at_rest(game.match.view))
        drawing = BattlefieldDrawing((-5.2, -3.0), (5.4, 3.0))
        for row in rows:
            drawing.way([way[row] for way in game.ways], "#999999")
            drawing.robot(before[row], 0.15, "white")
            drawing.robot(game.match.model.positions[row], 0.15, "#555555")
        drawing.robot(np.zeros(2), 0.07, "black")
        return drawing.done()


def avoid() -> Image.Image:
    """Draw two squads that come towards each other: before, at the step aside, and when they have passed."""
    with played(_MEETING) as game:
        game.match.order("west", "a go_to 5 0")
        game.match.order("east", "b go_to -5 0")
        intelligences = game.match.intelligences
        game.play_until(lambda: any(intelligence.active == "avoid" for intelligence in intelligences.values()))
        parts = [_meeting(game, "(a) they would meet", ahead=2)]
        game.play_until(lambda: all(intelligence.avoided > 0.0 for intelligence in intelligences.values()))
        parts.append(_meeting(game, "(b) both step aside", ahead=0))
        model, squads = game.match.model, game.match.model.squads
        game.play_until(lambda: bool(model.middle(squads["a"])[0] - model.middle(squads["b"])[0] > 5.0))
        parts.append(_meeting(game, "(c) both follow their paths again", ahead=0))
    whole = Image.new("RGB", (parts[0].width, sum(part.height for part in parts) + 8), "white")
    for place, part in enumerate(parts):
        whole.paste(part, (0, place * (part.height + 4)))
    return whole


def _meeting(game: PlayedMatch, words: str, ahead: int) -> Image.Image:
    """Draw where two squads are, have been, and go to: straight on for so many seconds, or along their ways."""
    drawing = BattlefieldDrawing((-6.2, -2.2), (6.2, 2.6))
    positions, view = game.match.model.positions, game.match.view
    for name, color in _TEAMS.items():
        for row, robot in zip(game.rows(name), game.match.model.squads[name].robots, strict=True):
            drawing.way([way[row] for way in game.ways], "#bbbbbb")
            rest = game.match.intelligences[name].ways[robot.name][int(view.steps[row]) :]
            end = positions[row] + ahead * view.velocities[row] if ahead else (rest[0] if len(rest) else positions[row])
            if float(np.hypot(*(end - positions[row]))) > 0.3:
                drawing.arrow(positions[row], end, color)
            drawing.robot(positions[row], 0.15, color)
    drawing.text((-6.0, 2.35), words)
    return drawing.done()


def capture() -> Image.Image:
    """Draw the way of squad a around the water to flag b."""
    text = find_file("capture_the_flag", [".scenario"]).read_text(encoding="utf-8").replace("bot         ", "#")
    with played(text) as game:
        before = game.match.model.positions.copy()
        game.match.order("south_team", "a capture blue")
        flags = game.match.model.flags
        game.play_until(lambda: bool(flags["blue"].carrier))
        drawing = BattlefieldDrawing((-6.2, -5.7), (6.2, 5.7))
        drawing.areas(list(game.match.field.areas.values()))
        for name, color in _TEAMS.items():
            for row in game.rows(name):
                drawing.way([way[row] for way in game.ways], color)
                drawing.robot(before[row], 0.15, "white", color)
                drawing.robot(game.match.model.positions[row], 0.15, color)
        for name, place in game.match.field.targets.items():
            drawing.robot(np.array(place), 0.1, "yellow")
            drawing.text((place[0] + 0.3, place[1] + (0.35 if place[1] > 0.0 else -0.35)), f"flag {name}")
        return drawing.done()


PICTURES = {"gather": gather, "avoid": avoid, "capture": capture}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
