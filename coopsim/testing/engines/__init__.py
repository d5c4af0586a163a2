"""Checks for people who write a physics engine: `check_engine` holds one to the contract (`coopsim.engines`)."""

from coopsim.testing.engines.check import check_engine
from coopsim.testing.engines.report import EngineReport, ReportLine

__all__ = ["EngineReport", "ReportLine", "check_engine"]
