"""Base of all errors, and their register by number."""

from typing import Any, ClassVar, Self


class CoopsimError(Exception):
    """Something went wrong that coopsim can name; in programs, catch this class to catch all of them."""

    code: ClassVar[int] = 1
    brings: ClassVar[str] = ""  # what params hold, for programs
    cure: str = "The text of the error says what is wrong."
    request: Any = None  # the message that caused it, as far as it could be read
    params: tuple[Any, ...] = ()

    def bring(self, *params: Any) -> Self:
        """Set `params` of the refusal, the facts that programs need; return the error."""
        self.params = params
        return self

    def advise(self, cure: str) -> Self:
        """Set the cure of this case in place of that of its number; "" = none beyond the text."""
        self.cure = cure
        return self


def all_errors() -> dict[int, type[CoopsimError]]:
    """Return every numbered error, by number."""
    classes: dict[int, type[CoopsimError]] = {}
    waiting: list[type[CoopsimError]] = [CoopsimError]
    while waiting:
        error = waiting.pop()
        if "code" in vars(error):  # a subclass without a number of its own stands behind its parent
            classes.setdefault(error.code, error)
        waiting += error.__subclasses__()
    return dict(sorted(classes.items()))


def error_for(code: int) -> type[CoopsimError]:
    """Return the class of an error number; an unknown one gives the class of its range."""
    errors = all_errors()
    return errors.get(code) or errors.get(code // 100 * 100) or CoopsimError


def cure_line(code: int, cure: str) -> str:
    """Return the line below the text of an error: its number, and what to do where the text does not say it."""
    return f"error {code}: {cure}" if cure else f"error {code}"
