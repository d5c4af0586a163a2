"""Questions of sensors to the world: rays, what is near, lines of sight."""
