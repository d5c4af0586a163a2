"""The rules of carrying a load, compiled: one process may drive a hundred leaders."""

import numpy as np

from coopsim.controllers import carrying_rules
from coopsim.controllers.carrying_rules import CarryKnowledge, CarryPlan, CarryRules, HelpParameters, LeadParameters
from coopsim.controllers.compiling import make_compilable
from coopsim.kernels import compiled

make_compilable(carrying_rules)


@compiled
def _lead(known: CarryKnowledge, plan: CarryPlan, law: LeadParameters, dt: float) -> None:
    carrying_rules.lead(known, plan, law, dt)


@compiled
def _help_carry(known: CarryKnowledge, plan: CarryPlan, law: HelpParameters, dt: float) -> None:
    carrying_rules.help_carry(known, plan, law, dt)


COMPILED = CarryRules(_lead, _help_carry, np.ascontiguousarray)
