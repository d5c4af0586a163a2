"""The process that writes a run into a file while it goes on."""
