"""The rooms of the package that others may use; `website.py` makes a page of each from its docstrings."""

ROOMS = {
    "coopsim.client": "the client of controllers in Python",
    "coopsim.client.aio": "the same for asyncio",
    "coopsim.inprocess": "a simulation and its clients in one process",
    "coopsim.errors": "every error, with its number and its cure",
    "coopsim.interfaces": "what modules understand",
    "coopsim.message": "messages and their bytes",
    "coopsim.robots": "scenarios and robots, read and checked",
    "coopsim.simulation": "a simulation inside a program, without servers",
    "coopsim.recording": "recordings, written and read",
    "coopsim.plugins": "what is registered, and who brought it",
    "coopsim.features.amsa.components": "systems of components, their text and their schedule",
    "coopsim.devices.contract": "what a device has to be",
    "coopsim.devices.per_robot": "devices robot by robot",
    "coopsim.devices.robot_view": "what such a device knows of its robot",
    "coopsim.engines.contract": "what an engine has to be",
    "coopsim.features.laws.process": "a control law as a process of its own",
    "coopsim.testkit": "runs, faults and networks for your own tests",
    "coopsim.geometry": "headings and the types of arrays",
}
"""Modules that others may use, and what they are for."""
