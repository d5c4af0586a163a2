"""Batteries of robots."""
