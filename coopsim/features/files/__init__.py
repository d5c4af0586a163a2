"""Looks at files from a terminal: `coopsim scenes`, `check`, `info`, `recover`, `verify`, `replay` and `judge`."""
