"""Questions to a run from a terminal: `coopsim ls`, `status` and `watch`."""
