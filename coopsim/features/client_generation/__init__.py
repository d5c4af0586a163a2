"""Typed clients in other languages, made from the interfaces of modules.

An interface is turned into one model (`model`), which knows no language; a dialect (`dialects`) says how a language
writes names, types and values; the templates of that language make source text of both.
"""

from coopsim.features.client_generation.dialects import DIALECTS, Dialect, client_files
from coopsim.features.client_generation.model import ClientModel, client_model

__all__ = ["DIALECTS", "ClientModel", "Dialect", "client_files", "client_model"]
