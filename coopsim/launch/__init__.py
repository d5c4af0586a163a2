"""Start, watch and stop the processes of one run.

A launcher starts a physics process, a host process and the scenario's controllers, connects them by shared memory and
channels, and makes sure that nothing of them is left in the end, in whatever order they die.
"""
