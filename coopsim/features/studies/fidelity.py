"""Tracking error of a robot as a distribution, which makes simulated and real flights comparable.

Source: SwarmSimX, section 3.1 and Fig. 4. The text says that F(d) is the share of time in which the robot is closer
than d to where it should be, so F(d) = 1/T int H(d - |p_d - p|) dt; the formula as printed has the sign the other way
round.
"""

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from coopsim.errors import BadFile, NoSuchFile, NoSuchName
from coopsim.features.pictures.palette import LIGHT, series_color
from coopsim.features.pictures.svg import Drawing, color
from coopsim.geometry import Floats
from coopsim.recording import Recording
from coopsim.state import Layout

COLUMNS = ("time", "x", "y", "z", "wanted_x", "wanted_y", "wanted_z")
_CURE = "Name a recording, or a CSV file: `coopsim report fidelity --help` says which columns it has."
PAPER = {
    "real horizontal": (0.0919, 0.0412),
    "real vertical": (0.0654, 0.0179),
    "simulated horizontal": (0.1245, 0.0444),
    "simulated vertical": (0.0546, 0.0131),
}
"""Mean and standard deviation of the distances that the paper reports [m]."""
_MODULE = "autopilot"
_INK, _QUIET, _PAPER, _GRID = (LIGHT[name] for name in ("ink", "quiet", "paper", "line"))
_WIDTH, _HEIGHT, _LEVELS = 640.0, 340.0, 5  # points of the plot; a line every fifth of its height


@dataclass(frozen=True, eq=False)
class Tracking:
    """Distances of a robot from where it should have been.

    Attributes:
        case: What flew, for people.
        times: Increasing, shape (k,) [s].
        distances: Shape (k,) [m].
    """

    case: str
    times: Floats
    distances: Floats

    @property
    def weights(self) -> Floats:
        """Share of the time that each distance stands for, shape (k,)."""
        spans = np.diff(self.times, append=self.times[-1:])
        if len(spans) > 1:
            spans[-1] = spans[-2]
        total = float(spans.sum())
        return spans / total if total > 0.0 else np.full(len(spans), 1.0 / len(spans))

    @property
    def mean(self) -> float:
        """Mean distance over time [m]."""
        return float(self.weights @ self.distances)

    @property
    def std(self) -> float:
        """Standard deviation of the distance over time [m]."""
        return math.sqrt(float(self.weights @ (self.distances - self.mean) ** 2))

    def closer_than(self, distance: float) -> float:
        """Return F(d): the share of time in which the robot was not farther than `distance` [m]."""
        return float(self.shares(np.array([distance]))[0])

    def shares(self, distances: Floats) -> Floats:
        """Return F(d) of each of `distances`, shape (m,) [m]."""
        order = np.argsort(self.distances)
        grown = np.concatenate([[0.0], np.cumsum(self.weights[order])])
        shares: Floats = grown[np.searchsorted(self.distances[order], distances, side="right")]
        return shares

    def to_json(self) -> dict[str, str | float]:
        """Return what a report says of it."""
        paper = PAPER.get(self.case)
        beside = {} if paper is None else {"paper_mean": paper[0], "paper_std": paper[1]}
        return {"case": self.case, "mean": round(self.mean, 5), "std": round(self.std, 5), **beside}


def ks_distance(first: Tracking, second: Tracking) -> float:
    """Return the largest difference of two distributions, 0 to 1: how unlike two flights are.

    Source: the distance of Kolmogorov and Smirnov, weighted by time; it is found where one of them jumps.
    """
    jumps = np.union1d(first.distances, second.distances)
    return float(np.abs(first.shares(jumps) - second.shares(jumps)).max())


def read_log(path: str | Path, robot: str = "", begin: float = 0.0) -> Tracking:
    """Return how a robot tracked its trajectory in a recording or a table.

    Args:
        path: A recording of a robot with an autopilot, or a CSV file with the columns `COLUMNS`.
        robot: Whose flight; "" = the only one, or the first.
        begin: What was before that time is left out [s].

    Raises:
        NoSuchFile: There is no such file.
        BadFile: It holds no flight.
        NoSuchName: There is no such robot.
    """
    path = Path(path)
    if not path.is_file():
        text = "expected a file, got a folder" if path.is_dir() else "there is no such file"
        raise NoSuchFile(f"{path}: {text}").bring(str(path)).advise(_CURE)
    table = _read_table(path) if path.suffix == ".csv" else _read_recording(path, robot)
    table = table[table[:, 0] >= begin]
    if len(table) < 2:
        text = f"expected a flight of two instants at least after {begin:g} s, got {len(table)}"
        raise BadFile(f"{path}: {text}").advise("Leave out less by --begin, or name a log that lasts longer.")
    return tracking(path.stem, table)


def tracking(case: str, table: Floats) -> Tracking:
    """Return the distances of a table with the columns `COLUMNS`, shape (k, 7)."""
    return Tracking(case, table[:, 0], np.linalg.norm(table[:, 1:4] - table[:, 4:7], axis=1))


def write_table(path: Path, table: Floats) -> None:
    """Write a flight as CSV, with the columns `COLUMNS`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([[f"{value:.6f}" for value in row] for row in table.tolist()])


def _read_table(path: Path) -> Floats:
    # tables that Excel wrote begin with a mark of their encoding
    with path.open(newline="", encoding="utf-8-sig", errors="surrogateescape") as file:
        reader = csv.reader(file)
        lines = ((reader.line_num, row) for row in reader)
        try:
            rows = list(_numbers_in(lines, path))
        except csv.Error as problem:
            raise BadFile(f"{path}:{reader.line_num}: no table: {problem}").advise(_CURE) from None
    return np.array(rows, np.float64).reshape(-1, len(COLUMNS))


def _numbers_in(lines: Iterator[tuple[int, list[str]]], path: Path) -> Iterator[list[float]]:
    """Yield the numbers of each row of a table in the order of `COLUMNS`, times increasing."""
    head = [name.strip() for name in next(lines, (1, []))[1]]
    missing = [name for name in COLUMNS if name not in head]
    if missing:
        text = f"expected the columns {', '.join(COLUMNS)}, with commas between and in UTF-8"
        raise BadFile(f"{path}:1: {text}; missing: {', '.join(missing)}").advise(_CURE)
    places = [head.index(name) for name in COLUMNS]
    before = -math.inf
    for line, row in lines:
        at = f"{path}:{line}"
        try:
            numbers = [float(row[place]) for place in places]
        except (ValueError, IndexError):
            raise BadFile(f"{at}: expected {len(head)} numbers, got {_shown(row)}").advise(_CURE) from None
        if not all(map(math.isfinite, numbers)):
            raise BadFile(f"{at}: expected finite numbers, got {_shown(row)}").advise(_CURE)
        if numbers[0] <= before:
            text = f"expected a time after {before:g} in the column time, got {numbers[0]:g}"
            raise BadFile(f"{at}: {text}").advise(_CURE)
        before = numbers[0]
        yield numbers


def _shown(row: list[str]) -> str:
    """Return a row as a message shows it, cut where it is long."""
    return repr(",".join(row)[:60])


def _read_recording(path: Path, robot: str) -> Floats:
    rows = []
    with Recording.open(path) as recording:
        for _, block in recording.blocks():
            layout = recording.layout(block.generation)
            name = robot or _pilot(layout, path)
            place = layout.robot.get(name)
            part = None if place is None else place.type.module(_MODULE)
            if place is None or part is None:
                raise NoSuchName(f"{path}: there is no robot {name!r} with an autopilot")
            at = place.reading_offset + part.reading_offset
            readings = block.readings[:, at : at + part.reading_width].astype(np.float64)
            places = block.poses[:, place.body, :3].astype(np.float64)
            table = np.column_stack([block.positions_ns / 1e9, places, readings[:, :3]])
            rows.append(table[readings[:, 4] > 0.0])
    return np.concatenate(rows) if rows else np.zeros((0, len(COLUMNS)))


def _pilot(layout: Layout, path: Path) -> str:
    for place in layout.robots:
        if place.type.module(_MODULE) is not None:
            return place.name
    text = f"{path}: no robot of this recording has an autopilot"
    raise BadFile(text).advise("Name the recording of a robot with a device `autopilot`, or a CSV file.")


def picture(flights: Sequence[Tracking]) -> str:
    """Return the distributions F(d) of flights as SVG."""
    far = max(float(np.percentile(flight.distances, 99.5)) for flight in flights) or 1e-3
    drawing = Drawing((0.0, 0.0), (_WIDTH, _HEIGHT), 1.0, (60.0, 70.0, 30.0, 56.0 + 18.0 * len(flights)))
    drawing.add(f'<rect width="{drawing.width:.0f}" height="{drawing.height:.0f}" fill="{_PAPER}"/>')
    drawing.words((24, 34), "Tracking error", font_size=20, fill=_INK, font_weight="600")
    drawing.words((24, 53), "share of time closer than d to the trajectory", fill=_QUIET)
    for k in range(_LEVELS + 1):
        share = k / _LEVELS
        drawing.line([(0, share * _HEIGHT), (_WIDTH, share * _HEIGHT)], stroke=_GRID, stroke_width=1)
        drawing.text((0, share * _HEIGHT), f"{share:g}", shift=(-8, 4), text_anchor="end", fill=_INK)
        x = share * _WIDTH
        drawing.text((x, 0), f"{share * far:.3f}", shift=(0, 18), text_anchor="middle", fill=_INK)
    drawing.text((0.5 * _WIDTH, 0), "d [m]", shift=(0, 38), text_anchor="middle", fill=_INK)
    for k, each in enumerate(flights):
        ink = color(series_color(k, len(flights)))
        points = [(_WIDTH * q / 200, _HEIGHT * each.closer_than(far * q / 200)) for q in range(201)]
        drawing.line(points, stroke=ink, stroke_width=2)
        words = f"{each.case}: mean {each.mean:.4f} m, std {each.std:.4f} m"
        drawing.text((0, 0), words, shift=(4, 62 + 18 * k), fill=ink)
    return drawing.document("Tracking error")
