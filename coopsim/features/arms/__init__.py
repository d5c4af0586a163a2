"""Arms and grippers: motors of many joints at once, and where a tool is."""
