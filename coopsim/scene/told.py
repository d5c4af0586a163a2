"""Facts about a scenario for `/sim/info`: what its extra sections say, and what drives its teams."""

from typing import Any

from coopsim.scene.section_families import facts_of
from coopsim.scene.specs import Scenario


def scenario_facts(scenario: Scenario) -> dict[str, Any]:
    """Return what `/sim/info` says of a scenario."""
    shared = (law for law in scenario.controllers if len(law.robots) > 1)
    teams = [[law.run, list(law.robots), {key: " ".join(words) for key, words in law.arguments}] for law in shared]
    return facts_of(scenario) | ({"teams": teams} if teams else {})
