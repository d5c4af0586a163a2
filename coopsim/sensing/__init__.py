"""What sensors can ask of the world: rays, what is near, lines of sight."""
