"""Programs and worlds of other simulators: they run here as they are, and are recorded, proved and shown."""
