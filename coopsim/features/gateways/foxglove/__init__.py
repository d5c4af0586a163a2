"""Foxglove: a run as its app shows it live, by the WebSocket server of its SDK."""
