"""Hostile values in every command of every module, and what a server made of them."""

from coopsim.testing.hostile.attack import Attack, AttackResult
from coopsim.testing.hostile.requests import HostileRequests
from coopsim.testing.hostile.siege import CASES, RECORDING, AttackReport, besiege

__all__ = ["CASES", "RECORDING", "Attack", "AttackReport", "AttackResult", "HostileRequests", "besiege"]
