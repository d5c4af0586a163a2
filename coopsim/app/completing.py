"""Shell completion of values: files, scenes, devices, error numbers, and what a simulation serves."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_PATIENCE = 0.5
"""Whoever presses the key waits so long for a simulation [s]."""


def files(_context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Return that files are meant, which the shell completes itself."""
    return [CompletionItem(word, type="file")]


def scenes(context: click.Context, parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Return built-in scenes, and files."""
    from coopsim.robots import built_in_names

    names = [*built_in_names(".scenario"), *built_in_names(".world")]
    return [*_fitting(names, word), *files(context, parameter, word)]


def described(context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Return what can be described: robot types, engines, devices, control laws; after a slash what runs."""
    from coopsim.app.installed_names import describable

    return _fitting(_served(context) if word.startswith("/") else describable(), word)


def errors(_context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Return the numbers of errors."""
    from coopsim.errors import all_errors

    return [
        CompletionItem(str(number), help=error.__name__)
        for number, error in all_errors().items()
        if str(number).startswith(word)
    ]


def modules(context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Return modules of the simulation that runs, nothing where none does."""
    return _fitting(_served(context), word)


def commands(context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """Return commands of the module that was named before."""
    from coopsim.client import connect
    from coopsim.errors import CoopsimError

    try:
        with connect(context.params.get("endpoint"), timeout=_PATIENCE) as simulation:
            offered = simulation.module(str(context.params["name"])).interface.commands
            return [CompletionItem(offer.name, help=offer.summary) for offer in offered if offer.name.startswith(word)]
    except (CoopsimError, KeyError):
        return []


def _served(context: click.Context) -> list[str]:
    from coopsim.client import connect
    from coopsim.errors import CoopsimError

    try:
        with connect(context.params.get("endpoint"), timeout=_PATIENCE) as simulation:
            return list(simulation.names(""))
    except CoopsimError:  # nothing runs: there is nothing to complete
        return []


def _fitting(names: Iterable[str], word: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in sorted(set(names)) if name.startswith(word)]
