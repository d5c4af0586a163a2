"""Checks for people who write a physics engine: `check_engine` holds one to the contract (`coopsim.engines`)."""

from coopsim.testkit.engines.check import check_engine
from coopsim.testkit.engines.report import EngineReport, ReportLine

__all__ = ["EngineReport", "ReportLine", "check_engine"]
