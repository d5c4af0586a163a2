"""Swarm games: logic, devices, sections of files, commands and the window of a match."""
