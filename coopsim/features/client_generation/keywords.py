"""Words that a language keeps for itself, and names that its generated code needs."""

import keyword
from typing import Final

PYTHON: Final = frozenset(keyword.kwlist) | {"timeout", "self", "reply", "list", "float", "int", "str", "tuple"}
JAVASCRIPT: Final = frozenset(
    """
    arguments async await break case catch class const continue debugger default delete do else enum eval export extends
    false finally for function if implements import in instanceof interface let new null package private protected public
    return static super switch this throw true try typeof undefined var void while with yield
    client constructor module reply robot target then
    """.split()
)
