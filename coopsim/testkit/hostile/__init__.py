"""Hostile values in every command of every module, and what a server made of them."""

from coopsim.testkit.hostile.attack import Attack, AttackResult
from coopsim.testkit.hostile.requests import HostileRequests
from coopsim.testkit.hostile.siege import CASES, RECORDING, AttackReport, besiege

__all__ = ["CASES", "RECORDING", "Attack", "AttackReport", "AttackResult", "HostileRequests", "besiege"]
