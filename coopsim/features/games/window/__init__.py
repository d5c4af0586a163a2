"""The game client: a match as one of its players sees and commands it, in a layout of the window.

It is a hierarchy of agents, each with three parts: an abstraction that knows and decides, a presentation that draws or
sounds, and a control between them. Agents speak to each other through their controls alone.

Source: swarm gaming, section 3 (the game client, PAC).
"""
