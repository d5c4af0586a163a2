"""Interfaces of the modules of robots that play."""
