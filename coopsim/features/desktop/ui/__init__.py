"""Widgets of the window, drawn by Dear ImGui over our own OpenGL."""
