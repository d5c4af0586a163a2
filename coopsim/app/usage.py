"""Mistakes on the command line, reported like all others."""

import click

from coopsim.app import talk
from coopsim.suggest import did_you_mean


def report(problem: click.ClickException) -> None:
    """Print what is wrong with the command line, and how it is used."""
    context = getattr(problem, "ctx", None)
    talk.complain(_text(problem), _usage(context) if context is not None else "")


def no_such_command(group: click.Group, context: click.Context, word: str) -> click.UsageError:
    """Return the error of a command that does not exist, with the one that was meant."""
    meant = did_you_mean(word, group.list_commands(context))
    return click.UsageError(f"there is no command {word!r}{meant}", context)


def _text(problem: click.ClickException) -> str:
    if isinstance(problem, click.NoSuchOption):
        near = sorted(problem.possibilities or ())
        return f"there is no option {problem.option_name}" + (f"; did you mean {' or '.join(near)}?" if near else "")
    text = problem.format_message().removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _usage(context: click.Context) -> str:
    help_of = f"`{context.command_path} --help`"
    if isinstance(context.command, click.Group):
        return f"{help_of} lists the commands"
    words = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    return f"usage: {words}; {help_of} explains"
