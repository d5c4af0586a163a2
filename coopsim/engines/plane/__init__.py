"""Shared parts of engines of the plane: footprints, checks, kernels, snapshots."""
