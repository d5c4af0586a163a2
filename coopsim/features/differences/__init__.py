"""Differences of two recordings, tick by tick: `coopsim diff`."""
