"""Radio between robots and those who command them: loss, delay and range of commands and readings."""
