"""coopsim: a multi-robot simulator whose robots look on the network exactly like real ones."""

__version__ = "0.1.0"
