"""Examines clients and servers of the protocol, in whatever language they are written.

`examine_client` runs a program that answers the lines of `docs/conformance.md`; `examine_driver` speaks to a server.
"""

from coopsim.testkit.conformance.client import examine_client
from coopsim.testkit.conformance.driver import examine_driver
from coopsim.testkit.conformance.languages import Language, languages
from coopsim.testkit.conformance.report import ExamFinding, ExamReport
from coopsim.testkit.conformance.restart import RestartedClient, examine_restart

__all__ = [
    "ExamFinding",
    "ExamReport",
    "Language",
    "RestartedClient",
    "examine_client",
    "examine_driver",
    "examine_restart",
    "languages",
]
