"""Scenes, workers and misbehaving clients that benchmarks share."""
