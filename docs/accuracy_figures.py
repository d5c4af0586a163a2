"""Makes `docs/accuracy.svg` of `benchmarks/results/physics.json`: each error of an engine beside its bound.

python docs/accuracy_figures.py
"""

import json
import math
from html import escape
from pathlib import Path
from typing import Any

from coopsim.features.pictures.palette import LIGHT, SERIES_ON_PAPER
from coopsim.features.pictures.svg import color

FOLDER = Path(__file__).parent
RESULTS = FOLDER.parent / "benchmarks" / "results" / "physics.json"
WIDTH, ROW, TEXT, LEAST = 900, 15, 520, 1e-12
COLORS = {
    engine: color(SERIES_ON_PAPER[number]) for number, engine in enumerate(("mujoco", "pymunk", "flight", "kinematic"))
}


def main() -> None:
    """Write the picture."""
    rows = [row for row in json.loads(RESULTS.read_text(encoding="utf-8"))["results"] if "+" not in row["engine"]]
    rows.sort(key=lambda row: (row["engine"], row["case"]))
    height = ROW * (len(rows) + 3)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif">']
    parts.append(f'<rect width="{WIDTH}" height="{height}" fill="white"/>')
    for decade in range(-12, 1, 3):
        x = _at(10.0**decade)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{ROW}" y2="{height - ROW}" stroke="{LIGHT["line"]}"/>')
        parts.append(f'<text x="{x}" y="{height - 4}" font-size="9" text-anchor="middle">1e{decade}</text>')
    parts.append(f'<text x="{TEXT}" y="11" font-size="10">error as a part of its bound</text>')
    for k, row in enumerate(rows):
        parts += _drawn(row, ROW * (k + 2))
    (FOLDER / "accuracy.svg").write_text("\n".join([*parts, "</svg>"]) + "\n", encoding="utf-8")


def _drawn(row: dict[str, Any], y: int) -> list[str]:
    paint = COLORS[row["engine"]]
    name = escape(f"{row['engine']}: {row['case']}")
    return [
        f'<text x="{TEXT - 8}" y="{y}" font-size="9" text-anchor="end" fill="{paint}">{name}</text>',
        f'<circle cx="{_at(row["error"] / row["bound"])}" cy="{y - 3}" r="3.5" fill="{paint}"/>',
    ]


def _at(share: float) -> float:
    """Return where a part of a bound is drawn, on a scale of powers of ten."""
    return round(TEXT + (WIDTH - TEXT - 30) * (1.0 + math.log10(max(share, LEAST)) / 12.0), 1)


if __name__ == "__main__":
    main()
