"""The lane: lockstep steps that look like the last ones, carried out by an optional library in C."""
