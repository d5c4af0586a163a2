"""`[RADIO]` and `[RADIO_n]` sections: which robots get which link, where they are wrong, and that saving keeps them."""

from pathlib import Path

import pytest

from coopsim.robots import check, load
from coopsim.scene import placements_of, scenario_text

TEXT = """\
[RADIO]          # all of them
loss     0.1
station  1 -2

[RADIO_1]
robots   robot1 c*
loss     0.5
delay    0.25

[ROBOT_1]
type     single
name     robot1
position 0 0 0

[ROBOT_2]
type     single
name     robot2
position 0 2 0

[ROBOT_3]
type     scout
name     c
count    2
grid     2x1 1
position 4 4 0
"""


def written(folder: Path, text: str) -> Path:
    (folder / "a.scenario").write_text(text)
    return folder / "a.scenario"


def links(file: Path) -> dict[str, tuple[float, ...]]:
    """Return loss, delay and station of each robot that has a link."""
    spec = load(file)
    values = {}
    for robot in spec.scenario.robots:
        for device in spec.types[robot.type].devices:
            if device.kind == "radio":
                settings = device.settings
                values[robot.name] = (settings["loss"], settings["delay"], settings["station_x"], settings["station_y"])
    return values


def test_a_section_of_some_robots_changes_what_that_of_all_says(tmp_path: Path) -> None:
    own, shared = (0.5, 0.25, 1.0, -2.0), (0.1, 0.0, 1.0, -2.0)
    assert links(written(tmp_path, TEXT)) == {"robot1": own, "robot2": shared, "c1": own, "c2": own}
    assert sorted(load(tmp_path / "a.scenario").types) == ["scout+radio", "single+radio", "single+radio2"]
    some = "\n".join(TEXT.split("\n")[4:])
    assert sorted(links(written(tmp_path, some))) == ["c1", "c2", "robot1"]


def test_events_change_links_by_their_names(tmp_path: Path) -> None:
    file = written(tmp_path, TEXT + "\n[EVENT_1]\nat 2\nset robot2.radio.loss 0.9\n")
    assert check(file) == []
    assert "robot2.radio.loss" in str(check(written(tmp_path, file.read_text().replace("0.9", "9")))[0])


@pytest.mark.parametrize(
    ("section", "mistake"),
    [
        ("[RADIO_2]\nloss 0.1", "1:1: [RADIO_2] needs the key 'robots' or 'player'"),
        ("[RADIO_2]\nrobots robot1\nplayer x", "1:1: [RADIO_2] names robots and a player; take one of them"),
        ("[RADIO_2]\nrobots robot7\nloss 1", "2:8: no robot 'robot7'"),
        ("[RADIO_2]\nplayer north", "2:8: no player 'north'"),
        ("[RADIO]\nrobots robot1", "2:1: [RADIO] knows no key 'robots'"),
        ("[RADIO]\nloss 1.1", "2:6: loss must lie within 0 and 1"),
        ("[RADIO]\nloss -0.1", "2:6: loss must lie within 0 and 1"),
        ("[RADIO]\nloss often", "2:6: loss expects a number, got 'often'"),
        ("[RADIO]\ndelay 11", "2:7: delay must lie within 0 and 10 s"),
        ("[RADIO]\nrange nan", "2:7: range"),
        ("[RADIO]\nbandwidth -1", "2:11: bandwidth"),
        ("[RADIO]\nretries 1.5", "2:9: retries"),
        ("[RADIO]\nstation 1", "2:1: station takes 2 numbers: x y [m]; got 1"),
        ("[RADIO]\nstation 1 far", "2:11: station expects a number, got 'far'"),
        ("[RADIO]\nlos 0.1", "2:1: [RADIO] knows no key 'los' (los → loss?)"),
        ("[RADIO]\nloss 0\n[RADIO]\nloss 1", "3:"),
    ],
)
def test_mistakes_are_told_at_the_word(tmp_path: Path, section: str, mistake: str) -> None:
    robots = TEXT[TEXT.index("[ROBOT_1]") :]
    file = written(tmp_path, f"{section}\n\n{robots}")
    assert any(str(problem).startswith(f"{file}:{mistake}") for problem in check(file)), [*map(str, check(file))]


def test_saving_keeps_links_letter_by_letter_and_forgets_robots_that_are_gone(tmp_path: Path) -> None:
    robots = placements_of(TEXT)
    assert scenario_text(TEXT, "", (), robots) == TEXT
    left = scenario_text(TEXT, "", (), [robot for robot in robots if robot.name != "robot1"])
    assert "robots   c*" in left
    assert sorted(links(written(tmp_path, left))) == ["c1", "c2", "robot2"]
    fewer = scenario_text(TEXT, "", (), [robot for robot in robots if robot.name == "robot2"])
    assert "[RADIO_1]" not in fewer
    assert links(written(tmp_path, fewer)) == {"robot2": (0.1, 0.0, 1.0, -2.0)}
