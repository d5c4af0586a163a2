"""The drives themselves, and their odometry."""
