"""The kinematic engine: robots drive exactly as commanded and stop at obstacles."""
