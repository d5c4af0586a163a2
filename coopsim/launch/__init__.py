"""Start, watch and stop the processes of one run."""
