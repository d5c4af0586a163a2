"""Figures of evaluated data: what they mean, and that leaves which only watch change none of them."""

from fractions import Fraction

import pytest

from coopsim.features.amsa.components import System, load_system
from coopsim.features.amsa.components.files import BUILT_IN, mistakes_in
from coopsim.features.amsa.components.measures import FIGURES, counted, figures, held
from coopsim.features.amsa.components.trial import play

WATCHED = "observer Watch : Watching @ 100 Hz { seen <- posXLeader; }"


def of_steps(values: list[float], period: float = 1.0, reference: float = 10.0) -> dict[str, float]:
    pieces = held([period * place for place in range(len(values))], values, period * len(values))
    return figures(pieces, pieces, reference)


def test_a_value_counts_as_long_as_it_held() -> None:
    """A-88: the error is a mean over time, not over steps."""
    pieces = held([0.0, 1.0, 4.0], [12.0, 10.0, 13.0], 5.0)
    assert figures(pieces, pieces, 10.0)["rms_error"] == pytest.approx(((4 * 1 + 0 * 3 + 9 * 1) / 5) ** 0.5)
    late = counted(pieces, 0.5)
    assert figures(pieces, late, 10.0)["rms_error"] == pytest.approx(((4 * 0.5 + 0 * 3 + 9 * 1) / 4.5) ** 0.5)


def test_the_largest_error_is_that_of_either_side() -> None:
    measures = of_steps([10.0, 4.0, 12.0, 10.0])
    assert measures["max_error"] == 6.0
    assert measures["max_distance"] == 12.0
    assert of_steps([-1.66, 0.0, 1.0])["max_error"] == 11.66  # the car that rolls back is not best


def test_overshoot_is_counted_beyond_the_reference_from_where_data_began() -> None:
    assert of_steps([0.0, 8.0, 13.0, 7.0, 10.0])["overshoot"] == 3.0
    assert of_steps([20.0, 12.0, 9.0, 11.0])["overshoot"] == 1.0
    assert of_steps([0.0, 5.0, 9.0])["overshoot"] == 0.0


def test_data_have_settled_when_they_stay_near_the_reference() -> None:
    assert of_steps([0.0, 10.0, 12.0, 10.2, 9.8, 10.0])["settling_time"] == 3.0
    assert of_steps([10.0, 10.1])["settling_time"] == 0.0
    assert of_steps([0.0, 5.0])["settling_time"] == 2.0  # it never did
    assert of_steps([4.0, 1.0, 0.1, 0.0], reference=0.0)["settling_time"] == 2.0


def test_a_leaf_that_only_watches_changes_no_figure() -> None:
    text = (BUILT_IN / "challenge.amsa").read_text(encoding="utf-8")
    begin, end = text.rindex("}"), "Template Watching { input seen output saw }"
    file = BUILT_IN / "watched.amsa"  # never written: templates lie beside it
    watched = mistakes_in(f"{end}\n{text[:begin]}{WATCHED.replace('; }', '; saw -> sawit; }')}\n}}", file)[0]
    (model,) = watched.systems.values()
    results = []
    for variant, more in ((load_system("challenge"), {}), (model, {"Watching": lambda inputs, _: inputs.seen})):
        system = System(variant, seed=1, behaviors=more)
        system.set_parameter("MyFollowerController", "Kv", 0.35)
        system.set_parameter("MyNormalizePower", "motorCoef", 100)
        system.initialize()
        (phase,) = play(system, (), Fraction(60))
        results.append((len(phase.times), [phase.to_json(15.0, 20.0)[name] for name in FIGURES]))
    (few, alone), (many, beside) = results
    assert many > 5 * few
    assert beside == pytest.approx(alone)
