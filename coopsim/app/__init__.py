"""The command line: one file per command, each light to import; what a command needs is imported when it runs."""
