"""A-81: the gain is switched by the context, and that is better than every fixed gain in all contexts together."""

from fractions import Fraction

import pytest

from coopsim.features.amsa.components import System, load_system
from coopsim.features.amsa.components.model import SystemModel
from coopsim.features.amsa.components.trial import play

GAINS = (0.05, 0.1, 0.2, 0.35)
CONTEXTS = ({"motorCoef": 100, "lostDataGPS": 0, "behavior": 1}, {"motorCoef": 60, "lostDataGPS": 10, "behavior": 4})
OWNERS = {"motorCoef": "MyNormalizePower", "lostDataGPS": "LeaderGPS", "behavior": "Leader"}


@pytest.fixture(scope="module")
def model() -> SystemModel:
    return load_system("challenge_adaptive")


def figures(model: SystemModel, context: dict[str, int], adapts: int, gain: float) -> dict[str, float]:
    system = System(model)
    for name, value in context.items():
        system.set_parameter(OWNERS[name], name, value)
    system.set_parameter("MyGainSwitch", "adapts", adapts)
    system.set_parameter("MyGainSwitch", "Kv", gain)
    system.initialize()
    (result,) = play(system, (), Fraction(80))
    assert system.faults == []
    return result.to_json(15.0, 20.0)


def test_a_81_switching_by_context_is_better_than_every_fixed_gain(model: SystemModel) -> None:
    switched = [figures(model, context, 1, 0.05) for context in CONTEXTS]
    for measure in ("max_distance", "rms_error"):
        fixed = {gain: [figures(model, context, 0, gain)[measure] for context in CONTEXTS] for gain in GAINS}
        assert sum(phase[measure] for phase in switched) < min(map(sum, fixed.values()))


def test_a_81_the_gain_follows_the_context_back_and_forth(model: SystemModel) -> None:
    system = System(model)
    system.initialize()
    for share, gain in ((100, 0.05), (60, 0.1), (100, 0.05)):
        system.set_parameter("MyNormalizePower", "motorCoef", share)
        system.run_until(float(system.time) + 60.0)
        assert system.value("followerGain") == gain
