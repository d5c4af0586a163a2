"""`coopsim explain`."""

import inspect
import json
from typing import Any

import click

from coopsim.app import completing, talk
from coopsim.app.table import listing
from coopsim.errors import CoopsimError, all_errors, error_for


@click.command(short_help="Say what an error means and what to do.")
@click.argument("number", type=int, required=False, shell_complete=completing.errors)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def explain(number: int | None, as_json: bool) -> int:
    """Say what an error NUMBER means and what to do; without one, list all."""
    if as_json and (number is None or number in all_errors()):
        chosen = all_errors() if number is None else {number: error_for(number)}
        talk.data(json.dumps([_plain(code, error) for code, error in chosen.items()]))
        return 0
    if number is None:
        errors = all_errors().items()
        talk.data(
            listing((f"{code:3}", inspect.cleandoc(error.__doc__ or "").splitlines()[0]) for code, error in errors)
        )
        return 0
    if number not in all_errors():
        numbers = ", ".join(str(code) for code in all_errors() if code >= 100)
        talk.complain(f"there is no error {number}; there are: {numbers}")
        return 1
    error = error_for(number)
    talk.answer(f"{number} {error.__name__}: {inspect.cleandoc(error.__doc__ or '')}\nWhat to do: {error.cure}")
    return 0


def _plain(number: int, error: type[CoopsimError]) -> dict[str, Any]:
    return {
        "number": number,
        "name": error.__name__,
        "means": inspect.cleandoc(error.__doc__ or ""),
        "cure": error.cure,
    }
