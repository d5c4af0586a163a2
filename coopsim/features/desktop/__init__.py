"""Pictures in space of scenes, recordings and runs: what there is comes from files or servers, pyglet draws it."""
