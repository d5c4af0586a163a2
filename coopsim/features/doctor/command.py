"""`coopsim doctor`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from coopsim.app import talk

if TYPE_CHECKING:
    from coopsim.features.doctor.probes import ProbeResult


@click.command(short_help="Say what is missing on this machine, and what cures it.")
@click.option("--needed", is_flag=True, help="Look only for what `coopsim run` cannot do without.")
@click.option("--report", is_flag=True, help="Print the text for a bug report: findings, versions, platform.")
@click.option("--crowd", "kinds", multiple=True, metavar="TYPE", help="Say how many robots of a type, or `all`, fit.")
@click.option("--json", "as_json", is_flag=True, help="Print it all as JSON.")
def doctor(needed: bool, report: bool, kinds: tuple[str, ...], as_json: bool) -> int:
    """Say what is missing on this machine, each with the one command that cures it.

    Optional parts are listed, too. Exit code 0: everything needed is there. 1: something needed is missing.
    With --crowd nothing is looked for: crowds of a built-in type are ticked, and the most robots in real time told.
    """
    if kinds:
        return _measure_crowds(kinds, as_json=as_json)
    from coopsim.features.doctor.machine import Machine
    from coopsim.features.doctor.probes import examine

    machine = Machine()
    findings = [finding for finding in examine(machine) if finding.needed or not needed]
    text = report_text(findings, machine.facts()) if report else findings_text(findings)
    plain = {"findings": [asdict(finding) for finding in findings], "facts": machine.facts()}
    talk.answer(text, plain if as_json else None)
    return 0 if all(finding.is_there for finding in findings if finding.needed) else 1


def _measure_crowds(kinds: Sequence[str], *, as_json: bool) -> int:
    """Say how many robots of some types this machine has time for."""
    from coopsim.app.table import table
    from coopsim.features.doctor.crowds import crowd_sizes

    sizes = crowd_sizes(kinds)
    rows = [(size.type, size.engine, size.problem if size.robots is None else size.robots) for size in sizes]
    text = table(("type", "engine", "robots in real time, 10 ms a tick"), rows)
    talk.answer(text, {"crowds": [asdict(size) for size in sizes]} if as_json else None)
    return 0


def findings_text(findings: Sequence["ProbeResult"]) -> str:
    """Return what was found as a table, then the cures."""
    from coopsim.app.table import table

    rows = [
        ("ok" if finding.is_there else "MISSING" if finding.needed else "optional", finding.name, finding.detail)
        for finding in findings
    ]
    lines = [table(("", "what", "found"), rows), ""]
    needed = [finding for finding in findings if finding.needed and not finding.is_there]
    if needed:
        lines += ["what cures it", *map(_cure, needed), "", "for a bug report: coopsim doctor --report"]
    else:
        lines.append("all that is needed is there")
    optional = [finding for finding in findings if not finding.needed and not finding.is_there]
    return "\n".join([*lines, *(["", "what adds the optional things", *map(_cure, optional)] if optional else [])])


def _cure(finding: "ProbeResult") -> str:
    return f"  {finding.name}: {finding.cure}"


def report_text(findings: Sequence["ProbeResult"], facts: Mapping[str, str]) -> str:
    """Return the text for a bug report, in the form of a code block."""
    from coopsim.app.table import table

    return "\n".join(
        ["```text", table(("about", "this machine"), list(facts.items())), "", findings_text(findings), "```"]
    )
