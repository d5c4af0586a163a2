"""Report of an examination."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

PASSED, FAILED, UNSUPPORTED = "ok", "FAILED", "unsupported"


@dataclass(frozen=True, slots=True)
class ExamFinding:
    """The outcome of one case.

    Attributes:
        group: What the case belongs to, such as `decode`.
        case: Its name.
        outcome: `ok`, `FAILED` or `unsupported`.
        detail: What was expected and what came.
        seconds: The client's slowest answer in a dialog [s], None = not measured.
    """

    group: str
    case: str
    outcome: str
    detail: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ExamReport:
    """All findings of one examination."""

    findings: Sequence[ExamFinding]

    @property
    def failed(self) -> list[ExamFinding]:
        """The cases that failed."""
        return [finding for finding in self.findings if finding.outcome == FAILED]

    def counts(self) -> dict[str, dict[str, int]]:
        """Return how many cases of each group had which outcome."""
        counts_of_groups: dict[str, dict[str, int]] = {}
        for finding in self.findings:
            group = counts_of_groups.setdefault(finding.group, {PASSED: 0, FAILED: 0, UNSUPPORTED: 0})
            group[finding.outcome] += 1
        return counts_of_groups

    @property
    def slowest(self) -> ExamFinding | None:
        """The dialog with the slowest answer, None = none was measured."""
        return max((finding for finding in self.findings if finding.seconds is not None), key=_seconds, default=None)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {
            "passed": not self.failed,
            "groups": self.counts(),
            "findings": [asdict(finding) for finding in self.findings],
        }

    def __str__(self) -> str:
        lines = [
            f"{name}: {count[PASSED]} of {sum(count.values()) - count[UNSUPPORTED]} passed"
            + (f", {count[UNSUPPORTED]} not supported" if count[UNSUPPORTED] else "")
            for name, count in self.counts().items()
        ]
        if self.slowest is not None:
            lines.append(f"slowest answer in a dialog: {self.slowest.seconds:.3f} s ({self.slowest.case})")
        lines += [f"FAILED {finding.group}: {finding.case}: {finding.detail}" for finding in self.failed]
        lines += [
            f"unsupported {finding.group}: {finding.case}"
            for finding in self.findings
            if finding.outcome == UNSUPPORTED
        ]
        return "\n".join(lines)


def _seconds(finding: ExamFinding) -> float:
    return finding.seconds or 0.0
