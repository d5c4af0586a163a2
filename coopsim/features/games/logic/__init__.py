"""Games of squads: the logic of a match, its referee, and the intelligence that turns orders into commands of robots.

All of it is a client: it reads what robots tell, commands them as a player would, and could do so with real ones.

Source: swarm gaming, sections 3 and 4.
"""
