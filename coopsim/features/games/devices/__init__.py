"""Devices of robots that play."""
