"""Access control: roles of keys, trusted keys, and connections with a key."""
