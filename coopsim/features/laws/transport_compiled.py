"""The rules of carrying a load, compiled: one process may drive a hundred leaders."""

import numpy as np

from coopsim.features.laws import transport_rules
from coopsim.features.laws.compiling import make_compilable
from coopsim.features.laws.transport_rules import (
    HelperNumbers,
    LeaderNumbers,
    TransportInputs,
    TransportPlan,
    TransportRules,
)
from coopsim.kernels import compiled

make_compilable(transport_rules)


@compiled
def _lead(inputs: TransportInputs, plan: TransportPlan, law: LeaderNumbers, dt: float) -> None:
    transport_rules.lead(inputs, plan, law, dt)


@compiled
def _help_carry(inputs: TransportInputs, plan: TransportPlan, law: HelperNumbers, dt: float) -> None:
    transport_rules.help_carry(inputs, plan, law, dt)


COMPILED = TransportRules(_lead, _help_carry, np.ascontiguousarray)
