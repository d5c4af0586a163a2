"""Recorder and playback processes; verify, diff, continue, export."""
