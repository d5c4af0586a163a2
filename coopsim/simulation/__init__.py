"""When things happen: the tick, pacers, edits and timed events."""
