"""C-81: the same task on three arms, compared by reach, accuracy and time in a study."""

import pytest

from coopsim.errors import NoSuchFile
from coopsim.features.metrics.tools import tool_gap
from coopsim.features.studies import sweep
from coopsim.features.studies.changes import with_values
from coopsim.metrics import RunArrays
from coopsim.robots import load

ARMS = ("abb_irb_120", "motoman_mh5", "amtec_lwa_7dof")


def test_c_81_a_study_says_which_of_three_arms_reaches_all_places_how_well_and_how_fast() -> None:
    """A place that one of them cannot reach makes its run fail, and the reason is told."""
    rows = list(sweep("surgery", [f"arm.type={','.join(ARMS)}"], workers=1))
    row_of = {row["values"]["arm.type"]: row for row in rows}
    assert set(row_of) == set(ARMS)
    for row in row_of.values():
        assert row.get("error") is None or not row["error"]
        assert row["success"]
        assert row["metrics"]["tool_gap_max"] < 0.002
        assert 4.0 < row["metrics"]["time"] < 20.0
    assert len({round(row["metrics"]["time"], 3) for row in row_of.values()}) > 1


def test_another_type_takes_the_place_of_a_robot_and_one_that_is_unknown_is_refused() -> None:
    spec = with_values(load("surgery"), {"arm.type": "motoman_mh5"})
    assert [robot.type for robot in spec.scenario.robots] == ["motoman_mh5"]
    assert "motoman_mh5" in spec.types
    with pytest.raises(NoSuchFile, match=r"no robot type 'motoman_mh6'.*motoman_mh5"):
        with_values(load("surgery"), {"arm.type": "motoman_mh6"})


def test_a_place_out_of_reach_fails_the_run_of_that_arm_alone_and_is_told() -> None:
    far = "0.5 0 0.45 close"  # with the tool down; only one of the three comes so high
    rows = list(sweep("surgery", [f"arm.type={','.join(ARMS)}", f"reach.points={far}"], workers=1))
    error_of = {row["values"]["arm.type"]: row.get("error") or "" for row in rows}
    assert error_of["motoman_mh5"] == ""
    assert "no posture of this arm within its limits" in error_of["abb_irb_120"]
    assert "off by 0.1" in error_of["amtec_lwa_7dof"]


def test_without_tools_or_targets_there_is_no_gap() -> None:
    assert tool_gap(RunArrays(())) is None
