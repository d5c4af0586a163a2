"""Control laws as client processes: python -m coopsim.controllers.NAME --robots robot1 robot2 ...

A law is pure functions on arrays, one row per robot (`wandering`, `marching`, with `attractors`, `speeds`, `escaping`,
`following`, `shapes`), and a process that connects, asks, steps and stops (`wander`, `formation`). The module of a
process has `PARAMETERS`, which make its options, and `main`, which returns its exit code.
"""
