"""Words that a language keeps for itself, and names that its generated code needs."""

import keyword
from typing import Final

PYTHON: Final = frozenset(keyword.kwlist) | {"timeout", "self", "reply", "list", "float", "int", "str", "tuple"}
