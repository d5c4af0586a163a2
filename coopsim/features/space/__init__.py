"""The engine on MuJoCo: everything moves in space."""
