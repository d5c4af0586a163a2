"""Processes and clients that benchmarks of coopsim's parts measure with."""
