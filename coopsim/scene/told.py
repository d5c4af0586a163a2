"""What clients are told of a scenario besides what there is: how it is shown, its game, and what drives its teams."""

from typing import Any

from coopsim.scene.specs import Scenario


def told_facts(scenario: Scenario) -> dict[str, Any]:
    """Return what `/sim/info` says of a scenario."""
    driven = (it for it in scenario.controllers if len(it.robots) > 1)
    teams = [[it.run, list(it.robots), {key: " ".join(words) for key, words in it.arguments}] for it in driven]
    return scenario.presentation.facts | scenario.game.facts | ({"teams": teams} if teams else {})
