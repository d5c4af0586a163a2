"""`coopsim conformance`."""

import shlex
from typing import TYPE_CHECKING

import click

from coopsim.app import talk
from coopsim.app.groups import Suggesting

if TYPE_CHECKING:
    from coopsim.testkit.conformance.report import ExamReport


@click.group(cls=Suggesting, short_help="Examine a client or a server of the protocol.")
def conformance() -> None:
    """Examine a client, or the server of a device, that somebody wrote for the protocol.

    \b
    coopsim conformance client ./my-client           a program (conformance.md)
    coopsim conformance driver 192.168.1.9:5600 /robot1/motors
    """  # noqa: D301 - click's mark for lines it must not wrap


@conformance.command()
@click.argument("command")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
@click.option("--live/--no-live", default=True, help="Whether to start a simulation for it [yes].")
@click.option("--zmq", "is_zmq", is_flag=True, help="It speaks ZeroMQ, too: it connects to zmq://HOST:PORT.")
@click.option(
    "--large/--no-large",
    "is_large",
    default=True,
    help="Whether messages of hundreds of kilobytes are part of it: a slow language takes minutes for them [yes].",
)
@click.option(
    "--within",
    type=click.FloatRange(0.0),
    default=2.0,
    show_default=True,
    help="Most seconds that an answer in a dialog may take.",
)
def client(command: str, as_json: bool, live: bool, is_zmq: bool, is_large: bool, within: float) -> int:
    """Examine the client COMMAND: vectors, a server that misbehaves, simulations in lockstep, and a restart."""
    from coopsim.testkit import Run
    from coopsim.testkit.conformance import ExamReport, RestartedClient, examine_client, examine_restart
    from coopsim.testkit.conformance.live import ROOM
    from coopsim.testkit.conformance.program import ClientProgram

    with ClientProgram(shlex.split(command)) as program:
        if not live:
            report = examine_client(program, large=is_large, zeromq="" if is_zmq else None, within=within)
            return _print_report(report, as_json=as_json)
        with Run(ROOM, "--no-controllers") as run:
            plain, zeromq = (address.rpartition("/")[2] for address in (run.plain, run.endpoint))
            main = zeromq if is_zmq else None
            report = examine_client(program, plain, large=is_large, zeromq=main, within=within)
        restarted = examine_restart([RestartedClient(program, within=within)])
        return _print_report(ExamReport([*report.findings, *restarted.findings]), as_json=as_json)


@conformance.command()
@click.argument("endpoint")
@click.argument("module")
@click.option("--zmq", "is_zmq", is_flag=True, help="It speaks ZeroMQ, not plain TCP.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
def driver(endpoint: str, module: str, is_zmq: bool, as_json: bool) -> int:
    """Examine the server at ENDPOINT, host:port, that serves MODULE, such as /robot1/motors."""
    from coopsim.testkit.conformance import examine_driver

    carrier = "tcp" if is_zmq else "tcp+plain"
    return _print_report(examine_driver(f"{carrier}://{endpoint.rpartition('/')[2]}", module), as_json=as_json)


def _print_report(report: "ExamReport", *, as_json: bool) -> int:
    talk.answer(str(report), report.to_json() if as_json else None)
    return 1 if report.failed else 0
