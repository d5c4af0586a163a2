"""Control laws as client processes: python -m coopsim.controllers.NAME --robots robot1 robot2 ...

A law is pure functions on arrays, one row per robot (`wandering`, `seeking`, with `attractors`, `speeds`, `escaping`),
or on plain numbers, robot by robot (`marching`, `transporting`, with `steering_rules`), and a process that connects,
asks, steps and stops (`wander`, `formation`). The module of a
process has `PARAMETERS`, which make its options, and `main`, which returns its exit code.
"""
