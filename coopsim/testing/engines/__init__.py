"""Checks for people who write a physics engine: `check_engine` holds one to the contract (`coopsim.engines`)."""

from coopsim.testing.engines.check import check_engine
from coopsim.testing.engines.report import EngineReport, Outcome

__all__ = ["EngineReport", "Outcome", "check_engine"]
