"""The game of two squads that tests play: a match of people, whose squad has all robots `a*` or the robot b1."""


def two_squads(*lines: str) -> str:
    """Return the sections of the game; `lines` are further ones of squad a."""
    further = "".join(f"{line}\n" for line in lines)
    return f"""\
[GAME]
rules death_match
[PLAYER_1]
name one
[PLAYER_2]
name two
[SQUAD_1]
name a
player one
robots a*
power 0
{further}[SQUAD_2]
name b
player two
robots b1
power 0
[CONTROLLER_1]
run game
robots a* b1
"""
