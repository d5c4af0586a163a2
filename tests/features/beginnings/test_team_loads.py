"""Loads of teams, read out of sections, and sections with another load: a simulation builds them."""

import pytest

from coopsim.features.beginnings import crews
from coopsim.features.beginnings.team_loads import load_in, with_load
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.scene.edit import read_additions
from coopsim.simulation import Simulation

PAIR = "[ROBOT_1]\ntype team2\nname pair\nposition 1 2 0\norientation 0 0 90\ncolor blue\n"


def sections_of(team: str) -> str:
    """Return the sections of all members as a simulation tells them."""
    with LocalServer(Simulation(load("empty.world"))).connect() as client:
        client.world.insert(team)
        names = crews.crews_in(entity.name for entity in client.scene().entities)["pair"]
        return crews.joined([client.world.section(name, 1).text for name in names])


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", {"length": "1.5", "carriers": "2"}),
        ("length 2.5\nmass 4\n", {"length": "2.5", "mass": "4", "carriers": "2"}),
        ("carriers 4\nlength 2\n", {"length": "2", "carriers": "4"}),
    ],
)
def test_a_load_is_read_and_built_anew_where_the_team_stands(more: str, expected: dict[str, str]) -> None:
    text = sections_of(PAIR + more)
    values = load_in(text)
    assert values.items() >= expected.items()
    longer = with_load(text, "pair", {"length": "3"})
    lines = dict(line.split(None, 1) for line in longer.splitlines()[1:])
    assert (lines["length"], lines["carriers"], lines["type"]) == ("3", expected["carriers"], "team2")
    assert [float(word) for word in lines["position"].split()] == pytest.approx([1.0, 2.0, 0.0], abs=1e-6)
    assert [float(word) for word in lines["orientation"].split()] == pytest.approx([0.0, 0.0, 90.0], abs=1e-6)
    assert lines["color"] == "blue"
    again = sections_of(longer)
    assert load_in(again) == {**values, "length": "3"}
    assert not read_additions(longer)[1].total


def test_robots_alone_have_no_load() -> None:
    text = "[ROBOT_1]\ntype transport\nname pair/leader\nposition 0 0 0\n"
    assert load_in(text) == {}
    assert with_load(text, "pair", {"length": "3"}) == ""
    assert load_in("") == {}
