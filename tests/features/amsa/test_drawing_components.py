"""Systems of components as pictures: composites are named, and no link passes behind a leaf."""

import re
from pathlib import Path

import pytest

from coopsim.features.amsa.component_graph import component_graph
from coopsim.features.amsa.components import SystemModel, load_system
from coopsim.features.amsa.components.files import mistakes_in

CRUISE = """Template Road { output slope } Template Tacho { input v output shown }
Template PI { input shown output asked } Template Engine { input asked output force }
Template Car { input force, slope output v }
System cruise {
    order road tacho pi engine car;
    environment road : Road @ 5 Hz { slope -> slope; }
    composite cockpit {
        sensor tacho : Tacho @ 10 Hz { v <- v; shown -> shown; }
        composite inner { control pi : PI @ 10 Hz { shown <- shown; asked -> asked; } }
    }
    actuator engine : Engine @ 10 Hz { asked <- asked; force -> force; }
    controlled car : Car @ 10 Hz { force <- force; slope <- slope; v -> v; }
}"""
BOX = re.compile(r'<rect x="(\d+)" y="(\d+)" width="230" height="(\d+)" rx="7"')
LINK = re.compile(r'<path d="M (\d+) (\d+) C (\d+) (\d+), (\d+) (\d+), (\d+) (\d+)"[^>]*><title>([^<]*)</title>')


def cruise() -> SystemModel:
    document, problems = mistakes_in(CRUISE, Path("cruise.amsa"))
    problems.raise_any()
    return document.systems["cruise"]


def test_composites_are_named_where_their_leaves_stand() -> None:
    drawn = component_graph(cruise())
    assert ">cockpit<" in drawn
    assert ">cockpit / inner<" in drawn
    assert drawn.count('stroke-dasharray="2 3"') == 2  # the root is the title


@pytest.mark.parametrize("name", ["cruise", "challenge", "challenge_adaptive"])
def test_no_curve_passes_behind_a_leaf(name: str) -> None:
    drawn = component_graph(cruise() if name == "cruise" else load_system(name))
    boxes = [tuple(map(int, box)) for box in BOX.findall(drawn)]
    assert len(boxes) >= 5
    for *numbers, title in LINK.findall(drawn):
        x1, y1, x2, y2, x3, y3, x4, y4 = map(int, numbers)
        for place in range(1, 100):
            t = place / 100
            parts = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
            x = sum(part * coordinate for part, coordinate in zip(parts, (x1, x2, x3, x4), strict=True))
            y = sum(part * coordinate for part, coordinate in zip(parts, (y1, y2, y3, y4), strict=True))
            for left, top, height in boxes:
                assert not (left + 1 < x < left + 229 and top < y < top + height), title


@pytest.mark.parametrize("name", ["cruise", "challenge", "challenge_adaptive"])
def test_links_begin_and_end_at_ports_below_the_heads_of_their_leaves(name: str) -> None:
    drawn = component_graph(cruise() if name == "cruise" else load_system(name))
    boxes = [tuple(map(int, numbers)) for numbers in BOX.findall(drawn)]
    for x1, y1, *_, x4, y4, title in LINK.findall(drawn):
        begins = [top for left, top, height in boxes if left + 230 == int(x1) and top + 44 <= int(y1) < top + height]
        ends = [top for left, top, height in boxes if left == int(x4) and top + 44 <= int(y4) < top + height]
        assert begins, title
        assert ends, title


def test_a_link_that_would_pass_behind_a_leaf_runs_below_all() -> None:
    drawn = component_graph(cruise())
    (path,) = re.findall(r'<path d="([^"]*)"[^>]*><title>slope: road to car</title>', drawn)
    assert "C" not in path
    lowest = max(int(y) + int(height) for _, y, height in BOX.findall(drawn))
    assert max(map(int, re.findall(r"V (\d+)", path))) > lowest
    assert "stroke-dasharray" not in next(line for line in drawn.splitlines() if "slope: road to car" in line)
