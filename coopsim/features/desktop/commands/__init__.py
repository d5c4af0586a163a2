"""Commands that open windows and draw pictures in space."""
