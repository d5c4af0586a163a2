"""Command lines of control laws, made from the parameters that each one declares."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from coopsim.client import DEFAULT, VARIABLE
from coopsim.errors import BadArgument
from coopsim.interfaces import Parameter, Value, WordsParameter

Law = TypeVar("Law")


def parser(name: str, summary: str, parameters: Sequence[Parameter]) -> argparse.ArgumentParser:
    """Return the parser of a control law: its robots, where they are, and its parameters.

    Args:
        name: Of the law, as in `[CONTROLLER_n]`.
        summary: One sentence.
        parameters: What can be chosen; `max_turn` becomes `--max-turn`, and `--max_turn` is understood too.
    """
    argument_parser = argparse.ArgumentParser(
        prog=f"python -m coopsim.controllers.{name}",
        description=summary,
        epilog="In a .scenario file the same options are keys of [CONTROLLER_n], without the dashes."
        " Exit code 0: done, or the run has ended; 1: it failed; 2: wrong usage; 130, 143: interrupted.",
        allow_abbrev=False,
    )
    argument_parser.add_argument("--robots", nargs="+", required=True, metavar="NAME", help="robots to drive, by name")
    argument_parser.add_argument(
        "--endpoint", metavar="URL", help=f"where the simulation answers; default: ${VARIABLE}, then {DEFAULT}"
    )
    for parameter in parameters:
        _add(argument_parser, parameter)
    return argument_parser


def _add(law_parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    flags = dict.fromkeys((f"--{parameter.name.replace('_', '-')}", f"--{parameter.name}"))
    dest, meaning = f"law_{parameter.name}", _help(parameter)
    if isinstance(parameter, WordsParameter):
        law_parser.add_argument(
            *flags, dest=dest, nargs="+", action=_Joined, default=parameter.default, metavar="WORD", help=meaning
        )
        return
    law_parser.add_argument(
        *flags,
        dest=dest,
        type=_reader(parameter),
        default=parameter.default,
        metavar=parameter.kind.__name__.upper(),
        help=meaning,
    )


class _Joined(argparse.Action):
    """Words of a line as a text with blanks between them."""

    def __call__(
        self, _parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, _option: str | None = None
    ) -> None:
        """Keep the words as one text."""
        setattr(namespace, self.dest, " ".join(values))


def chosen(options: argparse.Namespace, law: Callable[..., Law], parameters: Sequence[Parameter]) -> Law:
    """Return the parameters of a law as the command line chose them, in an object of class `law`."""
    return law(**{parameter.name: getattr(options, f"law_{parameter.name}") for parameter in parameters})


def _reader(parameter: Parameter) -> Callable[[str], Value]:
    def read(text: str) -> Value:
        try:
            return parameter.check(text if parameter.kind is str else float(text))
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None
        except BadArgument as problem:
            raise argparse.ArgumentTypeError(str(problem)) from None

    return read


def _help(parameter: Parameter) -> str:
    unit = f" [{parameter.unit}]" if parameter.unit != "1" else ""
    return f"{parameter.summary}{unit}, default {parameter.default}".replace("%", "%%")
