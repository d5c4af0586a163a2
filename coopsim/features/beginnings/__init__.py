"""Files to begin with, for what people write themselves: `coopsim new`."""
