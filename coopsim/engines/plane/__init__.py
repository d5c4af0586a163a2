"""What engines of the plane share: footprints, checks, kernels, snapshots."""
