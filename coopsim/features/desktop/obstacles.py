"""Reasons why nothing can be edited now, for people."""

from coopsim.features.desktop.link import RunFacts

PAST = "nothing is edited in the past that is shown: go to the end of the time line first, or continue from here"
_RECORDING = "nothing is edited in a recording: continue from here begins a run that can be"
_LOST = "the simulation is gone: nothing is edited until it answers again"
_CONNECTING = "nothing is edited before the simulation answers"


def edit_obstacle(facts: RunFacts, *, is_past: bool) -> str:
    """Return why nothing can be edited, "" = edits are possible: what is shown is the present of a run that answers.

    Args:
        facts: How the run goes.
        is_past: Whether another instant of it is shown than the present.
    """
    if facts.connection != "live":
        return _LOST if facts.connection == "lost" else _CONNECTING
    if facts.playback is not None:
        return _RECORDING
    return PAST if is_past else ""
