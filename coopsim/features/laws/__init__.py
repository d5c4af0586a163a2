"""Control laws as client processes: python -m coopsim.features.laws.NAME --robots robot1 robot2 ...

Each law is one module, named as in `[CONTROLLER_n]`: its parameters, pure functions that decide, and the process that
connects, reads, commands and stops. `wander` and `seek` decide on arrays, one row per robot, with `attractors`,
`speeds` and `escaping`. `formation` and the two laws of `transport` decide robot by robot, on plain numbers, with
`steering_rules`; their rules lie in `formation_rules` and `transport_rules`. Each module has `PARAMETERS`, which make
its options, and `main`, which returns its exit code.
"""
