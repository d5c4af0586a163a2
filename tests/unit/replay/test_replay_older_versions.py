"""Recordings that older versions really wrote: each is compared by what it recorded, not by what is usual today.

`hall` has two carts without noise and a crate, of versions whose `patience` was 0.5 s and 0 where nothing was said;
`noisy` has noise, which that version made in another way.
"""

from pathlib import Path

import pytest
from forger import Opened, forge

from coopsim.app.main import run
from coopsim.features.proof.verify import verify
from coopsim.recording import Recording
from coopsim.replay.continuing import Instant, continuation
from coopsim.replay.outcome import Outcome
from coopsim.replay.run_json import spec_of
from coopsim.replay.texts import former

RECORDINGS = Path(__file__).parents[2] / "recordings"
NO_NOISE = {"hall-2026-11-21": 0.5, "hall-2026-11-23": 0.0}


@pytest.mark.parametrize("name", NO_NOISE)
def test_a_recording_of_an_older_version_is_proved_with_the_defaults_of_its_time(name: str) -> None:
    with Recording.open(RECORDINGS / f"{name}.mcap") as recording:
        spec = spec_of(recording)
        verdict = verify(recording, spec)
    assert spec.scenario.settings.patience == NO_NOISE[name]
    assert verdict.difference is None, str(verdict.difference)
    assert (verdict.outcome, verdict.ticks) == (Outcome.IDENTICAL, 200)
    proved = {claim.kind: claim.where for claim in verdict.proved}
    assert proved["attached texts"] == "cart.robot, hall.scenario, hall.world"
    assert proved["first state"] == "the one that run.json makes"


@pytest.mark.parametrize("name", NO_NOISE)
def test_it_goes_on_from_any_instant(name: str) -> None:
    path = RECORDINGS / f"{name}.mcap"
    with Recording.open(path) as recording:
        start = continuation(recording, spec_of(recording), Instant(path, tick=120))
    assert start.exact


def test_a_former_default_counts_only_where_the_text_says_nothing(tmp_path: Path) -> None:
    def patient(opened: Opened) -> None:
        text = opened.attachments["hall.scenario"]
        opened.attachments["hall.scenario"] = text.replace("duration 2\n", "duration 2\npatience 0\n")

    path = forge(RECORDINGS / "hall-2026-11-21.mcap", tmp_path / "a.mcap", patient)
    with Recording.open(path) as recording:
        difference = verify(recording, spec_of(recording)).difference
    assert difference is not None
    assert difference.mismatch.field == "attachments: scenario.settings.patience"


def test_a_version_that_says_its_defaults_is_taken_at_its_word() -> None:
    assert former("patience", 0) == (0.5,)
    assert former("patience", 1) == ()
    assert former("seed", 0) == ()


def test_where_another_version_computes_other_numbers_the_states_are_named_and_the_versions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["verify", str(RECORDINGS / "noisy-2026-11-21.mcap")]) == 4
    said = capsys.readouterr().out
    assert said.startswith("cannot tell: after 0 identical ticks the states are others, and so is the program\n")
    assert "tick 1 (0.010 s): cart1 sonars.ranges[0] is 5 and 2.8153" in said
    assert "attachments" not in said
    assert "written by an older version, which names no build" in said
    assert "that alone may be the reason" in said
