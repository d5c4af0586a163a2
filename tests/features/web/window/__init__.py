"""The page in a real browser. A package, so that its fixtures last from its first test to its last."""
