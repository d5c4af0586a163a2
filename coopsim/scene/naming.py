"""The order of names."""

import re

_PARTS = re.compile(r"(\D*)(\d*)")


def by_name(name: str) -> tuple[tuple[tuple[str, int], ...], str]:
    """Return the key of the order that everything is built, listed and hashed in: `robot2` before `robot10`."""
    return tuple((text, int(digits) if digits else -1) for text, digits in _PARTS.findall(name)), name
