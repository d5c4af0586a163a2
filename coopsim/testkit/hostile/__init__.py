"""Hostile values in every command of every module, and what a server made of them."""

from coopsim.testkit.hostile.attack import Attack, AttackResult
from coopsim.testkit.hostile.load_test import CASES, RECORDING, AttackReport, attack_run
from coopsim.testkit.hostile.requests import HostileRequests

__all__ = ["CASES", "RECORDING", "Attack", "AttackReport", "AttackResult", "HostileRequests", "attack_run"]
