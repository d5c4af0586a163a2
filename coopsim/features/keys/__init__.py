"""Keys of clients, servers and run files: `coopsim keys`."""
