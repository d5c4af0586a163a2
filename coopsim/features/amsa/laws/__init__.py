"""The control law `components` and its parameters."""
