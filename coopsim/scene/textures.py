"""Pictures on things that are in no file: patterns, known by name."""

PATTERNS = ("bricks", "checkerboard", "concrete", "dots", "stripes", "wood")
"""Names that `texture` takes in the place of a file."""


def is_pattern(texture: str) -> bool:
    """Return whether a texture is a pattern, not a file."""
    return texture in PATTERNS
