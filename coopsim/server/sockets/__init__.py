"""The sockets that clients reach: ZeroMQ and TCP, keys, and the state stream."""
