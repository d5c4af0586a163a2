"""ROS 2: one table of types and one CDR codec, spoken over DDS and over Zenoh."""
