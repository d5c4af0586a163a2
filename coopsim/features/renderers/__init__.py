"""Renderers besides the built-in one, and the checks that all of them pass."""
