"""Readers of robots and meshes in the formats of others: URDF, MJCF, SDF and COLLADA."""
